package serial

import (
	"context"
	"net/url"
	"os"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"hoistway/drivers"
	"hoistway/drivers/drivertest"
	"hoistway/drivers/fieldbus"
	"hoistway/fsm/elevator"
)

// DR-8: a command of messages keeps to its gate, its life and what proves it, as one of
// registers does.
func TestGate(t *testing.T) {
	src, err := os.ReadFile("testdata/blind.yaml")
	if err != nil {
		t.Fatal(err)
	}
	text := strings.Replace(string(src), "    up: {send", "    up: {gate: [{point: door.front, is: [open]}], ttl: 2s, confirm: {seen: [{point: floor, is: [wire]}], within: 3s}, send", 1)
	synctest.Test(t, func(t *testing.T) {
		b := &bench{T: t, board: &cabled{board: newBoard(false)}, now: clock()}
		b.board.Show(drivertest.Face{Floor: 1, Motion: elevator.Stopped, Door: elevator.DoorClosed})
		b.board.Power(true)
		defer b.board.Power(false)
		env := drivers.Env{Now: b.now, OpenSerial: b.board.open}
		u, _ := url.Parse("serial:///dev/ttyS9")
		o, err := Line(fieldbus.NewLines(env), env).New(drivers.Spec{Lift: "A", URL: u, ProfileName: "test/gated", Profile: []byte(text), Floors: floors})
		if err != nil {
			t.Fatal(err)
		}
		if b.link, err = o.Open(context.Background()); err != nil {
			t.Fatal(err)
		}
		defer b.link.Close()
		time.Sleep(3 * time.Second)
		if o := b.do(upAt2); o.Result != elevator.Refused || b.count("1U2") != 0 {
			t.Errorf("behind a closed door: %+v, said %d times", o, b.count("1U2"))
		}
		b.board.Show(drivertest.Face{Floor: 1, Motion: elevator.Stopped, Door: elevator.DoorOpen})
		time.Sleep(time.Second)
		if o := b.do(upAt2); o.Result != elevator.Done || b.count("1U2") != 1 {
			t.Errorf("with the door open: %+v, said %d times", o, b.count("1U2"))
		}
		b.board.Spoil(drivertest.Silent, true)
		if o := b.do(upAt2); o.Result != elevator.ResultUnknown || b.count("1U2") != 2 {
			t.Errorf("nothing shows it: %+v, said %d times", o, b.count("1U2"))
		}
		time.AfterFunc(2*time.Second, func() { b.board.Show(drivertest.Face{Floor: 2, Door: elevator.DoorOpen}) })
		if o := b.do(upAt2); o.Result != elevator.Done || b.count("1U2") != 3 {
			t.Errorf("the floor shows it: %+v, said %d times", o, b.count("1U2"))
		}
		b.board.Power(false)
		begun := b.now()
		if o := b.do(upAt2); o.Result != elevator.NotSent || o.At.Sub(begun) > 3*time.Second {
			t.Errorf("a life of 2 s: %+v after %s", o, o.At.Sub(begun))
		}
	})
}
