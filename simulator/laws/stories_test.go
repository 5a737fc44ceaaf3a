package laws

import (
	"time"

	"hoistway/agent/core"
	"hoistway/fsm"
	"hoistway/fsm/elevator"
)

type tale struct{ keeps, breaks func(*story) }

// stories has for each law one story that keeps it and one that breaks it.
func stories() map[Law]tale {
	all := map[Law]tale{}
	for _, some := range []map[Law]tale{leaseStories(), doorStories(), commandStories(), holdStories(), stateStories(), seenStories()} {
		for law, t := range some {
			all[law] = t
		}
	}
	return all
}

func leaseStories() map[Law]tale {
	second := func(lift string) func(*story) {
		return func(s *story) {
			s.waits()
			b := s.other("B", "Q", lift)
			b.Granted = true
			s.show(b)
		}
	}
	return map[Law]tale{
		OneOwner: {second("L2"), second("L1")},
		LeaseToEnter: {
			func(s *story) { s.boards(); s.goesIn() },
			func(s *story) { s.boards(); s.r.Granted = false; s.show(); s.goesIn() },
		},
		OneRobot: {
			func(s *story) {
				s.boards()
				s.Robot("Q", Place{Where: InCar, Lift: "L2"}, s.now)
				s.goesIn()
			},
			func(s *story) {
				s.boards()
				s.Robot("Q", Place{Where: InCar, Lift: "L1"}, s.now)
				s.goesIn()
			},
		},
		LeaseKept: {
			func(s *story) { s.waits(); s.r.Granted = false; s.show() },
			func(s *story) { s.boards(); s.r.Granted = false; s.show() },
		},
		NotLeftBehind: {
			func(s *story) { s.ends() },
			func(s *story) {
				s.arrives()
				s.says(fsm.Left)
				s.r.Where, s.r.Permit = fsm.Outside, fsm.Permit{}
				s.to(fsm.Arrived, fsm.Done)
				s.show()
			},
		},
		NotForgotten: {
			func(s *story) { s.ends(); s.Begin(); s.End(s.now) },
			func(s *story) { s.waits(); s.Begin(); s.End(s.now) },
		},
		Bounded: {
			func(s *story) { s.show(s.other("B", "Q", "L1"), s.other("C", "P", "L1")) },
			func(s *story) { s.show(s.other("B", "Q", "L1"), s.other("C", "P", "L1"), s.other("D", "O", "L1")) },
		},
		Ends: {
			func(s *story) {
				s.Troubles(1, s.now)
				s.waits()
				s.after(2 * time.Hour)
				s.Passed(s.now)
				s.Troubles(0, s.now)
				s.after(59 * time.Minute)
				s.Passed(s.now)
			},
			func(s *story) {
				s.Troubles(1, s.now)
				s.waits()
				s.Troubles(0, s.now)
				s.after(61 * time.Minute)
				s.Passed(s.now)
			},
		},
	}
}

func doorStories() map[Law]tale {
	known := func(spoil func(*story)) func(*story) {
		return func(s *story) {
			s.waits()
			s.stands(2, elevator.DoorOpen)
			spoil(s)
			s.r.Phase, s.r.Where = fsm.Boarding, fsm.Unknown
			s.permit(fsm.Enter, 2)
			s.show()
		}
	}
	exits := func(age time.Duration) func(*story) {
		return func(s *story) {
			s.rides()
			s.stands(3, elevator.DoorOpen)
			s.after(age)
			s.r.Way, s.r.WayFloor, s.r.WaySide = fsm.LeaveAtTarget, 3, elevator.Front
			s.to(fsm.Leaving, fsm.Exiting)
			s.show()
		}
	}
	truth := func(shut time.Duration) func(*story) {
		return func(s *story) {
			s.boards()
			s.truly(2, elevator.DoorClosing)
			s.after(shut)
			s.permit(fsm.Enter, 2)
			s.given(fsm.Enter)
			s.goesIn()
		}
	}
	return map[Law]tale{
		PermitToCross: {
			func(s *story) { s.boards(); s.after(2 * time.Second); s.goesIn() },
			func(s *story) { s.boards(); s.after(2*time.Second + 1); s.goesIn() },
		},
		TrueDoor:    {truth(3 * time.Second), truth(3*time.Second + 1)},
		KnownPermit: {known(func(*story) {}), known(func(s *story) { s.car.Nudging.Value = elevator.TriUnknown; s.read() })},
		ExitSeen:    {exits(time.Second), exits(time.Second + 1)},
	}
}

// given makes ride A hold a permit as of now, past the law about what is seen.
func (s *story) given(k fsm.PermitKind) {
	s.known("A").given = permit{kind: k, floor: s.r.Permit.Floor, side: s.r.Permit.Side, until: s.r.Permit.Start}
}

