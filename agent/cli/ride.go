package cli

import (
	"fmt"
	"strconv"

	"github.com/spf13/cobra"

	"hoistway/agent/localapi"
)

func newRideCommand(a *app) *cobra.Command {
	var (
		record bool
		file   string
	)
	cmd := &cobra.Command{
		Use:   "ride RIDE",
		Short: "Show one ride; call, cancel or reset one, or send it elsewhere",
		Long: `Show one ride: its state, where the robot is, what it is told to do, the permit or
what it lacks, and every transition so far. --record shows its flight record, also of
a ride that is over, and -o keeps that as one file; both want the token of a
technician or of the ride's own robot.`,
		Example: `  hoistway ride r-7f3a
  hoistway ride r-7f3a --record --token-file token
  hoistway ride r-7f3a --record -o r-7f3a.json --token-file token
  hoistway ride call --robot R1 --lift L1 G 3
  hoistway ride to r-7f3a 2
  hoistway ride cancel r-7f3a
  hoistway ride reset r-7f3a --robot-is outside`,
		Args: wants("RIDE"),
	}
	q := a.asks(cmd)
	cmd.Flags().BoolVar(&record, "record", false, "show the flight record instead: all that happened, in order")
	cmd.Flags().StringVarP(&file, "output", "o", "", "write the flight record to a `file` as JSON (it must not exist)")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		c, err := q.client()
		if err != nil {
			return err
		}
		if record || file != "" {
			return q.record(cmd.Context(), c, args[0], file)
		}
		raw, err := c.get(cmd.Context(), at("rides", args[0]))
		if err != nil {
			return err
		}
		return q.printRide(raw)
	}
	cmd.AddCommand(newRideCallCommand(a), newRideToCommand(a), newRideCancelCommand(a), newRideResetCommand(a))
	return cmd
}

func (q *asking) printRide(raw []byte) error {
	r, err := read[localapi.Ride](raw, nil)
	switch {
	case err != nil:
		return err
	case q.json:
		return q.printJSON(raw)
	}
	if err := rideDetail(r).print(q.app.out); err != nil {
		return err
	}
	if len(r.Marks) == 0 {
		return nil
	}
	if _, err := fmt.Fprintln(q.app.out); err != nil {
		return output(err)
	}
	return markTable(r.Marks).print(q.app.out)
}

func rideDetail(r localapi.Ride) *table {
	t := &table{}
	t.row("ride", r.ID)
	if r.Task != "" {
		t.row("task", r.Task)
	}
	t.row("robot", r.Robot)
	t.row("lift", r.Lift)
	if r.CarWhy != "" {
		t.row("why this lift", r.CarWhy)
	}
	t.row("from", sided(r.From, r.FromDoor))
	t.row("to", sided(r.To, r.ToDoor))
	t.row("state", statePhase(r.State, r.Phase))
	t.row("place", placed(r))
	if r.Priority > 0 {
		t.row("priority", strconv.Itoa(r.Priority))
	}
	if r.CrossingS != nil {
		t.row("crossing", fmt.Sprintf("%g s through a door", *r.CrossingS))
	}
	if r.EtaMs != nil {
		t.row("the car is there", "in about "+span(*r.EtaMs))
	}
	t.row("robot is", known(r.Where))
	t.row("do", doing(r.Do))
	t.row("permit", permit(r.Permit))
	for i, u := range r.Withheld {
		t.row(onFirst(i, "withheld"), unmet(u))
	}
	t.row("leave pass", pass(r.LeavePass))
	t.row("this phase", left(r.DeadlineMs))
	t.row("retries", strconv.Itoa(r.Retries))
	t.row("fault", fault(r.Fault))
	if r.Fault != nil && r.Fault.Todo != "" {
		t.row("what to do", r.Fault.Todo)
	}
	return t
}

func placed(r localapi.Ride) string {
	if r.PlaceWhy == "" {
		return place(r.Place)
	}
	return place(r.Place) + ": " + r.PlaceWhy
}

func doing(d localapi.Do) string {
	s := d.Action
	if d.Why != "" {
		s += ": " + d.Why
	}
	if d.UntilMs != nil {
		s += " (" + left(d.UntilMs) + ")"
	}
	return s
}

func permit(p *localapi.Permit) string {
	if p == nil {
		return "none"
	}
	return fmt.Sprintf("%s at %s: start within %s, be through within %s",
		p.Kind, sided(p.Floor, p.Side), span(p.StartWithinMs), span(p.ThroughWithinMs))
}

func unmet(u localapi.Unmet) string {
	s := fmt.Sprintf("%s: want %s, seen %s", u.Part, u.Want, first(u.Seen, "nothing"))
	if known(u.Source) != "" {
		s += " (" + u.Source + ")"
	}
	return s
}

func pass(p *localapi.LeavePass) string {
	if p == nil {
		return ""
	}
	return fmt.Sprintf("at %s (%s)", sided(p.Floor, p.Side), left(&p.NotAfterMs))
}

func fault(f *localapi.Fault) string {
	if f == nil {
		return "none"
	}
	s := fmt.Sprintf("%s, no. %d, %s ago", f.Code, f.No, span(f.AgeMs))
	if f.Latched {
		s += ", latched until a person clears it"
	}
	if f.Help != "" {
		s += " (hoistway help " + f.Help + ")"
	}
	return s
}

func markTable(marks []localapi.Transition) *table {
	t := &table{}
	t.row("AT", "FROM", "TO", "PHASE", "WHY")
	for _, m := range marks {
		t.row(m.At, m.From, m.To, m.Phase, m.Why)
	}
	return t
}
