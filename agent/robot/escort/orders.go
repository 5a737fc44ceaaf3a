package escort

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"hoistway/agent/core"
	"hoistway/agent/robot"
	"hoistway/drivers"
	"hoistway/fsm"
	"hoistway/fsm/elevator"
)

const (
	codeNoGateway = "E-5013"
	codeNotHere   = "E-2111"
	brings        = 2500 * time.Millisecond // for one signal, while somebody waits
)

// Ask carries out an order of the local API. An error means that it may have been taken.
func (e *Escort) Ask(ctx context.Context, o core.Order) (core.Answer, error) {
	switch o := o.(type) {
	case core.CreateRide:
		return e.create(ctx, o)
	case core.SendSignal:
		return e.signal(ctx, o.Ride, o.Signal)
	case core.SendHeartbeat:
		e.mu.Lock()
		ride, _ := e.present()
		e.mu.Unlock()
		return e.signal(ctx, ride, o.Signal)
	case core.CancelRide:
		return e.cancel(ctx, o.Ride)
	}
	if _, is := o.(core.FinishTask); is {
		return core.Answer{Status: core.Conflict, Code: codeNotHere, Detail: "the agent on a robot has no cloud: tell the gateway that the task is finished"}, nil
	}
	return core.Answer{Status: core.Conflict, Code: codeNotHere, Detail: "a ride is reset at the gateway, which carries it"}, nil
}

// create asks the gateway. The same id goes the way that it went before.
func (e *Escort) create(ctx context.Context, o core.CreateRide) (core.Answer, error) {
	l, spec, err := e.spec(o)
	if err != nil {
		return core.Answer{Status: core.Impossible, Code: "E-2103", Field: "lift", Detail: err.Error()}, nil
	}
	r, err := rider(l)
	if err != nil {
		return core.Answer{Status: core.Impossible, Code: "E-2115", Detail: err.Error()}, nil
	}
	known := e.knows(spec.ID)
	v, err := r.Open(ctx, spec)
	if err != nil {
		return refused(err)
	}
	e.take(l, v)
	e.mu.Lock()
	e.show()
	e.mu.Unlock()
	e.save()
	status := core.Created
	if known {
		status = core.Existing
	}
	return core.Answer{Status: status, Ride: spec.ID}, nil
}

// spec words a request for the gateway before one of the lifts that are meant.
func (e *Escort) spec(o core.CreateRide) (Lift, drivers.RideSpec, error) {
	q := o.Request
	l, err := e.choose(o)
	if err != nil {
		return l, drivers.RideSpec{}, err
	}
	from, _ := elevator.ParseSide(o.FromDoor)
	to, _ := elevator.ParseSide(o.ToDoor)
	s := drivers.RideSpec{
		ID: q.ID, Task: q.Task, Robot: e.o.Robot, From: l.Floors.ByLabel(o.From), To: l.Floors.ByLabel(o.To), FromSide: from, ToSide: to,
		Priority: q.Priority, Ready: q.Ready, Crossing: q.Crossing,
	}
	switch {
	case o.Group != "":
		s.Group = o.Group
	case o.Any:
		s.Lift = "any"
	}
	return l, s, nil
}

// choose picks the link that asks: of the ride's own lift, else of one that can be
// reached before one that cannot.
func (e *Escort) choose(o core.CreateRide) (Lift, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if r := e.mirror.Find(o.Request.ID); r != nil {
		if l, ok := e.lift(r.Via); ok {
			return l, nil
		}
	}
	var fit []Lift
	for _, l := range e.o.Lifts {
		meant := l.ID == o.Request.Lift || o.Any && o.Group == "" || o.Group != "" && o.Group == l.Group
		if meant && l.Floors.ByLabel(o.From) != 0 && l.Floors.ByLabel(o.To) != 0 {
			fit = append(fit, l)
		}
	}
	if len(fit) == 0 {
		return Lift{}, errors.New("no lift that is meant goes from there to there")
	}
	if i := slices.IndexFunc(fit, func(l Lift) bool { return e.cars[l.ID].Link == elevator.Online }); i >= 0 {
		return fit[i], nil
	}
	return fit[0], nil
}

func (e *Escort) cancel(ctx context.Context, id string) (core.Answer, error) {
	e.mu.Lock()
	r := e.mirror.Find(id)
	via := ""
	if r != nil {
		via = r.Via
	}
	e.mu.Unlock()
	l, ok := e.lift(via)
	if !ok {
		return core.Answer{Status: core.NotFound, Detail: fmt.Sprintf("no ride %q is kept here", id)}, nil
	}
	to, err := rider(l)
	if err != nil {
		return refused(err)
	}
	v, err := to.Cancel(ctx, id)
	if err != nil {
		return refused(err)
	}
	e.take(l, v)
	return core.Answer{Status: core.Accepted, Ride: id}, nil
}

