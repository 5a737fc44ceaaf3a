package commission

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"hoistway/drivers/profiles"
	"hoistway/fsm/elevator"
)

// Handover is the commissioning record of one lift: what was proven, by whom, and
// what was not.
type Handover struct {
	Form     int         `json:"hoistway_handover"` // 1
	Campus   string      `json:"campus,omitempty"`
	Building string      `json:"building,omitempty"`
	Device   string      `json:"device,omitempty"`
	Lift     string      `json:"lift"`
	Link     string      `json:"link"`
	Profile  string      `json:"profile"`
	Hash     string      `json:"profile_sha256"`
	Version  string      `json:"hoistway"`
	By       string      `json:"by"`
	Made     time.Time   `json:"made"`
	Floors   []string    `json:"floors"` // label=wire, bottom to top
	Points   []Proof     `json:"points"`
	Commands []Rehearsal `json:"commands"`
	Holds    Holds       `json:"holds"`
	Pushes   *Pushes     `json:"pushes,omitempty"` // nil: the controller pushes nothing
	Sources  []string    `json:"sources"`          // recordings and logs that it was made from
	Open     []string    `json:"open"`             // what is not proven; empty: nothing
}

// Proof is what was seen of one point.
type Proof struct {
	Point   string    `json:"point"`
	Values  []string  `json:"values"` // in the order in which they were first seen
	Changed bool      `json:"changed"`
	First   time.Time `json:"first"` // zero: never seen
	Last    time.Time `json:"last"`
}

// Holds is how a door hold ends when this gateway is gone.
type Holds struct {
	Has       bool   `json:"has"`
	DiesAfter string `json:"dies_after,omitempty"` // by the device itself
	Longest   string `json:"longest,omitempty"`    // of one command
	Accepted  string `json:"accepted,omitempty"`   // why the site accepts one without an end
}

// Pushes is what a site relies on where a vendor pushes messages.
type Pushes struct {
	Confirmed []string `json:"confirmed"` // by the vendor: delivery, order, retries, limits
}

// maxValues bounds the values that are listed of a point.
const maxValues = 24

// Prove lays a recording over the record.
func (h *Handover) Prove(rec Recording, t Target) error {
	p, err := Replay(rec, t)
	if err != nil {
		return err
	}
	if rec.Hash != "" && rec.Hash != h.Hash {
		h.Open = append(h.Open, fmt.Sprintf("the recording of %s was made by another version of the profile (%.12s)", rec.Started.UTC().Format(time.DateTime), rec.Hash))
	}
	for _, c := range p.Changes {
		if c.Point != "" && c.To != "unknown" {
			h.saw(c.Point, c.To, rec.Started.Add(c.At))
		}
	}
	return nil
}

func (h *Handover) saw(point, value string, at time.Time) {
	i := slices.IndexFunc(h.Points, func(p Proof) bool { return p.Point == point })
	if i < 0 {
		return
	}
	p := &h.Points[i]
	if p.First.IsZero() {
		p.First = at.UTC()
	}
	p.Last = at.UTC()
	if !slices.Contains(p.Values, value) && len(p.Values) < maxValues {
		p.Values = append(p.Values, value)
	}
	p.Changed = len(p.Values) > 1
}

// NewHandover begins a record: nothing is proven yet.
func NewHandover(t Target, acceptNoEnd string) Handover {
	h := Handover{
		Form: 1, Profile: t.Profile.ID, Hash: t.Profile.Hash(), Floors: []string{},
		Points: []Proof{}, Commands: []Rehearsal{}, Sources: []string{}, Open: []string{},
	}
	for _, l := range t.Floors {
		h.Floors = append(h.Floors, fmt.Sprintf("%s=%d", l.Label, l.Wire))
	}
	for _, p := range Points(t.Profile) {
		if !noSuchDoor(t.Floors, p) {
			h.Points = append(h.Points, Proof{Point: p, Values: []string{}})
		}
	}
	traits := t.Profile.Traits()
	h.Holds = Holds{Has: traits.HasHold, Accepted: acceptNoEnd}
	if traits.DiesAfter > 0 {
		h.Holds.DiesAfter = traits.DiesAfter.String()
	}
	if most := t.Profile.LongestHold(); most > 0 {
		h.Holds.Longest = most.String()
	}
	if api := t.Profile.HTTP(); api != nil && api.Push() != nil {
		h.Pushes = &Pushes{Confirmed: append([]string{}, api.Push().Confirmed...)}
	}
	return h
}