func commandStories() map[Law]tale {
	again := func(between func(*story)) func(*story) {
		return func(s *story) {
			s.waits()
			s.asks(s.command(elevator.LandingCall))
			s.after(5 * time.Second)
			between(s)
			s.asks(s.command(elevator.LandingCall))
		}
	}
	late := func(d time.Duration) func(*story) {
		return func(s *story) {
			s.waits()
			c := s.command(elevator.LandingCall)
			s.asks(c)
			s.after(d)
			s.writes(c)
		}
	}
	mode := func(m elevator.Mode, v elevator.Verb) func(*story) {
		return func(s *story) {
			s.waits()
			s.car.Mode.Value = m
			s.read()
			s.asks(s.command(v))
		}
	}
	other := func(answer func(*story, elevator.Command)) func(*story) {
		return func(s *story) {
			s.rides()
			c := s.command(elevator.CarCall)
			c.Floor = 3
			s.asks(c)
			answer(s, c)
			s.asks(s.command(elevator.CarCall))
		}
	}
	return map[Law]tale{
		NoClosing: {
			func(s *story) { s.waits(); s.asks(s.command(elevator.Lapse)); s.show() },
			func(s *story) { s.boards(); s.asks(s.command(elevator.Lapse)); s.show() },
		},
		LastGate: {
			func(s *story) {
				s.step(core.Tick{}, core.Line{Msg: "illegal transition refused: reset in IDLE", Ride: "A"})
			},
			func(s *story) {
				s.step(core.Tick{}, core.Line{Msg: "illegal transition refused: lapse in WAITING", Ride: "A"})
			},
		},
		OwnInvariants: {
			func(s *story) {
				s.step(core.Tick{}, core.Line{Msg: "the store fails", Attrs: []string{"code", "E-4002"}})
			},
			func(s *story) {
				s.step(core.Tick{}, core.Line{Msg: "broken", Lift: "L1", Ride: "A", Attrs: []string{"code", "E-5026", "invariant", "acts-once"}})
			},
		},
		ActsOnce: {
			func(s *story) {
				s.writes(s.command(elevator.Hold))
				s.Restarted(s.now)
				s.writes(s.command(elevator.Hold))
			},
			func(s *story) {
				c := s.command(elevator.Hold)
				s.writes(c)
				s.Restarted(s.now)
				s.writes(c)
			},
		},
		OneLiveCall: {
			other(func(s *story, c elevator.Command) {
				s.step(core.Answered{Outcome: elevator.Outcome{ID: c.ID, Result: elevator.Done}})
			}),
			other(func(*story, elevator.Command) {}),
		},
		PressOnce: {
			again(func(s *story) { s.stands(1, elevator.DoorClosed) }),
			again(func(s *story) {
				s.car.UpCalls.Value = elevator.FloorSet(0).With(2)
				s.stands(1, elevator.DoorClosed)
			}),
		},
		InTime:   {late(3*time.Second - 1), late(3 * time.Second)},
		HandsOff: {mode(elevator.Seismic, elevator.CancelCall), mode(elevator.Seismic, elevator.LandingCall)},
	}
}

func holdStories() map[Law]tale {
	one := func(d time.Duration) func(*story) {
		return func(s *story) {
			s.boards()
			c := s.command(elevator.Hold)
			c.Until = s.now.Add(d)
			s.asks(c)
		}
	}
	many := func(n int) func(*story) {
		return func(s *story) {
			s.boards()
			for range n {
				c := s.command(elevator.Hold)
				c.Until = s.now.Add(10 * time.Second)
				s.asks(c)
				s.after(10 * time.Second)
			}
		}
	}
	return map[Law]tale{
		HoldEnds: {one(30 * time.Second), one(30*time.Second + 1)},
		// 60 s, the grace hold of 30 s, and one of 10 s + 2 × 0.2 s + 1 s.
		HoldCap: {many(10), many(11)},
	}
}

func stateStories() map[Law]tale {
	reset := func(s *story, ride string) {
		s.step(core.Ordered{Order: core.ResetRide{Ride: ride, RobotIs: fsm.RobotOutside}}, move("A", fsm.FaultLocked, fsm.Done))
		s.r.State, s.r.Phase, s.r.Latched = fsm.Done, fsm.FailedEnd, false
		s.show()
	}
	unlatch := func(s *story, ride string) {
		s.waits()
		s.r.Latched = true
		s.to(fsm.Recovering, fsm.Fault)
		s.show()
		s.step(core.Ordered{Order: core.ResetRide{Ride: ride, RobotIs: fsm.RobotInside}})
		s.r.Latched = false
		s.show()
	}
	return map[Law]tale{
		LockedStays:  {func(s *story) { s.locks(); reset(s, "A") }, func(s *story) { s.locks(); reset(s, "B") }},
		LatchedStays: {func(s *story) { unlatch(s, "A") }, func(s *story) { unlatch(s, "B") }},
		Diagram: {
			func(s *story) { s.waits(); s.to(fsm.Recovering, fsm.Fault, fsm.Fault, fsm.Requesting) },
			func(s *story) { s.waits(); s.to(fsm.Calling, fsm.Requesting) },
		},
		WhereByReport: {
			func(s *story) { s.boards(); s.says(fsm.GaveUpEntering); s.r.Where = fsm.Outside; s.show() },
			func(s *story) { s.boards(); s.step(core.Tick{}); s.r.Where = fsm.Outside; s.show() },
		},
		ReportHeld: {
			func(s *story) { s.waits(); s.Reported("L1", "WAITING", s.now); s.Reported("L1", "IDLE", s.now) },
			func(s *story) { s.waits(); s.Reported("L1", "MOVING", s.now) },
		},
	}
}

func seenStories() map[Law]tale {
	shut := func(age time.Duration) func(*story) {
		return func(s *story) {
			s.truly(2, elevator.DoorOpening)
			s.after(age)
			s.seeCar(2, elevator.DoorClosed)
		}
	}
	return map[Law]tale{
		SeenHeld: {shut(2 * time.Second), shut(2*time.Second + 1)},
		NoOlder: {
			func(s *story) { s.read() },
			func(s *story) { s.now -= sec; s.read() },
		},
	}
}