// signal brings one signal to the gateway, or keeps it until the gateway answers. What
// says that the robot starts through a door is not kept: who is not heard does not start.
func (e *Escort) signal(ctx context.Context, ride string, s fsm.Signal) (core.Answer, error) {
	e.mu.Lock()
	known := e.out.Known(s.Boot, s.Seq)
	r := e.mirror.Find(ride)
	if known || ride != "" && r == nil {
		e.mu.Unlock()
		if known {
			return core.Answer{Status: core.Accepted, Ride: ride}, nil
		}
		return core.Answer{Status: core.NotFound, Detail: fmt.Sprintf("no ride %q is kept here", ride)}, nil
	}
	via := e.o.Lifts[0].ID
	lost := false
	if r != nil {
		via, lost = r.Via, r.Lost != 0 || r.Gone
	}
	said := e.sample.Fill(e.said(s, r != nil))
	starts := s.Kind == fsm.Entering || s.Kind == fsm.LeavingNow
	if starts && lost && !e.byPass(r, s.Kind) {
		e.mu.Unlock()
		return core.Answer{Status: core.Unavailable, Code: codeNoGateway, Detail: "do not start: the gateway does not answer"}, nil
	}
	if !starts || lost {
		e.mirror.Hear(ride, said, false, e.o.Now(), e.wall())
		e.show()
	}
	n := e.put(ride, via, said)
	if lost || ride == "" {
		e.out.Heard(s.Boot, s.Seq)
		e.mu.Unlock()
		return e.keep(ride, s.Kind)
	}
	done := make(chan error, 1)
	e.waits[n] = done
	e.mu.Unlock()
	return e.await(ctx, ride, s, said, n, done)
}

// byPass reports that the robot may leave without a word of the gateway.
func (e *Escort) byPass(r *robot.Ride, kind fsm.SignalKind) bool {
	_, given := r.Pass(e.o.Now())
	return given && kind == fsm.LeavingNow
}

// await settles a signal that is on its way.
func (e *Escort) await(ctx context.Context, ride string, s fsm.Signal, said drivers.RideSignal, n uint64, done chan error) (core.Answer, error) {
	err := errors.New("not yet")
	late := time.NewTimer(brings)
	defer late.Stop()
	select {
	case err = <-done:
	case <-late.C:
	case <-ctx.Done():
	}
	e.mu.Lock()
	delete(e.waits, n)
	fate := robot.FateOf(err)
	starts := s.Kind == fsm.Entering || s.Kind == fsm.LeavingNow
	if fate == robot.Again && starts {
		e.out.Take(n)
		e.mu.Unlock()
		return notStarted(err)
	}
	if fate != robot.Never {
		e.out.Heard(s.Boot, s.Seq)
	}
	if fate == robot.Told && starts {
		e.mirror.Hear(ride, said, true, e.o.Now(), e.wall())
		e.show()
	}
	e.mu.Unlock()
	switch fate {
	case robot.Told:
		return core.Answer{Status: core.Accepted, Ride: ride}, nil
	case robot.Never:
		return refused(err)
	}
	return e.keep(ride, s.Kind)
}

// notStarted refuses a start that the gateway may or may not have heard of.
func notStarted(err error) (core.Answer, error) {
	if errors.Is(err, drivers.ErrNotSent) {
		return core.Answer{Status: core.Unavailable, Code: codeNoGateway, Detail: "do not start: " + err.Error()}, nil
	}
	return core.Answer{}, fmt.Errorf("do not start: %w", err)
}

// keep makes durable what is taken and not told yet, but for signs of life. Where that
// fails it is told all the same: the robot has nobody better to tell.
func (e *Escort) keep(ride string, kind fsm.SignalKind) (core.Answer, error) {
	if kind != fsm.Heartbeat {
		_ = e.save() // it has complained
	}
	return core.Answer{Status: core.Accepted, Ride: ride}, nil
}

// said words a signal for the gateway. Without a ride its floor is of no one table.
func (e *Escort) said(s fsm.Signal, ofRide bool) drivers.RideSignal {
	at := e.o.Now() - elevator.Instant(max(s.Age, 0))
	if at == 0 {
		at = -1
	}
	out := drivers.RideSignal{
		Kind: string(s.Kind), At: at, Where: string(s.View.Where), Motion: s.View.Motion, Permit: s.Permit,
	}
	if ofRide || len(e.o.Lifts) == 1 {
		out.Floor, out.FloorSure = s.View.Floor, s.View.FloorSure
		if s.View.DoorFloor != 0 && s.View.DoorOpen != elevator.TriUnknown {
			out.Door = &drivers.SeenDoor{Floor: s.View.DoorFloor, Side: s.View.DoorSide, Open: s.View.DoorOpen == elevator.Yes}
		}
	}
	if odo := s.View.OdoM; odo != 0 {
		out.OdoM = &odo
	}
	if s.Battery >= 0 {
		battery := s.Battery
		out.Battery = &battery
	}
	return out
}

// refused carries a no of the gateway over. That this agent is not let in is no fault of
// the robot's question.
func refused(err error) (core.Answer, error) {
	var no *drivers.RideRefusal
	a := core.Answer{Status: core.Unavailable, Code: codeNoGateway, Detail: err.Error()}
	if errors.As(err, &no) && robot.FateOf(err) == robot.Never {
		a = core.Answer{Status: core.Impossible, Code: no.Code, Field: no.Field, Detail: no.Detail}
		switch {
		case errors.Is(err, drivers.ErrConflict):
			a.Status = core.Conflict
		case errors.Is(err, drivers.ErrGone):
			a.Status = core.NotFound
		}
		return a, nil
	}
	switch {
	case errors.As(err, &no) && errors.Is(err, drivers.ErrBusy):
		a.Code, a.Detail = no.Code, no.Detail
	case errors.Is(err, drivers.ErrNotSent) && errors.Is(err, drivers.ErrConfig) && no == nil:
		a.Status, a.Code = core.Impossible, "E-2115"
	case no == nil && !errors.Is(err, drivers.ErrNotSent) && !errors.Is(err, drivers.ErrProtocol), errors.Is(err, drivers.ErrTimeout):
		return core.Answer{}, err
	}
	return a, nil
}