// Close lists what is not proven.
func (h *Handover) Close(t Target) {
	for _, p := range h.Points {
		switch {
		case p.First.IsZero():
			h.Open = append(h.Open, p.Point+" was never seen")
		case !p.Changed:
			h.Open = append(h.Open, p.Point+" was never seen changing")
		}
	}
	for _, c := range Commands(t.Profile, t.Floors) {
		if !slices.ContainsFunc(h.Commands, func(r Rehearsal) bool { return kindOf(r.Command, t.Floors) == c && r.Confirmed() }) {
			h.Open = append(h.Open, c+" was never confirmed")
		}
	}
	if h.Pushes != nil && len(h.Pushes.Confirmed) == 0 {
		h.Open = append(h.Open, "the vendor has confirmed nothing of how its messages are delivered")
	}
	if h.Holds.Has && h.Holds.DiesAfter == "" && h.Holds.Accepted == "" {
		h.Open = append(h.Open, "nothing ends a door hold when the gateway is gone, and no reason is given why that is accepted")
	}
}

// Confirmed reports that the controller took it and a person saw it happen.
func (r Rehearsal) Confirmed() bool {
	return r.Outcome == elevator.Done.String() && (r.Seen == "y" || r.Seen == "yes")
}

// kinds are the commands that a profile may have, with what tells them apart.
func kinds(floors elevator.Table) []elevator.Command {
	top := elevator.Floor(len(floors))
	return []elevator.Command{
		{Verb: elevator.LandingCall, Floor: 1, Direction: elevator.Up},
		{Verb: elevator.LandingCall, Floor: top, Direction: elevator.Down},
		{Verb: elevator.CarCall, Floor: top},
		{Verb: elevator.Journey, Floor: 1, To: top},
		{Verb: elevator.CancelCall, Floor: 1, Direction: elevator.Up},
		{Verb: elevator.CancelCall, Floor: top, Car: true},
		{Verb: elevator.Hold, Floor: 1, Side: elevator.Front},
		{Verb: elevator.Hold, Floor: 1, Side: elevator.Rear},
		{Verb: elevator.Lapse, Floor: 1, Side: elevator.Front},
		{Verb: elevator.Lapse, Floor: 1, Side: elevator.Rear},
		{Verb: elevator.Claim},
		{Verb: elevator.GiveBack},
	}
}

// Commands names the commands that a profile has and this lift can use.
func Commands(p *profiles.Profile, floors elevator.Table) []string {
	var out []string
	for _, c := range kinds(floors) {
		c.Until = elevator.Instant(time.Minute)
		_, err := p.Encode(c, floors, 1)
		name := nameOf(c)
		if errors.Is(err, profiles.ErrNotCapable) || slices.Contains(out, name) || c.Side != 0 && noSuchDoor(floors, "door."+c.Side.String()) {
			continue
		}
		out = append(out, name)
	}
	return out
}

func nameOf(c elevator.Command) string {
	name := c.Verb.String()
	switch {
	case c.Direction != 0 && c.Verb == elevator.LandingCall:
		name += " " + c.Direction.String()
	case c.Side != 0:
		name += " " + c.Side.String()
	case c.Car && c.Verb == elevator.CancelCall:
		name += " car"
	}
	return name
}

// kindOf names the kind of a command that was carried out.
func kindOf(text string, floors elevator.Table) string {
	c, _, err := ParseCommand(text, floors)
	if err != nil {
		return text
	}
	return nameOf(c)
}
