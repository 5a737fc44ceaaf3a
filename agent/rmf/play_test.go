package rmf

import (
	"bufio"
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"hoistway/agent/core"
	"hoistway/fsm"
	"hoistway/fsm/elevator"
)

// The transcripts of testdata: what a fleet, a supervisor and the ride loop say, and
// what comes of it. One line, one thing:
//
//	+3s                                     time passes; the car is read anew
//	silent +3s                              time passes, and nothing is read
//	car KEY=VALUE …                         floor door rear motion mode link
//	ride KEY=VALUE …                        the ride of the last order; state phase where from to permit was granted lift robot task id way cancel
//	gone                                    the ride is over and no longer kept
//	say SESSION TYPE FLOOR OPTION …         agv human end; @SECONDS before now or "zero", closed, kept, live, as=ROBOT
//	-> ORDER, ORDER | -> nothing WORDS | -> refused CODE FIELD
//	due                                     then -> as above
//	lost | refuse                           what became of the last open
//	state KEY=VALUE …                       session at to door motion mode
//	restart                                 a new process with the same rides
type play struct {
	t    *testing.T
	tr   *Translator
	v    core.View
	now  elevator.Instant
	car  map[string]string
	said string
	open *Open
	lost string // id of a ride that nobody knows the fate of
	last string // session of the last request
}

const wall0 = 1_767_225_600_000

func newPlay(t *testing.T) *play {
	p := &play{t: t, now: elevator.Instant(time.Hour), car: map[string]string{
		"floor": "G", "door": "closed", "rear": "closed", "motion": "stopped", "mode": "normal", "link": "online",
	}}
	p.v.Lifts = []core.LiftView{{ID: "L1", Floors: table()}, {ID: "L2", Floors: table()}}
	p.restart()
	p.read()
	return p
}

func table() elevator.Table {
	front := []elevator.Side{elevator.Front}
	return elevator.Table{
		{Label: "B1", Wire: 1, Doors: front},
		{Label: "G", Wire: 2, Doors: []elevator.Side{elevator.Front, elevator.Rear}},
		{Label: "1", Wire: 3, Doors: front},
		{Label: "2", Wire: 4, Doors: front},
		{Label: "3", Wire: 5, Doors: front},
	}
}

func (p *play) restart() {
	p.tr = New(Config{Robots: []string{"R1", "R2", "R3"}, Sessions: map[string]string{"fleet/r1": "R1", "fleet/r2": "R2"}})
}

func (p *play) time() core.Time {
	return core.Time{Now: p.now, Wall: wall0 + int64(p.now.Sub(elevator.Instant(time.Hour))/time.Millisecond)}
}

// read takes the car in as it is now.
func (p *play) read() {
	for i := range p.v.Lifts {
		l := &p.v.Lifts[i]
		c := &l.Car
		c.Link = map[string]elevator.LinkState{"online": elevator.Online, "offline": elevator.Offline, "unknown": elevator.LinkUnknown}[p.car["link"]]
		if c.Link != elevator.Online {
			l.Accepting, l.Why = new(fsm.Plan).Accepting(c, p.now)
			continue
		}
		door, _ := elevator.ParseDoor(p.car["door"])
		rear, _ := elevator.ParseDoor(p.car["rear"])
		motion, _ := elevator.ParseMotion(p.car["motion"])
		mode, _ := elevator.ParseMode(p.car["mode"])
		c.Floor = elevator.Seen[elevator.Floor]{Value: l.Floors.ByLabel(p.car["floor"]), At: p.now}
		c.Motion = elevator.Seen[elevator.Motion]{Value: motion, At: p.now}
		c.Mode = elevator.Seen[elevator.Mode]{Value: mode, At: p.now}
		c.Doors[elevator.Front] = elevator.Seen[elevator.Door]{Value: door, At: p.now}
		c.Doors[elevator.Rear] = elevator.Seen[elevator.Door]{Value: rear, At: p.now}
		l.Accepting, l.Why = new(fsm.Plan).Accepting(c, p.now)
	}
}

