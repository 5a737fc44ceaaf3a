package cli

import (
	"strings"
	"testing"
	"time"

	"hoistway/fsm/elevator"
	"hoistway/simulator/devices"
)

// journal is a wire whose memory of writes loses its older half now and then.
type journal []devices.Write

func (j *journal) Writes() []devices.Write { return *j }

// Each write is printed once, also when the journal has dropped what was printed before.
func TestEachWriteIsPrintedOnce(t *testing.T) {
	j := &journal{}
	w := &namedWire{lift: "L1", wire: j}
	var out strings.Builder
	write := func(n int, addr, value uint16) {
		*j = append(*j, devices.Write{At: elevator.Instant(n) * elevator.Instant(time.Second), Addr: addr, Value: value})
	}
	write(1, 0, 2)
	write(2, 3, 6)
	w.tell(&out, &buildingPicture{})
	w.tell(&out, &buildingPicture{})
	*j = (*j)[1:]
	write(3, 3, 6)
	w.tell(&out, &buildingPicture{})
	*j = nil // all that was printed is gone
	write(4, 2, 5)
	w.tell(&out, &buildingPicture{})
	want := "   1.0 s L1 landing call up = 2\n   2.0 s L1 hold front = 6\n   3.0 s L1 hold front = 6\n   4.0 s L1 car call = 5\n"
	if out.String() != want {
		t.Errorf("printed\n%swant\n%s", out.String(), want)
	}
}

// A write that the lift refused is not shown as one that it took.
func TestARefusedWriteSaysSo(t *testing.T) {
	j := &journal{{At: elevator.Instant(time.Second), Addr: 2, Value: 99, Exception: 3}}
	var out strings.Builder
	(&namedWire{lift: "L1", wire: j}).tell(&out, &buildingPicture{})
	if want := "   1.0 s L1 car call = 99 refused with exception 3\n"; out.String() != want {
		t.Errorf("printed %q, want %q", out.String(), want)
	}
}
