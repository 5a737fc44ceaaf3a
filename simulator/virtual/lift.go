package virtual

import (
	"time"

	"hoistway/drivers/fieldbus/schedule"
	"hoistway/fsm"
	"hoistway/fsm/elevator"
	"hoistway/simulator/building"
	"hoistway/simulator/scenarios"
)

// lift is one lift: its controller, the wire to it, and the agent's end of that.
type lift struct {
	s     *Site
	n     int
	id    string
	rtu   bool
	rng   chance
	table elevator.Table
	area  string
	kind  wants

	answered string // what the last order about it or its area came to

	shown building.CarState // as last logged
	asked asked
	heard traffic

	stages    [1]schedule.Stage // of every command of the bench map: one write, nothing owed
	polls     [1]schedule.Poll
	questions []question // on the wire or at the device, oldest first
	number    uint64     // of the last question

	has  *fsm.Ride // see sort
	free bool

	link link // of the present process
}

// asked counts what the controller was asked and did not refuse.
type asked struct{ landing, car, hold, cancel, claim, back int }

// traffic is what passed on the wire.
type traffic struct {
	asked, answered, spoiled, wrote uint64
	last                            string
}

func newLift(s *Site, n int, c Lift) *lift {
	car := s.set.car(c.ID)
	return &lift{s: s, n: n, id: c.ID, rtu: c.Wire == RTU, rng: s.chance(ofLift, uint64(n)), area: areaOf(c), kind: wants{Kind: c.Kind}, table: car.Table(), shown: s.b.Car(c.ID)}
}

func areaOf(c Lift) string {
	if c.Area == "" {
		return scenarios.House
	}
	return c.Area
}

func (s *Site) lift(id string) *lift {
	for _, l := range s.lifts {
		if l.id == id {
			return l
		}
	}
	return nil
}

// What a transaction takes, from the decision to send until the answer is whole.
// At 9600 baud a character takes 1.15 ms; a read is 8 characters out and 33 back,
// a write 8 and 8.
const (
	tcpLow, tcpHigh           = 4 * time.Millisecond, 6 * time.Millisecond
	rtuReadLow, rtuReadHigh   = 45 * time.Millisecond, 50 * time.Millisecond
	rtuWriteLow, rtuWriteHigh = 20 * time.Millisecond, 25 * time.Millisecond

	tcpTimeout      = time.Second
	rtuTimeout      = 500 * time.Millisecond
	rtuReadExtra    = 47 * time.Millisecond // the time of the bytes themselves
	rtuWriteExtra   = 18 * time.Millisecond
	tcpOpen         = 3 * time.Millisecond
	rtuOpen         = time.Millisecond
	splitPause      = 20 * time.Millisecond
	unit            = 1
	offlineAfter    = 5 * time.Second
	gridOfRefreshes = 200 * time.Millisecond
)

// takes draws the time of one transaction.
func (l *lift) takes(write bool) time.Duration {
	switch {
	case !l.rtu:
		return l.rng.between(tcpLow, tcpHigh)
	case write:
		return l.rng.between(rtuWriteLow, rtuWriteHigh)
	}
	return l.rng.between(rtuReadLow, rtuReadHigh)
}

// patience is how long the master waits for the whole answer.
func (l *lift) patience(write bool) time.Duration {
	switch {
	case !l.rtu:
		return tcpTimeout
	case write:
		return rtuTimeout + rtuWriteExtra
	}
	return rtuTimeout + rtuReadExtra
}

func (l *lift) happens(e event) {
	switch e.kind {
	case evDevice:
		l.deviceActs(e.n)
	case evAtOnce:
		l.deviceActs(e.n)
		e.kind = evAnswer // which may be for a process that is gone, or stands still
		l.s.handle(e)
	case evAnswer:
		l.link.answer(e.n)
	case evStray:
		l.link.stray(e.n)
	case evOpened:
		l.link.opened()
	case evLine:
		l.link.goesOn()
	case evOffline:
		l.link.offline()
	case evRefresh:
		l.link.refresh()
	case evRenew:
		l.link.renew()
	}
}
