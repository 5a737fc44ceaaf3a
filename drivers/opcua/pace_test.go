package opcua

import (
	"testing"
	"time"

	"hoistway/drivers"
	"hoistway/drivers/drivertest"
	"hoistway/fsm/elevator"
)

// DR-10, DR-11: what the server dates is never dated later on our clock than it was,
// however long the way, and whatever is done to the server's clock.
func TestPace(t *testing.T) {
	var p pace
	sec := func(s float64) elevator.Instant { return elevator.Instant(s * 1e9) }
	wall := func(s float64) time.Time { return time.Unix(1_700_000_000, int64(s*1e9)) }
	check := func(what string, said time.Time, now elevator.Instant, want elevator.Instant, ok bool) {
		t.Helper()
		if at, got := p.instant(said, now); at != want || got != ok {
			t.Errorf("%s: %d, %t", what, at, got)
		}
	}
	check("nothing is known", wall(0), sec(10), 0, false)
	// The server's 0 s is our 10.3 s. The answer was two seconds under way.
	p.saw(sec(10), sec(12.3), wall(0.3))
	check("after a slow answer", wall(2), sec(12.5), sec(11.7), true)
	p.saw(sec(13), sec(13.2), wall(2.8)) // a quicker one: it was 13.1 s
	check("after a quick answer", wall(2), sec(14), sec(12.2), true)
	p.saw(sec(15), sec(19), wall(5)) // a slow one tells nothing new
	check("after a slow one again", wall(2), sec(20), sec(12.2), true)
	check("from a time that is not told", time.Time{}, sec(20), 0, false)
	// The server's clock is set back by an hour, and then forward.
	p.saw(sec(21), sec(21.2), wall(10.8-3600))
	check("after the clock was set back", wall(11-3600), sec(22), sec(21.2), true)
	check("the clock was set forward", wall(11), sec(22), 0, false)
	p.saw(sec(23), sec(23.2), wall(12.8))
	check("after it was set forward", wall(13), sec(24), sec(23.2), true)
	check("a little ahead, since times are coarse", wall(13.84), sec(24), sec(24), true)
}

// DR-10, RD-5: on a way on which everything takes long, so that no message is late by
// comparison, a value that is told is dated no later than it was shown.
func TestToldIsNotNewer(t *testing.T) {
	t.Parallel()
	now := clock()
	b, o := start(t, drivers.Env{Now: now}, "testdata/told.yaml")
	b.Show(drivertest.Face{Floor: 1, Door: elevator.DoorOpen})
	b.wire.slow(350 * time.Millisecond)
	b.Power(true)
	defer b.Power(false)
	opened, err := o.Open(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = opened.Close() }()
	l := opened.(*link)
	door := func() elevator.Seen[elevator.Door] { s := l.view.Snapshot(); return s.Doors[elevator.Front] }
	for range 4 {
		b.Show(drivertest.Face{Floor: 1, Door: elevator.DoorOpen})
		b.shown(t, l, "the open door", func(elevator.Snapshot) bool { return door().Value == elevator.DoorOpen })
		first := door().At
		b.shown(t, l, "it told anew", func(elevator.Snapshot) bool { return door().At > first })
		time.Sleep(400 * time.Millisecond) // the next word of it is under way now, or nearly
		shut := now()
		b.Show(drivertest.Face{Floor: 1, Door: elevator.DoorClosed})
		for d := door(); d.Value != elevator.DoorClosed; d = door() {
			if d.At > shut+elevator.Instant(20*time.Millisecond) { // how long the line above may take is not known
				t.Errorf("the door is said to be open at %d, and it was shut from %d on", d.At, shut)
			}
			time.Sleep(5 * time.Millisecond)
		}
	}
}
