package scenarios

import "hoistway/fsm/elevator"

// Site is a stage in virtual time.
type Site interface {
	Stage
	Now() elevator.Instant
	// Next is when something will happen by itself, 0 for never.
	Next() elevator.Instant
	// Advance lets happen all that is due up to an instant, and stands there.
	Advance(to elevator.Instant)
}

// Play drives a player on a site from now until the run is over. It looks whenever
// all that happens at one instant has happened, since what stands between two
// events of the same instant was never there for anybody to see. seen, where it is
// not nil, is called after each look: to draw, to fetch log lines, or to call
// [Player.Stop], with which the run ends in [ErrStopped].
func Play(p *Player, s Site, seen func(now elevator.Instant)) (Verdict, error) {
	s.Advance(s.Now())
	for {
		now := s.Now()
		if err := p.Look(now, s); err != nil {
			return p.Verdict(), err
		}
		if seen != nil {
			seen(now)
		}
		if p.Over(now) {
			return p.Verdict(), nil
		}
		if p.left {
			return p.Verdict(), ErrStopped
		}
		to := p.Next()
		if next := s.Next(); next != 0 && next < to {
			to = next
		}
		s.Advance(max(to, now))
	}
}
