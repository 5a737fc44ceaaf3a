package cli

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"hoistway/agent/localapi"
)

func newLiftsCommand(a *app) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "lifts [LIFT]",
		Short: "Show the lifts, or everything about one; take one out of use",
		Long: `Show the lifts as the agent sees them, or everything about one. SEEN is the age of
the oldest of floor, doors and motion; a value that is not good any more says so.`,
		Example: `  hoistway lifts
  hoistway lifts L1
  hoistway lifts L1 --json
  hoistway lifts outputs L1
  hoistway lifts maintenance L1 --for 4h --token-file token
  hoistway lifts empty L1 --seen-by "M. Weber" --token-file token`,
		Args: wants("[LIFT]"),
	}
	q := a.asks(cmd)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		c, err := q.client()
		if err != nil {
			return err
		}
		raw, err := c.get(cmd.Context(), at(append([]string{"lifts"}, args...)...))
		if len(args) == 1 {
			return answer(q, raw, err, liftDetail)
		}
		return answer(q, raw, err, liftTable)
	}
	cmd.AddCommand(newOutputsCommand(a), newMaintenanceCommand(a), newEmptyCommand(a))
	return cmd
}

func liftTable(lifts []localapi.Lift) *table {
	t := &table{}
	t.row("LIFT", "LINK", "FLOOR", "DOORS", "MOTION", "MODE", "SEEN", "RIDE", "QUEUE", "ACCEPTING")
	for _, l := range lifts {
		t.row(l.ID, known(l.Link), shown(l.Floor), doors(l.Doors), shown(l.Motion), shown(l.Mode),
			ago(oldest(l)), owner(l), strconv.Itoa(len(l.Queue)), accepting(l))
	}
	return t
}

func liftDetail(l localapi.Lift) *table {
	t := &table{}
	t.row("lift", l.ID)
	t.row("group", l.Group)
	t.row("link", linkSince(l))
	t.row("last heard", ago(l.HeardMs))
	for _, v := range liftValues(l) {
		t.row(v.name, shown(v.value), ago(v.value.AgeMs))
	}
	t.row("calls up", shown(l.Calls.Up), ago(l.Calls.Up.AgeMs))
	t.row("calls down", shown(l.Calls.Down), ago(l.Calls.Down.AgeMs))
	t.row("calls car", shown(l.Calls.Car), ago(l.Calls.Car.AgeMs))
	t.row("ride", owner(l))
	t.row("state", statePhase(l.State, l.Phase))
	t.row("occupied", yes(l.Occupied))
	t.row("queue", strings.Join(l.Queue, ", "))
	t.row("accepting", accepting(l))
	t.row("area", l.Area)
	if l.Maintenance != nil {
		t.row("maintenance", maintained(l.Maintenance))
	}
	if s := l.Stopped; s != nil {
		t.row("stopped", because("since "+s.Since, s.By, s.Why))
	}
	if l.AreaAlarm != nil {
		t.row("area alarm", areaAlarm(l.AreaAlarm))
	}
	t.row("floors", landings(l.Floors))
	for i, al := range l.Alarms {
		t.row(onFirst(i, "alarms"), al.Code, al.Detail)
	}
	return t
}

func maintained(m *localapi.Maintenance) string {
	until := "until a person ends it"
	if m.Until != nil {
		until = "until " + *m.Until
	}
	return because("since "+m.Since+", "+until, m.By, m.Why)
}

func because(what, by, why string) string {
	what += ", by " + by
	if why != "" {
		what += ": " + why
	}
	return what
}

type namedValue struct {
	name  string
	value localapi.Value
}

func liftValues(l localapi.Lift) []namedValue {
	vs := []namedValue{{"floor", l.Floor}}
	for _, side := range slices.Sorted(maps.Keys(l.Doors)) {
		vs = append(vs, namedValue{side + " door", l.Doors[side]})
	}
	return append(vs,
		namedValue{"motion", l.Motion}, namedValue{"mode", l.Mode}, namedValue{"position mm", l.Position},
		namedValue{"load kg", l.Load}, namedValue{"overload", l.Overload}, namedValue{"nudging", l.Nudging},
		namedValue{"obstruction", l.Obstacle}, namedValue{"emergency stop", l.Stop}, namedValue{"vendor code", l.Vendor})
}

func linkSince(l localapi.Lift) string {
	if known(l.Link) == "" || l.LinkAgeMs == nil {
		return known(l.Link)
	}
	return l.Link + " for " + span(*l.LinkAgeMs)
}

func owner(l localapi.Lift) string {
	if l.Owner == nil {
		return ""
	}
	return l.Owner.Ride + " (" + l.Owner.Robot + ")"
}

func accepting(l localapi.Lift) string {
	if l.Why == "" {
		return yes(l.Accepting)
	}
	return yes(l.Accepting) + ": " + l.Why
}

func landings(ls []localapi.Landing) string {
	var parts []string
	for _, l := range ls {
		parts = append(parts, l.Label+" ("+strings.Join(l.Doors, ", ")+")")
	}
	return strings.Join(parts, "  ")
}

// known turns the word for not knowing into nothing, which prints as "-".
func known(s string) string {
	if s == "unknown" {
		return ""
	}
	return s
}

func onFirst(i int, name string) string {
	if i == 0 {
		return name
	}
	return " "
}

func statePhase(state, phase string) string {
	if phase == "" {
		return state
	}
	return state + " · " + phase
}
