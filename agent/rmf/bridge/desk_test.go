package bridge

import (
	"context"
	"encoding/json"
	"errors"
	"sync"
	"testing"
	"time"

	"hoistway/agent/core"
	"hoistway/agent/rmf"
	"hoistway/fsm"
	"hoistway/fsm/elevator"
	"hoistway/sync/shadow"
)

// loop stands in for the ride loop: it makes and ends rides as they are ordered, at once.
type loop struct {
	mu     sync.Mutex
	now    func() elevator.Instant
	view   core.View
	asked  []rmf.Order
	answer func(rmf.Order) (core.Answer, error) // nil: taken
	told   func()                               // a new view
}

func floors() elevator.Table {
	front := []elevator.Side{elevator.Front}
	return elevator.Table{{Label: "B1", Wire: 1, Doors: front}, {Label: "G", Wire: 2, Doors: front}, {Label: "1", Wire: 3, Doors: front}}
}

func newLoop(now func() elevator.Instant) *loop {
	l := &loop{now: now, told: func() {}}
	l.view.Lifts = []core.LiftView{{ID: "L1", Floors: floors(), Accepting: true}, {ID: "L2", Floors: floors(), Accepting: true}}
	l.edit(func(v *core.View) {})
	return l
}

func (l *loop) View() *core.View {
	l.mu.Lock()
	defer l.mu.Unlock()
	v := l.view
	v.Lifts = append([]core.LiftView(nil), v.Lifts...)
	v.Rides = append([]core.RideView(nil), v.Rides...)
	for i := range v.Lifts { // heard at every look
		c, at := &v.Lifts[i].Car, l.now()
		c.Link = elevator.Online
		c.Floor.At, c.Motion.At, c.Mode.At, c.Doors[elevator.Front].At = at, at, at, at
	}
	return &v
}

func (l *loop) edit(change func(*core.View)) {
	l.mu.Lock()
	for i := range l.view.Lifts {
		c := &l.view.Lifts[i].Car
		if c.Floor.Value == 0 {
			c.Floor.Value, c.Motion.Value, c.Mode.Value = 2, elevator.Stopped, elevator.Normal
			c.Doors[elevator.Front].Value = elevator.DoorClosed
		}
	}
	change(&l.view)
	l.mu.Unlock()
	l.told()
}

func (l *loop) Do(_ context.Context, o rmf.Order) (core.Answer, error) {
	l.mu.Lock()
	l.asked = append(l.asked, o)
	answer := l.answer
	l.mu.Unlock()
	if answer != nil {
		return answer(o)
	}
	switch o := o.(type) {
	case rmf.Open:
		l.edit(func(v *core.View) {
			r := fsm.Ride{State: fsm.Idle, Phase: fsm.Queued, Where: fsm.Outside}
			r.ID, r.Task, r.Robot, r.Lift, r.From = o.Ride, rmf.TaskPrefix+o.Session, o.Robot, o.Lift, floors().ByLabel(o.Floor)
			v.Rides = append(v.Rides, core.RideView{Ride: r, Floors: floors()})
		})
		return core.Answer{Status: core.Created, Ride: o.Ride}, nil
	case rmf.Cancel:
		l.edit(func(v *core.View) {
			for i := range v.Rides {
				if v.Rides[i].Ride.ID == o.Ride {
					v.Rides[i].Ride.State = fsm.Done
				}
			}
		})
	}
	return core.Answer{Status: core.Accepted}, nil
}

func (l *loop) orders() []rmf.Order {
	l.mu.Lock()
	defer l.mu.Unlock()
	return append([]rmf.Order(nil), l.asked...)
}

// wire stands in for the broker's connection.
type wire struct {
	events chan shadow.LinkEvent
	mu     sync.Mutex
	sent   []shadow.Message
	down   bool
}

func newWire() *wire { return &wire{events: make(chan shadow.LinkEvent, 8)} }

func (w *wire) Events() <-chan shadow.LinkEvent { return w.events }

func (w *wire) Publish(_ context.Context, m shadow.Message) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.down {
		return errors.New("down")
	}
	w.sent = append(w.sent, m)
	return nil
}

// take gives what was sent since the last take, of one lift.
func (w *wire) take(t *testing.T, lift string) (out []rmf.LiftState) {
	t.Helper()
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, m := range w.sent {
		if m.Retain || m.QoS != 0 {
			t.Errorf("%s: retained %v, QoS %d", m.Topic, m.Retain, m.QoS)
		}
		var s rmf.LiftState
		if err := json.Unmarshal(m.Payload, &s); err != nil {
			t.Fatal(err)
		}
		if m.Topic != "site/rmf/lifts/"+s.LiftName+"/state" {
			t.Errorf("%s on %s", s.LiftName, m.Topic)
		}
		if s.LiftName == lift {
			out = append(out, s)
		}
	}
	w.sent = nil
	return out
}

func (w *wire) up() { w.events <- shadow.LinkEvent{Kind: shadow.LinkUp} }

func (w *wire) say(lift, payload string, kept bool) {
	w.events <- shadow.LinkEvent{Kind: shadow.LinkMessage, Message: shadow.Message{
		Topic: "site/rmf/lifts/" + lift + "/request", Payload: []byte(payload), Retain: kept,
	}}
}

// requestAt is a request as a fleet says it at that moment.
func requestAt(at time.Time, session string, kind rmf.RequestType, floor string) string {
	raw, _ := json.Marshal(rmf.LiftRequest{
		LiftName: "L1", RequestTime: rmf.Time{Sec: int32(at.Unix()), Nanosec: uint32(at.Nanosecond())},
		SessionID: session, RequestType: kind, DestinationFloor: floor, DoorState: rmf.DoorOpen,
	})
	return string(raw)
}

func (w *wire) turn(down bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.down = down
}

func (l *loop) answers(f func(rmf.Order) (core.Answer, error)) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.answer = f
}