// RB-2, SE-4: every transcript, among them what a broker kept and what is said twice.
func TestTranscripts(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txt")
	if err != nil || len(files) < 8 {
		t.Fatalf("%d transcripts, %v", len(files), err)
	}
	for _, f := range files {
		t.Run(strings.TrimSuffix(filepath.Base(f), ".txt"), func(t *testing.T) {
			raw, err := os.ReadFile(f)
			if err != nil {
				t.Fatal(err)
			}
			p := newPlay(t)
			lines := bufio.NewScanner(bytes.NewReader(raw))
			for n := 1; lines.Scan(); n++ {
				line, _, _ := strings.Cut(lines.Text(), "#")
				if words := strings.Fields(line); len(words) > 0 {
					p.line(fmt.Sprintf("%s:%d", filepath.Base(f), n), words)
				}
			}
			if p.said != "" {
				t.Errorf("at the end: %s: nothing was said of it", p.said)
			}
		})
	}
}

func (p *play) line(at string, w []string) {
	p.t.Helper()
	if p.said != "" && w[0] != "->" {
		p.t.Errorf("before %s: unexpected %s", at, p.said)
		p.said = ""
	}
	switch {
	case strings.HasPrefix(w[0], "+"):
		p.pass(at, w[0])
		p.read()
	case w[0] == "silent":
		p.pass(at, w[1])
	case w[0] == "car":
		p.pairs(at, w[1:], p.car)
		p.read()
	case w[0] == "ride":
		p.ride(at, w[1:])
	case w[0] == "gone":
		p.v.Rides = nil
		p.v.Lifts[0].Owner, p.v.Lifts[0].Robot = "", ""
	case w[0] == "say":
		p.say(at, w[1:])
	case w[0] == "due":
		p.said = orders(p.tr.Due(&p.v, p.time()))
	case w[0] == "->":
		p.expect(at, strings.Join(w[1:], " "))
	case w[0] == "lost", w[0] == "refuse":
		if w[0] == "lost" {
			p.lost = p.open.Ride
		}
		p.tr.Answered("L1", p.last, *p.open, core.Answer{Status: core.Conflict}, w[0] == "refuse")
	case w[0] == "state":
		p.state(at, w[1:])
	case w[0] == "restart":
		p.restart()
	default:
		p.t.Fatalf("%s: what is %q?", at, w[0])
	}
}

func (p *play) pass(at, by string) {
	d, err := time.ParseDuration(strings.TrimPrefix(by, "+"))
	if err != nil {
		p.t.Fatalf("%s: %v", at, err)
	}
	p.now = p.now.Add(d)
}

func (p *play) pairs(at string, words []string, into map[string]string) {
	for _, w := range words {
		k, v, ok := strings.Cut(w, "=")
		if _, known := into[k]; !ok || !known {
			p.t.Fatalf("%s: %q is not one of %v", at, w, into)
		}
		into[k] = v
	}
}

func (p *play) ride(at string, words []string) {
	if len(p.v.Rides) == 0 {
		r := fsm.Ride{State: fsm.Idle, Phase: fsm.Queued, Where: fsm.Outside}
		r.Lift = "L1"
		if p.open != nil {
			r.ID, r.Robot, r.Task, r.From = p.open.Ride, p.open.Robot, TaskPrefix+p.open.Session, table().ByLabel(p.open.Floor)
		}
		r.FromSide, r.ToSide = elevator.Front, elevator.Front
		p.v.Rides = []core.RideView{{Ride: r, Floors: table()}}
	}
	r := &p.v.Rides[0].Ride
	for _, w := range words {
		k, v, _ := strings.Cut(w, "=")
		switch k {
		case "state":
			if r.State = fsm.State(v); r.State == fsm.Fault {
				r.FaultAt = p.now
			}
		case "phase":
			r.Phase = fsm.Phase(v)
		case "where":
			r.Where = fsm.Where(v)
		case "from":
			r.From = table().ByLabel(v)
		case "to":
			r.To = table().ByLabel(v)
		case "id":
			r.ID = v
		case "robot":
			r.Robot = v
		case "task":
			r.Task = v
		case "cancel":
			r.CancelAsked = true
		case "aboard":
			r.Aboard = true
		case "way":
			r.Way, r.WayFloor, r.WaySide = fsm.LeaveAtTarget, table().ByLabel(v), elevator.Front
		case "granted":
			r.Granted, p.v.Lifts[0].Owner = true, r.ID
		case "was":
			r.PermitWas = fsm.PermitKind(v)
		case "permit":
			if r.Permit = (fsm.Permit{}); v != "none" {
				r.Permit = fsm.Permit{N: 7, Kind: fsm.PermitKind(v), Side: elevator.Front, Start: p.now.Add(2 * time.Second), Through: p.now.Add(9 * time.Second)}
				r.PermitWas = r.Permit.Kind
			}
		default:
			p.t.Fatalf("%s: what is %q of a ride?", at, k)
		}
	}
	if r.State == fsm.Done {
		p.v.Lifts[0].Owner = ""
	}
}

