package building

import (
	"time"

	"hoistway/fsm/elevator"
	"hoistway/simulator/faults"

	"pgregory.net/rapid"
)

// deed is one drawn act at an instant.
type deed struct {
	at   elevator.Instant
	kind int
	car  string
	fl   elevator.Floor
	n    int
	side elevator.Side
	on   bool
}

const (
	deedUp = iota
	deedDown
	deedCar
	deedHold
	deedCancelLanding
	deedCancelCar
	deedObstruct
	deedLoad
	deedLock
	deedStick
	deedHall
	deedButton
	deedMode // the rest needs a brake or a mechanic
	deedService
	deedFault
	deedClear
	deedKinds
)

// do carries the deed out. Refusals are part of the game.
func (d deed) do(b *Building) error {
	switch d.kind {
	case deedUp:
		return b.LandingCall(d.car, d.fl, elevator.Up)
	case deedDown:
		return b.LandingCall(d.car, d.fl, elevator.Down)
	case deedCar:
		return b.CarCall(d.car, d.fl)
	case deedHold:
		return b.Hold(d.car, d.side, d.n%(MaxHold+2))
	case deedCancelLanding:
		return b.CancelLanding(d.car, d.fl)
	case deedCancelCar:
		return b.CancelCar(d.car, d.fl)
	case deedObstruct:
		return b.Obstruct(d.car, d.side, d.on)
	case deedLoad:
		return b.SetLoad(d.car, d.n*10)
	case deedLock:
		return b.LockFloor(d.car, d.fl, d.on)
	case deedStick:
		return b.StickDoor(d.car, d.side, d.on)
	case deedHall:
		if d.on {
			_, err := b.DestinationCall("g", label(d.fl), label(elevator.Floor(d.n%7)))
			return err
		}
		return b.HallCall("g", label(d.fl), elevator.Direction(1+d.n%2))
	case deedButton:
		return b.OpenButton(d.car, d.on)
	case deedService:
		switch d.n % 3 {
		case 0:
			return b.SetFirefighter(d.car, d.on)
		case 1:
			return b.SetEmergencyPower(d.car, d.on)
		}
		return b.SetPower(d.car, d.on)
	case deedFault:
		return b.Inject(d.fault())
	case deedClear:
		b.Clear(d.car, "")
		return nil
	default:
		return b.SetMode(d.car, elevator.Mode(1+d.n%7))
	}
}

func label(f elevator.Floor) string {
	if f == 0 || f > 5 {
		return "?"
	}
	return Bench().Cars[0].Landings[f-1].Label
}

// fault is one of a controller's, at every other meeting where it meets anything.
func (d deed) fault() faults.Fault {
	var kinds []faults.Kind
	for _, k := range faults.Catalogue() {
		if k.Family == faults.Controller {
			kinds = append(kinds, k)
		}
	}
	k := kinds[d.n%len(kinds)]
	f := faults.Fault{Kind: k.Name, Target: d.car, Seed: uint64(d.n)}
	if k.Takes == faults.Landing {
		f.Arg = label(1 + d.fl%5)
	}
	if k.Meets != "" {
		f.Chance = 50
	}
	if d.on {
		f.For = time.Duration(d.n+1) * 1_234_567_890
	}
	return f
}

// drawDeeds draws a script of the kinds below upTo, in order of time.
func drawDeeds(t *rapid.T, upTo int) []deed {
	n := rapid.IntRange(1, 25).Draw(t, "deeds")
	list := make([]deed, n)
	at := elevator.Instant(0)
	for i := range list {
		// Often at once, often in mid-flight, at odd nanoseconds.
		at += elevator.Instant(rapid.Int64Range(0, 7_000_000_001).Draw(t, "wait"))
		list[i] = deed{
			at:   at,
			kind: rapid.IntRange(0, upTo-1).Draw(t, "kind"),
			car:  rapid.SampledFrom([]string{"L1", "L2"}).Draw(t, "car"),
			fl:   elevator.Floor(rapid.IntRange(0, 6).Draw(t, "floor")),
			n:    rapid.IntRange(0, 90).Draw(t, "n"),
			side: rapid.SampledFrom([]elevator.Side{elevator.Front, elevator.Rear}).Draw(t, "side"),
			on:   rapid.Bool().Draw(t, "on"),
		}
	}
	return list
}
