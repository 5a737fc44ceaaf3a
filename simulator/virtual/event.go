package virtual

import (
	"math/rand/v2"
	"time"

	"hoistway/fsm/elevator"
	"hoistway/simulator/timeline"
)

// kind says what an event is.
type kind uint8

const (
	evNone     kind = iota
	evBuilding      // something in the building is due
	evFault         // a fault is over
	evCrowd         // the crowd goes

	evOpened  // the line of lift who is open, or could not be opened
	evDevice  // the device of lift who acts on the question that has come
	evAnswer  // the answer is there, or its time is over
	evAtOnce  // evDevice, and evAnswer in the same instant
	evLine    // the line of lift who wants to go on
	evStray   // an answer that came too late for its question
	evOffline // lift who may have been silent for too long
	evRefresh // lift who is read out of turn
	evRenew   // lift who may not have been read for a while

	evStored  // a batch is stored
	evMind    // the store is looked after
	evStart   // the process starts
	evThaw    // the process goes on
	evParting // the orderly end may be over

	evTurn   // robot who takes a turn
	evBody   // robot who is through the door line
	evArrive // the call of robot who is at the agent
	evHeard  // its answer is at the robot
	evLate   // it waits no longer for the answer
	evAsk    // the wish n for a ride is at the agent

	evConnect // the agent dials the broker
	evLinkUp
	evDeaf    // the keep-alive finds a connection dead
	evToCloud // parcel n is at the broker
	evToAgent // parcel n is at the agent
	evAcked   // the broker's acknowledgement of parcel n is at the agent
)

// event is one entry of the timeline. gen is that of the process, of the line or
// of the connection that the event belongs to; what is of an older one is dropped.
type event struct {
	kind kind
	gen  uint32
	who  int32
	n    uint64
}

// agents tells the events that happen in the agent's process.
func (k kind) agents() bool {
	return k.ofProcess() && k != evStray || k == evArrive || k == evAsk
}

// ofProcess tells those that end with the process.
func (k kind) ofProcess() bool {
	switch k {
	case evOpened, evAnswer, evLine, evStray, evOffline, evRefresh, evRenew, evStored, evMind, evParting, evConnect,
		evLinkUp, evDeaf, evToAgent, evAcked:
		return true
	}
	return false
}

func (s *Site) at() elevator.Instant { return elevator.Instant(s.tl.Now()) }

// in plans an event after d.
func (s *Site) in(d time.Duration, e event) { s.tl.Plan(s.tl.Now()+int64(d), e) }

// own plans an event of the present process after d.
func (s *Site) own(d time.Duration, k kind, who int, n uint64) {
	s.in(d, event{kind: k, gen: s.agent.gen, who: int32(who), n: n})
}

// chance is the generator of one part of the site. Each part has one of its own, so
// that a change in one leaves the times of the others as they are.
type chance struct{ *rand.Rand }

func (s *Site) chance(stream, n uint64) chance {
	return chance{rand.New(rand.NewPCG(s.set.Seed, stream<<32|n))}
}

const (
	ofStore = 1 + iota
	ofLift
	ofRobot
	ofAsks
	ofCloud
)

// between draws a time.
func (c chance) between(lo, hi time.Duration) time.Duration {
	return lo + time.Duration(c.Int64N(int64(hi-lo)+1))
}

// handle does what is due.
func (s *Site) handle(e event) {
	a := &s.agent
	a.written()
	switch {
	case (e.gen != a.gen || !a.up) && e.kind.ofProcess():
		return
	case a.frozen && e.kind.agents():
		s.tl.Plan(int64(a.thaw), e) // behind the thaw itself, in the same order
		return
	}
	who := int(e.who)
	switch e.kind {
	case evBuilding:
		s.due, s.dueAt = timeline.Handle{}, 0
		s.b.Advance(s.at())
		s.moved()
	case evFault:
		s.expires, s.expireAt = timeline.Handle{}, 0
		s.play.Expire(s.at())
		s.faultsTold()
	case evCrowd:
		s.crowdGoes(e.n)
	case evOpened, evDevice, evAnswer, evAtOnce, evLine, evStray, evOffline, evRefresh, evRenew:
		s.lifts[who].happens(e)
	case evStored, evMind, evStart, evThaw, evParting:
		a.happens(e)
	case evTurn, evBody, evArrive, evHeard, evLate:
		s.robots[who].happens(e)
	case evAsk:
		s.askArrives(int(e.n))
	default:
		s.cloud.happens(e)
	}
}
