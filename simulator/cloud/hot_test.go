package cloud

import (
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"hoistway/sync/shadow"
)

// archive is an authority that takes a second to answer.
type archive struct {
	mu    sync.Mutex
	docs  map[place]shadow.Document
	asked int
}

func (a *archive) fetch(serial, name string) (shadow.Document, bool) {
	a.mu.Lock()
	a.asked++
	d := a.docs[place{serial, name}]
	a.mu.Unlock()
	time.Sleep(time.Second)
	return d, d.Exists()
}

func (a *archive) was(t *testing.T, want int) {
	t.Helper()
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.asked != want {
		t.Errorf("the authority was asked %d times, want %d", a.asked, want)
	}
}

// ST-5, ST-2: many askers are one fetch; a copy lives 24 to 36 minutes and each report
// renews it; the unknown is unknown for a minute.
func TestHot(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := &archive{docs: map[place]shadow.Document{{"GW-1", ""}: {Version: 7}}}
		h := newHot(a.fetch)
		var all sync.WaitGroup
		for range 50 {
			all.Go(func() {
				if d, ok := h.get("GW-1", ""); !ok || d.Version != 7 {
					t.Errorf("%+v %v", d, ok)
				}
			})
		}
		all.Wait()
		a.was(t, 1)
		if s := h.figures(); s.Joined != 49 || s.Fetches != 1 {
			t.Errorf("%+v", s)
		}
		time.Sleep(23 * time.Minute)
		h.get("GW-1", "")
		a.was(t, 1)
		h.put("GW-1", "", shadow.Document{Version: 8})
		time.Sleep(23 * time.Minute)
		if d, _ := h.get("GW-1", ""); d.Version != 8 {
			t.Errorf("version %d", d.Version)
		}
		a.was(t, 1)
		time.Sleep(14 * time.Minute)
		h.sweep()
		if n := h.figures().Copies; n != 0 {
			t.Errorf("%d copies outlived their time", n)
		}
		h.get("GW-1", "")
		a.was(t, 2)
		for range 2 {
			if _, ok := h.get("GW-9", ""); ok {
				t.Error("a document out of nowhere")
			}
		}
		a.was(t, 3)
		time.Sleep(61 * time.Second)
		h.get("GW-9", "")
		a.was(t, 4)
		h.put("GW-9", "", shadow.Document{Version: 1}) // who was unknown has come
		if _, ok := h.get("GW-9", ""); !ok {
			t.Error("still unknown")
		}
	})
}

// A document that is written while readers wait for the authority is what later readers get.
func TestHotWrittenMeanwhile(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := &archive{docs: map[place]shadow.Document{{"GW-1", ""}: {Version: 7}}}
		h := newHot(a.fetch)
		go h.get("GW-1", "")
		synctest.Wait()
		h.put("GW-1", "", shadow.Document{Version: 8})
		time.Sleep(2 * time.Second)
		if d, _ := h.get("GW-1", ""); d.Version != 8 {
			t.Errorf("version %d", d.Version)
		}
	})
}

// The lives of copies differ.
func TestHotJitter(t *testing.T) {
	least, most := hotFor*2, time.Duration(0)
	for range 1000 {
		l := life(true)
		least, most = min(least, l), max(most, l)
	}
	if least < 24*time.Minute || most > 36*time.Minute || most-least < 10*time.Minute {
		t.Errorf("lives from %v to %v", least, most)
	}
}
