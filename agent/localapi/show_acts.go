package localapi

import (
	"time"

	"hoistway/agent/core"
	"hoistway/fsm/elevator"
)

const second = "2006-01-02T15:04:05Z07:00"

// wallAt is the time for people at which an instant is, to the second.
func (s *Server) wallAt(i, now elevator.Instant) string {
	return s.o.Wall().Add(i.Sub(now)).Round(time.Second).UTC().Format(second)
}

func (s *Server) showMaintenance(m *core.Maintenance, now elevator.Instant) *Maintenance {
	if m == nil {
		return nil
	}
	shown := &Maintenance{By: m.By, Why: m.Why, Since: s.wallAt(m.Since, now)}
	if m.Until != 0 {
		until := s.wallAt(m.Until, now)
		shown.Until = &until
	}
	return shown
}

func (s *Server) showStopped(x *core.Stopped, now elevator.Instant) *Stopped {
	if x == nil {
		return nil
	}
	return &Stopped{By: x.By, Why: x.Why, Since: s.wallAt(x.Since, now)}
}

func (s *Server) showAlarm(a *core.AreaAlarm, now elevator.Instant) *AreaAlarm {
	if a == nil {
		return nil
	}
	return &AreaAlarm{Kind: string(a.Kind), Drill: a.Drill, Latched: a.Latched, Since: s.wallAt(a.Since, now), Source: a.Source}
}
