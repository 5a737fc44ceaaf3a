package real

import (
	"errors"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"hoistway/simulator/faults"
	"hoistway/sync/shadow"
)

// begun is a site that stands nowhere and has faults on.
func begun(t *testing.T, on ...faults.Fault) *Site {
	t.Helper()
	s := &Site{began: time.Now()}
	for _, f := range on {
		if err := s.timed.player.Begin(f, s.now()); err != nil {
			t.Fatal(err)
		}
	}
	return s
}

// SM-3: each message to the agent is one meeting with what may befall it; a lost one
// meets nothing more.
func TestPost(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := begun(
			t, faults.Fault{Kind: "lost-messages", Target: "cloud", From: 2, Times: 1},
			faults.Fault{Kind: "duplicates", Target: "cloud", From: 2, Times: 1},
			faults.Fault{Kind: "cloud-slow", Target: "cloud", Arg: "3s", For: time.Minute},
		)
		want := []struct {
			copies int
			late   time.Duration
		}{{1, 3 * time.Second}, {0, 0}, {2, 3 * time.Second}, {1, 3 * time.Second}}
		for i, w := range want {
			if copies, late := s.post(shadow.Message{}); copies != w.copies || late != w.late {
				t.Errorf("message %d: %d copies, %v late; want %+v", i+1, copies, late, w)
			}
		}
		time.Sleep(time.Minute)
		if copies, late := s.post(shadow.Message{}); copies != 1 || late != 0 {
			t.Errorf("afterwards: %d copies, %v late", copies, late)
		}
	})
}

// tape is a store that keeps how much was written.
type tape struct{ batches int }

func (p *tape) Commit([]shadow.Record) error         { p.batches++; return nil }
func (p *tape) Load(string) ([]shadow.Record, error) { return nil, nil }

// SM-3, ST-3: a full disk takes nothing, a slow one takes its time, and what a process
// was still about to write when it was killed is not written.
func TestDisk(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, m := &tape{}, newMachine(inProcess())
		s := begun(t, faults.Fault{Kind: "store-slow", Target: "gateway", Arg: "2s"})
		d := &disk{Store: p, site: s, of: m}
		began := time.Now()
		if err := d.Commit(nil); err != nil || time.Since(began) != 2*time.Second || p.batches != 1 {
			t.Errorf("%d batches after %v, %v", p.batches, time.Since(began), err)
		}
		if err := s.timed.player.Begin(faults.Fault{Kind: "disk-full", Target: "gateway", For: time.Minute}, s.now()); err != nil {
			t.Fatal(err)
		}
		if err := d.Commit(nil); !errors.Is(err, syscall.ENOSPC) || p.batches != 1 {
			t.Errorf("a full disk: %d batches, %v", p.batches, err)
		}
		time.Sleep(time.Minute)
		if err := d.Commit(nil); err != nil || p.batches != 2 {
			t.Errorf("room again: %d batches, %v", p.batches, err)
		}
		go func() {
			time.Sleep(time.Second)
			m.kill()
		}()
		if err := d.Commit(nil); !errors.Is(err, errDead) || p.batches != 2 {
			t.Errorf("killed meanwhile: %d batches, %v", p.batches, err)
		}
	})
}
