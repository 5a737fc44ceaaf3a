package rmf

import (
	"testing"
	"time"

	"hoistway/agent/core"
	"hoistway/fsm"
	"hoistway/fsm/elevator"
)

// RB-2, IL-8: every mode that a controller can be in, and what stands over a lift, in the few modes that a fleet knows.
func TestModes(t *testing.T) {
	now := elevator.Instant(time.Hour)
	ride := &fsm.Ride{Granted: true, Where: fsm.Inside}
	waits := &fsm.Ride{Granted: true, Where: fsm.Outside}
	fire := &core.AreaAlarm{Kind: core.AreaFire}
	for name, c := range map[string]struct {
		mode elevator.Mode
		edit func(*core.LiftView)
		ride *fsm.Ride
		want Mode
	}{
		"nobody":                 {elevator.Normal, nil, nil, ModeHuman},
		"a robot's":              {elevator.Normal, nil, ride, ModeAGV},
		"homing":                 {elevator.Homing, nil, ride, ModeAGV},
		"firefighter":            {elevator.Firefighter, nil, ride, ModeFire},
		"cabinet recall":         {elevator.CabinetRecall, nil, nil, ModeFire},
		"emergency power":        {elevator.EmergencyPower, nil, ride, ModeOffline},
		"attendant":              {elevator.Attendant, nil, ride, ModeHuman},
		"vip":                    {elevator.Vip, nil, ride, ModeHuman},
		"evacuation":             {elevator.OccupantEvacuation, nil, ride, ModeHuman},
		"not known":              {elevator.ModeUnknown, nil, ride, ModeUnknown},
		"fire in the area":       {elevator.Normal, func(l *core.LiftView) { l.AreaAlarm = fire }, ride, ModeFire},
		"fire, and silent":       {elevator.Normal, func(l *core.LiftView) { l.AreaAlarm, l.Car.Link = fire, elevator.Offline }, ride, ModeFire},
		"an earthquake":          {elevator.Normal, func(l *core.LiftView) { l.AreaAlarm = &core.AreaAlarm{Kind: core.AreaSeismic} }, nil, ModeEmergency},
		"a drill":                {elevator.Normal, func(l *core.LiftView) { l.AreaAlarm = &core.AreaAlarm{Kind: core.AreaFire, Drill: true} }, ride, ModeAGV},
		"maintenance":            {elevator.Normal, func(l *core.LiftView) { l.Maintenance = &core.Maintenance{} }, waits, ModeOffline},
		"maintenance, free":      {elevator.Normal, func(l *core.LiftView) { l.Maintenance = &core.Maintenance{} }, nil, ModeOffline},
		"stopped, a robot in it": {elevator.Normal, func(l *core.LiftView) { l.Stopped = &core.Stopped{} }, ride, ModeAGV},
	} {
		l := core.LiftView{Car: elevator.Snapshot{Link: elevator.Online}}
		l.Car.Mode = elevator.Seen[elevator.Mode]{Value: c.mode, At: now}
		l.Car.Floor = elevator.Seen[elevator.Floor]{Value: 1, At: now}
		if c.edit != nil {
			c.edit(&l)
		}
		if got := modeOf(&l, holder{ride: c.ride}, now); got != c.want {
			t.Errorf("%s: %d, want %d", name, got, c.want)
		}
	}
}
