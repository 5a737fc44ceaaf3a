package serial

import (
	"bytes"
	"context"
	"encoding/hex"
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

// What a board with a check byte of its own may answer to "where are you", 02 50 03 53. The
// check is the exclusive or of what stands between 02 and it: 46^30^35^03 is 40,
// 46^30^37^03 is 42. Landing 5 is the floor 1 of the table, landing 7 its floor 2.
// DR-11, row 29
func TestFieldBoard(t *testing.T) {
	const good, also = "02 46 30 35 03 40", "02 46 30 37 03 42"
	for _, c := range []struct {
		name, says string
		floor      elevator.Floor // 0: the reading failed
		count      func(fieldbus.LineStats) uint64
	}{
		{"good", good, 1, func(s fieldbus.LineStats) uint64 { return s.Good }},
		{"the check of another landing", "02 46 30 37 03 40", 0, func(s fieldbus.LineStats) uint64 { return s.Skipped }},
		{"a no", "15", 0, func(s fieldbus.LineStats) uint64 { return s.Refused }},
		{"half of it", "02 46 30", 0, func(s fieldbus.LineStats) uint64 { return s.Timeouts[0] }},
		{"half of it, then whole, where 02 always begins one", "02 46 30 " + also, 2, func(s fieldbus.LineStats) uint64 { return s.Good }},
		{"the bad and the good in one", "02 46 30 37 03 40 " + good, 1, func(s fieldbus.LineStats) uint64 { return s.Skipped }},
		{"two good ones in one", good + also, 1, func(s fieldbus.LineStats) uint64 { return s.Good }},
	} {
		t.Run(c.name, func(t *testing.T) {
			now, stats, back := boardSays(t, c.says, strings.Contains(c.name, "always begins"))
			if f := now.Floor; f.Failed != (c.floor == 0) || c.floor != 0 && f.Value != c.floor {
				t.Errorf("read %+v, want %d", f, c.floor)
			}
			if c.count(stats) == 0 {
				t.Errorf("not counted: %+v", stats)
			}
			if back.Floor.Failed || back.Floor.Value != 2 {
				t.Errorf("a good answer afterwards reads %+v", back.Floor)
			}
		})
	}
}

// boardSays plays a board that answers so each time for three seconds, and then well, with
// landing 7. It gives what is known then and at the end. Where restarts is true, the profile
// says that a start is a start wherever it stands.
func boardSays(t *testing.T, says string, restarts bool) (then elevator.Snapshot, stats fieldbus.LineStats, end elevator.Snapshot) {
	src, err := os.ReadFile("../profiles/testdata/features/frames_xor/profile.yaml")
	if err != nil {
		t.Fatal(err)
	}
	if restarts {
		src = bytes.Replace(src, []byte("  most: 16\n"), []byte("  most: 16\n  restart: true\n"), 1)
	}
	table := elevator.Table{
		{Label: "5", Wire: 5, Doors: []elevator.Side{elevator.Front}},
		{Label: "7", Wire: 7, Doors: []elevator.Side{elevator.Front}},
	}
	synctest.Test(t, func(t *testing.T) {
		near, far := drivertest.NewCable()
		defer far.Close()
		began := time.Now()
		go func() {
			b := make([]byte, 64)
			for {
				n, err := far.Read(b)
				if err != nil {
					return
				}
				if string(b[:n]) != "\x02\x50\x03\x53" {
					t.Errorf("asked % X", b[:n])
				}
				a := says
				if time.Since(began) > 3*time.Second {
					a = "02 46 30 37 03 42"
				}
				raw, _ := hex.DecodeString(strings.ReplaceAll(a, " ", ""))
				_, _ = far.Write(raw)
			}
		}()
		env := drivers.Env{Now: clock(), OpenSerial: (&once{near}).open}
		lines := fieldbus.NewLines(env)
		u, _ := url.Parse("serial:///dev/ttyS9?baud=9600&timeout=300ms")
		o, err := Line(lines, env).New(drivers.Spec{URL: u, Profile: src, ProfileName: "x", Floors: table})
		if err != nil {
			t.Fatal(err)
		}
		l, err := o.Open(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		time.Sleep(2900 * time.Millisecond)
		then, stats = l.(*link).view.Snapshot(), lines.Stats()[0]
		time.Sleep(10 * time.Second)
		end = l.(*link).view.Snapshot()
		_ = l.Close()
	})
	return then, stats, end
}
