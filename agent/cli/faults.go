package cli

import (
	"strings"

	"github.com/spf13/cobra"

	"hoistway/agent/explain"
	"hoistway/agent/localapi"
)

func newFaultsCommand(a *app) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "faults",
		Short: "List everything that is wrong now, with its code",
		Long: `List everything that is wrong now: rides in fault, lifts that cannot be reached,
alarms. The exit status is 1 when there is anything. hoistway help CODE says what
to do about each.`,
		Example: `  hoistway faults
  hoistway faults --json
  hoistway faults && echo all well`,
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
		rides, err := read[[]localapi.Ride](c.get(cmd.Context(), at("rides")))
		if err != nil {
			return err
		}
		return q.printFaults(standing(lifts, rides))
	}
	return cmd
}

// finding is one thing that is wrong now.
type finding struct {
	Help  string `json:"help"` // E-code, "" for an alarm without one
	Fault string `json:"fault"`
	Lift  string `json:"lift"`
	Ride  string `json:"ride,omitempty"`
	Robot string `json:"robot,omitempty"`
	AgeMs *int64 `json:"age_ms"` // null: not known since when
	What  string `json:"what"`
}

func standing(lifts []localapi.Lift, rides []localapi.Ride) []finding {
	found := []finding{}
	for _, r := range rides {
		if r.Fault == nil || r.State == "DONE" {
			continue
		}
		age := r.Fault.AgeMs
		help := first(r.Fault.Help, explain.ForFault(r.Fault.Code))
		found = append(found, finding{
			Help: help, Fault: r.Fault.Code, Lift: r.Lift, Ride: r.ID, Robot: r.Robot, AgeMs: &age,
			What: titled(help, r.State),
		})
	}
	for _, l := range lifts {
		if l.Link != "online" {
			found = append(found, unreachedLift(l))
		}
		found = append(found, over(l)...)
		for _, al := range l.Alarms {
			help := explain.ForFault(al.Code)
			found = append(found, finding{Help: help, Fault: al.Code, Lift: l.ID, What: first(al.Detail, titled(help, "alarm"))})
		}
	}
	return found
}

// over is what stands over a lift. Maintenance is meant, and no fault; nor is a drill.
func over(l localapi.Lift) (found []finding) {
	if a := l.AreaAlarm; a != nil && !a.Drill {
		fault := "MODE_" + strings.ToUpper(a.Kind)
		found = append(found, finding{Help: explain.ForFault(fault), Fault: fault, Lift: l.ID, AgeMs: since(a.Since, l.At), What: "area " + l.Area + ": " + areaAlarm(a)})
	}
	if s := l.Stopped; s != nil {
		found = append(found, finding{Help: explain.ForFault("STOPPED"), Fault: "STOPPED", Lift: l.ID, AgeMs: since(s.Since, l.At), What: because("stopped", s.By, s.Why)})
	}
	return found
}

// unreachedLift is silent since it was last heard, however its link fared meanwhile.
func unreachedLift(l localapi.Lift) finding {
	f := finding{Help: "E-6001", Fault: "OFFLINE", Lift: l.ID, AgeMs: l.HeardMs, What: "the controller cannot be reached"}
	if l.Link == "unknown" {
		f.What = "nothing was ever heard of the controller"
	}
	return f
}

func titled(code, otherwise string) string {
	if e, ok := explain.Lookup(code); ok {
		return e.Title
	}
	return otherwise
}

func (q *asking) printFaults(found []finding) error {
	var err error
	if q.json {
		err = q.app.printValue(found)
	} else {
		t := &table{}
		if len(found) == 0 {
			t.row("no faults")
		} else {
			t.row("HELP", "FAULT", "LIFT", "RIDE", "ROBOT", "SINCE", "WHAT")
		}
		for _, f := range found {
			t.row(f.Help, f.Fault, f.Lift, f.Ride, f.Robot, ago(f.AgeMs), f.What)
		}
		err = t.print(q.app.out)
	}
	if err == nil && len(found) > 0 {
		err = errFindings
	}
	return err
}
