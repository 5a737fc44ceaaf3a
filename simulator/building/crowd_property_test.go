package building

import (
	"testing"
	"time"

	"hoistway/fsm/elevator"

	"pgregory.net/rapid"
)

// crowded lets people come in about half of the cases, to all the buildings alike.
func crowded(t *rapid.T, all ...*Building) {
	if !rapid.Bool().Draw(t, "people") {
		return
	}
	traffic := Traffic{
		Seed: rapid.Uint64().Draw(t, "seed"), Rate: rapid.Float64Range(0.02, 1).Draw(t, "rate"),
		Batch: rapid.Float64Range(1, 4).Draw(t, "batch"), Mix: Mix{In: 40, Out: 40, Between: 20},
		Entrance: "G", Transfer: time.Duration(rapid.IntRange(0, 3000).Draw(t, "transfer")) * time.Millisecond,
	}
	for _, b := range all {
		must(t, b.Populate(traffic))
	}
}

// checkPeople asks that nobody is lost and that no lift carries more than it may,
// unless it was loaded by hand.
func checkPeople(t *rapid.T, b *Building) {
	p := b.People()
	if p.Arrived != p.Waiting+p.Riding+p.Delivered+p.PutOut+p.TurnedAway {
		t.Fatalf("somebody is lost: %+v", p)
	}
	if b.groups[0].crowd == nil {
		return
	}
	for i := range b.cars {
		if r := b.cars[i].riders; r != personKg*len(b.groups[0].crowd.riding[i]) || r > b.cars[i].conf.RatedKg {
			t.Fatalf("car %d carries %d kg of %d people", i, r, len(b.groups[0].crowd.riding[i]))
		}
	}
}

// SM-1: whatever was done to the lifts, once all is put right and nobody comes any
// more, everybody gets where they wanted, or was put out, and the lifts rest.
func TestEverybodyIsServed(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		b := benches(t, 1)[0]
		must(t, b.Populate(Traffic{
			Seed: rapid.Uint64().Draw(t, "seed"), Rate: 0.3, Batch: 2, Mix: Mix{In: 1, Out: 1, Between: 1},
			Entrance: "G", Transfer: time.Second,
		}))
		for _, d := range drawDeeds(t, deedKinds) {
			b.Advance(d.at)
			_ = d.do(b) // refusals are part of the game
		}
		must(t, b.Populate(Traffic{}))
		for _, id := range b.IDs() {
			for _, side := range []elevator.Side{elevator.Front, elevator.Rear} {
				must(t, b.StickDoor(id, side, false))
				must(t, b.Obstruct(id, side, false))
			}
			for f := elevator.Floor(1); f <= 5; f++ {
				must(t, b.LockFloor(id, f, false))
			}
			must(t, b.SetLoad(id, 0))
			mend(t, b, id)
		}
		// Nobody needs more than a stop to step in and one to leave, 20 s each.
		people := b.People().Waiting + b.People().Riding
		b.Advance(b.Now() + patience(Bench()) + elevator.Instant(time.Duration(people)*time.Minute))
		if p := b.People(); p.Waiting+p.Riding != 0 || b.Next() != 0 {
			t.Fatalf("next %v: %+v\n%+v\n%+v", b.Next(), p, b.Car("L1"), b.Car("L2"))
		}
	})
}
