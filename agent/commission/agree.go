package commission

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"hoistway/drivers"
	"hoistway/drivers/fieldbus"
	"hoistway/drivers/modbus"
	"hoistway/drivers/profiles"
	"hoistway/fsm/elevator"
)

// Agreement says how one point of a profile stands against a live controller.
type Agreement struct {
	Point    string   `json:"point"`
	Question string   `json:"question"`
	Raw      []string `json:"raw"` // the words as they came
	Value    string   `json:"value"`
	Agrees   bool     `json:"agrees"`
	Why      string   `json:"why,omitempty"`
}

// Agree reads each block of a profile once from a live controller and tells point
// by point what it makes of the answer. It reads only.
func (s *Session) Agree(ctx context.Context) ([]Agreement, error) {
	if len(s.Profile.ReadPlan()) == 0 {
		return s.agreeWhole(ctx)
	}
	var out []Agreement
	told := map[string]bool{}
	for _, b := range s.Profile.ReadPlan() {
		got, err := s.agreeBlock(ctx, b)
		if err != nil {
			return out, err
		}
		for _, a := range got {
			if !told[a.Point] {
				told[a.Point] = true
				out = append(out, a)
			}
		}
	}
	return out, nil
}

// agreeWhole reads all at once, of a protocol whose questions are its driver's.
func (s *Session) agreeWhole(ctx context.Context) ([]Agreement, error) {
	snap, err := s.Link.Read(ctx)
	if err != nil && snap.Link != elevator.Online {
		return nil, err
	}
	rows := Picture(snap, s.Floors, s.Now())
	var out []Agreement
	for _, name := range Points(s.Profile) {
		a := Agreement{Point: name, Raw: []string{}}
		if s.noSuchDoor(name) {
			a.Agrees, a.Why = true, "no landing of the floor table has this door"
		}
		a.judge(rows, nil, nil)
		out = append(out, a)
	}
	return out, nil
}

func (s *Session) agreeBlock(ctx context.Context, b profiles.Block) ([]Agreement, error) {
	if s.Prober == nil {
		return nil, fmt.Errorf("%w: this link takes no raw questions", drivers.ErrNotCapable)
	}
	q := modbus.Question(b)
	p, err := s.Prober.Peek(ctx, q)
	var out []Agreement
	for _, name := range s.Profile.PointsIn(b) {
		a := Agreement{Point: name, Question: q, Raw: []string{}}
		if err != nil {
			a.Why = err.Error()
		}
		out = append(out, a)
	}
	if err != nil {
		var no *fieldbus.Refusal
		if errors.As(err, &no) { // the controller is there and says no: that is a finding
			return out, nil
		}
		return out, err
	}
	var snap elevator.Snapshot
	if err := s.Profile.Decode(b, p.Words, s.Floors, 1, &snap); err != nil {
		for i := range out {
			out[i].Why = err.Error()
		}
		return out, nil
	}
	labels := Labels(s.Profile, b)
	for i := range out {
		if s.noSuchDoor(out[i].Point) {
			out[i].Agrees, out[i].Why = true, "no landing of the floor table has this door"
		}
		if side, is := strings.CutPrefix(out[i].Point, "hold_left."); is {
			out[i].held(&snap, side)
		}
		out[i].judge(Picture(snap, s.Floors, 1), labels, p.Words)
	}
	return out, nil
}

// held says how long the device holds a door; a snapshot keeps that as an end.
func (a *Agreement) held(s *elevator.Snapshot, side string) {
	a.Agrees, a.Value = true, "no hold"
	if at, ok := elevator.ParseSide(side); ok && s.Holds[at] != 0 {
		a.Value = s.Holds[at].Until(1).Round(time.Second).String() + " left"
	}
}

func (a *Agreement) judge(rows []Row, labels []string, words []uint16) {
	for i, l := range labels {
		for part := range strings.SplitSeq(l, ", ") {
			if name, _, _ := strings.Cut(part, " "); name == a.Point {
				a.Raw = append(a.Raw, fmt.Sprint(words[i]))
			}
		}
	}
	for _, r := range rows {
		if r.Point != a.Point {
			continue
		}
		a.Value = r.Value
		switch {
		case a.Agrees: // judged already
		case r.Quality == elevator.Failed.String():
			a.Why = "the profile does not believe this number"
		case r.Value == "":
			a.Why = "the profile has no word for this value"
		default:
			a.Agrees = true
		}
	}
	if !a.Agrees && a.Why == "" {
		a.Why = "the answer does not hold it"
	}
}

// Rehearsal is one command of a profile carried out by hand.
type Rehearsal struct {
	Command   string    `json:"command"`
	Questions []string  `json:"questions"` // its writes, as raw questions
	Frames    []string  `json:"frames"`
	Outcome   string    `json:"outcome"`
	Code      string    `json:"code,omitempty"`
	Detail    string    `json:"detail,omitempty"`
	Seen      string    `json:"seen"` // what the person saw: yes, no, "" for not told
	By        string    `json:"by"`
	At        time.Time `json:"at"`
}

// commandLife is how long a rehearsed command may wait for the line.
const commandLife = 10 * time.Second

// ParseCommand reads a command in the words of the test cases:
// car_call floor=2, landing_call floor=G direction=up, hold floor=G side=front for=10s.
func ParseCommand(text string, floors elevator.Table) (elevator.Command, time.Duration, error) {
	f := strings.Fields(text)
	if len(f) == 0 {
		return elevator.Command{}, 0, errors.New("no command")
	}
	verb, ok := elevator.ParseVerb(f[0])
	c, life := elevator.Command{Verb: verb, Reason: "rehearsal"}, commandLife
	if !ok || verb == elevator.VerbUnknown {
		return c, 0, fmt.Errorf("no command %q: car_call floor=2, landing_call floor=G direction=up, hold floor=G side=front for=10s, lapse, cancel_call, notify", f[0])
	}
	for _, kv := range f[1:] {
		k, v, _ := strings.Cut(kv, "=")
		var err error
		switch k {
		case "floor":
			c.Floor, err = floorNamed(v, floors)
		case "to":
			c.To, err = floorNamed(v, floors)
		case "direction":
			if c.Direction, ok = elevator.ParseDirection(v); !ok {
				err = fmt.Errorf("no direction %q", v)
			}
		case "side":
			if c.Side, ok = elevator.ParseSide(v); !ok {
				err = fmt.Errorf("no side %q", v)
			}
		case "car":
			c.Car = v == "true"
		case "for":
			life, err = time.ParseDuration(v)
		default:
			err = fmt.Errorf("no part %q of a command", k)
		}
		if err != nil {
			return c, 0, err
		}
	}
	return c, life, nil
}

func floorNamed(label string, floors elevator.Table) (elevator.Floor, error) {
	if f := floors.ByLabel(label); f != 0 {
		return f, nil
	}
	var labels []string
	for _, l := range floors {
		labels = append(labels, l.Label)
	}
	return 0, fmt.Errorf("no floor %q: there are %s", label, strings.Join(labels, " "))
}
