package cli

import (
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"hoistway/agent/localapi"
)

func newAreasCommand(a *app) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "areas",
		Short: "Show the areas that share alarms of fire and earthquake; clear one",
		Long: `Show the areas of this gateway's lifts: an alarm of fire or earthquake at one lift
counts for all of its area, and stays until a person clears it.`,
		Example: `  hoistway areas
  hoistway areas clear A --seen-by "M. Weber" --token-file token`,
		Args: wants(),
	}
	q := a.asks(cmd)
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		c, err := q.client()
		if err != nil {
			return err
		}
		lifts, err := read[[]localapi.Lift](c.get(cmd.Context(), at("lifts")))
		if err != nil {
			return err
		}
		return q.printAreas(areasOf(lifts))
	}
	cmd.AddCommand(newAreasClearCommand(a))
	return cmd
}

// area is what the lifts tell of one.
type area struct {
	Area  string              `json:"area"`
	Lifts []string            `json:"lifts"`
	Alarm *localapi.AreaAlarm `json:"alarm"`
}

func areasOf(lifts []localapi.Lift) []area {
	all := []area{}
	for _, l := range lifts {
		i := slices.IndexFunc(all, func(a area) bool { return a.Area == l.Area })
		if i < 0 {
			i, all = len(all), append(all, area{Area: l.Area, Lifts: []string{}})
		}
		all[i].Lifts = append(all[i].Lifts, l.ID)
		if l.AreaAlarm != nil {
			all[i].Alarm = l.AreaAlarm
		}
	}
	return all
}

func (q *asking) printAreas(all []area) error {
	if q.json {
		return q.app.printValue(all)
	}
	t := &table{}
	t.row("AREA", "LIFTS", "ALARM")
	for _, a := range all {
		t.row(a.Area, strings.Join(a.Lifts, ", "), areaAlarm(a.Alarm))
	}
	return t.print(q.app.out)
}

func areaAlarm(a *localapi.AreaAlarm) string {
	if a == nil {
		return "none"
	}
	s := a.Kind
	if a.Drill {
		s += ", a drill"
	}
	s += " since " + a.Since
	if a.Source != "" {
		s += ", told by " + a.Source
	}
	if a.Latched {
		s += ", until a person clears it"
	}
	return s
}

// since is the age of a time of the gateway's wall clock, by its own word for now.
func since(then, now string) *int64 {
	from, err1 := time.Parse(time.RFC3339, then)
	to, err2 := time.Parse(time.RFC3339, now)
	if err1 != nil || err2 != nil {
		return nil
	}
	ms := max(to.Sub(from).Milliseconds(), 0)
	return &ms
}

func newAreasClearCommand(a *app) *cobra.Command {
	var word localapi.Attest
	cmd := &cobra.Command{
		DisableFlagsInUseLine: true,
		Use:                   "clear AREA --seen-by NAME",
		Short:                 "Clear the alarm of an area once its lifts are normal again",
		Long: `Clear the alarm of fire or earthquake that stands over an area. It is refused while a
lift of the area still shows it. Go and look first: robots ride again afterwards.`,
		Example: `  hoistway areas clear A --seen-by "M. Weber" --token-file token`,
		Args:    wants("AREA"),
	}
	seenByFlag(cmd, &word)
	q := a.asks(cmd)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if err := hasLooked(word); err != nil {
			return err
		}
		c, err := q.client()
		if err != nil {
			return err
		}
		raw, err := c.call(cmd.Context(), http.MethodPost, at("areas", args[0], "alarms", "clear"), word)
		return answer(q, raw, err, func(done localapi.Cleared) *table {
			t := &table{}
			t.row("cleared", "area "+done.Area, strings.Join(done.Lifts, ", "))
			return t
		})
	}
	return cmd
}