func (p *play) say(at string, w []string) {
	if len(w) < 3 {
		p.t.Fatalf("%s: say SESSION TYPE FLOOR", at)
	}
	r := LiftRequest{LiftName: "L1", SessionID: w[0], DestinationFloor: w[2], DoorState: DoorOpen, RequestTime: timeOf(p.time().Wall)}
	kind, known := map[string]RequestType{"end": EndSession, "agv": RequestAGV, "human": RequestHuman}[w[1]]
	if !known {
		p.t.Fatalf("%s: %q is no type", at, w[1])
	}
	r.RequestType = kind
	var from Source
	for _, o := range w[3:] {
		switch {
		case o == "closed":
			r.DoorState = DoorClosed
		case o == "kept":
			from.Kept = true
		case o == "live":
			from.Live = true
		case o == "zero":
			r.RequestTime = Time{}
		case strings.HasPrefix(o, "as="):
			from.Robot = o[3:]
		case strings.HasPrefix(o, "lift="):
			r.LiftName = o[5:]
		case strings.HasPrefix(o, "@"):
			ago, err := strconv.Atoi(o[1:])
			if err != nil {
				p.t.Fatalf("%s: %v", at, err)
			}
			r.RequestTime = timeOf(p.time().Wall - int64(ago)*1000)
		default:
			p.t.Fatalf("%s: what is %q?", at, o)
		}
	}
	v := p.tr.Hear(r, from, &p.v, p.time())
	p.last = w[0]
	switch {
	case v.Refused != nil:
		p.said = strings.TrimSpace("refused " + v.Refused.Code + " " + v.Refused.Field)
	case len(v.Orders) > 0:
		p.said = orders(v.Orders)
		if o, is := v.Orders[0].(Open); is {
			if (p.open != nil && p.open.Ride == o.Ride) != (p.lost == o.Ride) {
				p.t.Errorf("%s: ride %s after %s", at, o.Ride, p.open.Ride)
			}
			p.open, p.lost = &o, ""
		}
	default:
		p.said = strings.TrimSpace("nothing " + v.Note)
	}
}

func orders(list []Order) string {
	var out []string
	for _, o := range list {
		switch o := o.(type) {
		case Open:
			out = append(out, "open "+o.Floor+" for "+o.Robot+" "+o.Session)
		case Redirect:
			out = append(out, "redirect "+o.Floor)
		case Claim:
			out = append(out, "claim "+string(o.Says))
		case Cancel:
			out = append(out, "cancel")
		}
	}
	if len(out) == 0 {
		return "nothing"
	}
	return strings.Join(out, ", ")
}

// expect wants orders and refusals whole, and of the words of a note some.
func (p *play) expect(at, want string) {
	p.t.Helper()
	note, quiet := strings.CutPrefix(want, "nothing")
	switch {
	case quiet && strings.HasPrefix(p.said, "nothing") && strings.Contains(p.said, strings.TrimSpace(note)):
	case !quiet && p.said == want:
	default:
		p.t.Errorf("%s: got %q, want %q", at, p.said, want)
	}
	p.said = ""
}

func (p *play) state(at string, words []string) {
	p.t.Helper()
	s, ok := p.tr.State(&p.v, "L1", p.time())
	if !ok {
		p.t.Fatalf("%s: no lift", at)
	}
	got := map[string]string{
		"session": s.SessionID, "at": s.CurrentFloor, "to": s.DestinationFloor,
		"door":   []string{"closed", "moving", "open"}[s.DoorState],
		"motion": []string{"stopped", "up", "down", "unknown"}[s.MotionState],
		"mode":   []string{"unknown", "human", "agv", "fire", "offline", "emergency"}[s.CurrentMode],
	}
	for _, w := range words {
		k, v, _ := strings.Cut(w, "=")
		if g, known := got[k]; !known || g != v {
			p.t.Errorf("%s: %s is %q, want %q", at, k, g, v)
		}
	}
}
