package virtual

import (
	"fmt"

	"hoistway/fsm"
	"hoistway/fsm/elevator"
	"hoistway/simulator/building"
	"hoistway/simulator/faults"
	"hoistway/simulator/laws"
	"hoistway/simulator/scenarios"
	"hoistway/simulator/timeline"
)

var (
	_ scenarios.Stage   = (*Site)(nil)
	_ scenarios.Striker = (*Site)(nil)
)

// Site is a whole site. It starts at instant 0, with the agent about to start.
type Site struct {
	set    Setup
	tl     timeline.Timeline[event]
	ways   chance // of the wishes for rides
	b      *building.Building
	play   faults.Player
	lifts  []*lift
	robots []*robot
	agent  agent
	store  store
	cloud  cloud

	due       timeline.Handle // of the building
	dueAt     elevator.Instant
	expires   timeline.Handle // of a fault
	expireAt  elevator.Instant
	faultNews []faults.Event
	unstruck  []faults.Fault
	troubled  int   // faults that are on
	faulty    bool  // a fault of this player is on
	jump      int64 // of the wall clock, ms
	crowd     uint64

	watch     *laws.Watch
	rideWaits []int64

	asks    []ask
	errands []errand
	rides   []rideKnown
	overs   []Over
	journal journal
}

// New builds a site, or says all that is wrong with its description.
func New(c Setup) (*Site, error) {
	if err := c.check(); err != nil {
		return nil, err
	}
	if c.Params == (fsm.Params{}) {
		c.Params = fsm.DefaultParams()
	}
	b, err := building.New(c.Building)
	if err != nil {
		return nil, fmt.Errorf("site: %w", err)
	}
	s := &Site{set: c, b: b}
	s.ways = s.chance(ofAsks, 0)
	s.watch = laws.New(laws.Config{Lifts: b.IDs(), Levels: c.levels()})
	for i, l := range c.Lifts {
		s.lifts = append(s.lifts, newLift(s, i, l))
	}
	for i, r := range c.Robots {
		s.robots = append(s.robots, newRobot(s, i, r))
	}
	s.cloud.init(s)
	s.agent.s, s.agent.rng = s, s.chance(ofStore, 0)
	s.moved()
	s.in(0, event{kind: evStart})
	for _, r := range s.robots {
		r.wakeIn(r.rng.between(0, turnLong))
	}
	return s, nil
}

// Now is the instant of the last event, or of a later Advance.
func (s *Site) Now() elevator.Instant { return s.at() }

// Next is the instant of the next thing that will happen by itself, 0 for none.
func (s *Site) Next() elevator.Instant {
	at, ok := s.tl.Next()
	if rings := s.agent.rings(); rings != 0 && (!ok || int64(rings) < at) {
		return rings
	}
	return elevator.Instant(at)
}

// Step lets exactly one event happen; false when none waits. The alarm of the core comes
// after all else of its instant.
func (s *Site) Step() bool {
	at, ok := s.tl.Next()
	switch rings := s.agent.rings(); {
	case rings != 0 && (!ok || int64(rings) < at):
		s.tl.Skip(int64(rings))
		s.agent.written()
		s.agent.tick()
	case ok:
		_, e, _ := s.tl.Take()
		s.handle(e)
	default:
		return false
	}
	s.agent.pump()
	s.watch.Passed(s.at())
	return true
}

// Advance lets happen all that is due up to the instant to, and stands there.
func (s *Site) Advance(to elevator.Instant) {
	for {
		at := s.Next()
		if at == 0 && s.tl.Len() == 0 || at > to {
			break
		}
		s.Step()
	}
	s.tl.Skip(int64(to))
}
