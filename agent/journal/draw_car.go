package journal

// car lays what a lift showed into the lanes of its parts; each goes on while it stays
// the same.
func (d *drawing) car(p *placed) {
	c, l := p.Car, &d.out.Lanes
	l.Floor = change(l.Floor, p, FloorSpan{p.span(), c.Floor, c.FloorS}, func(s *FloorSpan) *TimeSpan { return &s.TimeSpan },
		func(a, b FloorSpan) bool { return a.Floor == b.Floor && a.Source == b.Source })
	l.Motion = change(l.Motion, p, MotionSpan{p.span(), c.Motion}, func(s *MotionSpan) *TimeSpan { return &s.TimeSpan },
		func(a, b MotionSpan) bool { return a.Motion == b.Motion })
	l.Lift = change(l.Lift, p, LiftSpan{p.span(), c.Link, c.Mode}, func(s *LiftSpan) *TimeSpan { return &s.TimeSpan },
		func(a, b LiftSpan) bool { return a.Link == b.Link && a.Mode == b.Mode })
	for _, x := range c.Doors {
		d.door(p, x)
	}
}

func change[T any](lane []T, p *placed, next T, of func(*T) *TimeSpan, same func(a, b T) bool) []T {
	if n := len(lane); n > 0 && of(&lane[n-1]).UntilMs == nil && same(lane[n-1], next) {
		return lane
	}
	until(lane, p, of)
	return append(lane, next)
}

// door finds the last span of that side, since the sides share a lane.
func (d *drawing) door(p *placed, x doorPart) {
	l := &d.out.Lanes
	for i := len(l.Door) - 1; i >= 0; i-- {
		s := &l.Door[i]
		if s.Side != x.Side {
			continue
		}
		if s.UntilMs == nil && s.Door == x.Door && s.Source == x.Source {
			return
		}
		if s.UntilMs == nil {
			end := float64(p.ns) / 1e6
			s.UntilMs = &end
		}
		break
	}
	l.Door = append(l.Door, DoorSpan{p.span(), x.Side, x.Door, x.Source})
}
