package dispatch

import (
	"fmt"

	"hoistway/fsm"
	"hoistway/fsm/elevator"
)

// Why a lift takes no ride though its controller would.
const (
	WhyMaintenance fsm.Code = "MAINTENANCE"
	WhyStopped     fsm.Code = "STOPPED"
	WhyDrill       fsm.Code = "DRILL"
)

// ByWindow is who has ordered the maintenance of a window of the settings.
const ByWindow = "a maintenance window"

// closed says why no new lease of a lift is granted whatever its controller shows; "" when
// nothing stands against it.
func (s *Site) closed(c *car, now elevator.Instant) (fsm.Code, string) {
	if why, broken := s.shut[c.ID]; broken {
		return fsm.Invariant, why
	}
	if stop := s.stopOf(c); stop != nil {
		return WhyStopped, fmt.Sprintf("%s stopped it%s", stop.By, because(stop.Why))
	}
	if a := s.alarmOf(c); a != nil {
		return a.code(), fmt.Sprintf("%s in area %s, raised by %s", a.words(), c.Area, a.Source)
	}
	if m := s.maintenanceOf(c, now); m != nil {
		until := ""
		if m.Until != 0 {
			until = fmt.Sprintf(" for another %s", inSteps(m.Until.Until(now)))
		}
		return WhyMaintenance, "lift " + c.ID + " is in maintenance" + until + because(m.Why)
	}
	return "", ""
}

func because(why string) string {
	if why == "" {
		return ""
	}
	return ": " + why
}

// stopOf is the stop of a lift, or of all lifts; one on site before one of the cloud.
func (s *Site) stopOf(c *car) *Stopped {
	for _, o := range s.standing.sides() {
		if o.All != nil {
			return o.All
		}
		if stop, ok := o.Stops[c.ID]; ok {
			return &stop
		}
	}
	return nil
}

// maintenanceOf is the maintenance of a lift, nil when its time is over. What is ordered
// goes before a window.
func (s *Site) maintenanceOf(c *car, now elevator.Instant) *Maintenance {
	for _, o := range s.standing.sides() {
		if m, ok := o.Maintenance[c.ID]; ok && !m.Until.Reached(now) {
			return &m
		}
	}
	if s.window != 0 && !s.window.Reached(now) {
		return &Maintenance{Until: s.window, By: ByWindow}
	}
	return nil
}

// alarmOf is the gravest alarm of the area of a lift: a real one before a drill, fire
// before seismic.
func (s *Site) alarmOf(c *car) *AreaAlarm {
	var worst *AreaAlarm
	for i := range s.standing.Areas[c.Area] {
		a := &s.standing.Areas[c.Area][i]
		if worst == nil || worst.Drill && !a.Drill || worst.Drill == a.Drill && a.Kind == AreaFire {
			worst = a
		}
	}
	return worst
}

func (a *AreaAlarm) code() fsm.Code {
	switch {
	case a.Drill:
		return WhyDrill
	case a.Kind == AreaFire:
		return fsm.ModeFire
	}
	return fsm.ModeSeismic
}

func (a *AreaAlarm) words() string {
	if a.Drill {
		return string(a.Kind) + " drill"
	}
	return string(a.Kind) + " alarm"
}

// overlay puts a real alarm of the area over the mode that a lift shows: to its rides it is
// the mode itself. What the controller shows is kept beside it.
func (s *Site) overlay(c *car, now elevator.Instant) {
	c.seen.Car.Mode = c.mode
	a := s.alarmOf(c)
	if a == nil || a.Drill {
		return
	}
	over := elevator.Fire
	if a.Kind == AreaSeismic {
		over = elevator.Seismic
	}
	m := c.mode.Value
	if m.Recalls() || m == over || over == elevator.Seismic && m == elevator.EmergencyStop {
		return
	}
	c.seen.Car.Mode = elevator.Seen[elevator.Mode]{Value: over, At: now, Source: c.mode.Source}
}
