package journal

import (
	"bytes"
	"encoding/json"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"time"

	"hoistway/fsm"
)

// openRing reads what lies in a folder. A segment that is none of ours is put aside;
// one whose tail is torn, as by a power cut, loses that tail and nothing else.
func openRing(dir string, budget int64, wall func() time.Time, log *slog.Logger) (*ring, error) {
	r := &ring{dir: dir, budget: budget, wall: wall, log: log, newest: map[string]*tape{}, next: 1}
	if err := os.MkdirAll(dir, 0o750); err != nil {
		return nil, fmt.Errorf("folder of the flight record: %w", err)
	}
	files, err := os.ReadDir(dir) // by name, and so by age
	if err != nil {
		return nil, fmt.Errorf("folder of the flight record: %w", err)
	}
	for _, f := range files {
		switch filepath.Ext(f.Name()) {
		case ending:
			r.adopt(f.Name())
		case aside:
			if info, err := f.Info(); err == nil {
				r.setAside(f.Name(), info.Size())
			}
		}
	}
	r.graves = openGraves(dir, log)
	r.enforce(nil)
	return r, nil
}

func (r *ring) adopt(name string) {
	var n uint64
	if _, err := fmt.Sscanf(name, "%d"+ending, &n); err != nil || nameOf(n) != name {
		r.reject(name, "its name is no number")
		return
	}
	r.next = max(r.next, n+1)
	path := r.path(n)
	info, err := os.Stat(path)
	if err != nil || !info.Mode().IsRegular() || info.Size() > 2*maxSegment {
		r.reject(name, "it is no segment by its size or kind")
		return
	}
	data, err := os.ReadFile(path)
	if err != nil {
		r.reject(name, err.Error())
		return
	}
	head, states, good := survey(data)
	if head == nil {
		r.reject(name, "it does not begin as a segment of this version")
		return
	}
	t := r.tapeFor(head)
	for _, to := range states {
		t.note(to)
	}
	t.segs = append(t.segs, segment{n: n, part: head.Part, size: int64(good)})
	r.total += int64(good)
	t.sealed, t.parts = false, head.Part
	if good < len(data) {
		r.mend(t, name, good, len(data))
	}
}

// survey reads a segment: its head, nil for none that is known, the states that are in
// it, and how many bytes of it are sound.
func survey(data []byte) (head *segmentHead, states []fsm.State, good int) {
	first := true
	good = sound(data, func(body []byte) {
		if first {
			head, first = headOf(body), false
			return
		}
		if to := stateIn(body); to != "" {
			states = append(states, to)
		}
	})
	return head, states, good
}

func headOf(body []byte) *segmentHead {
	var h segmentHead
	if json.Unmarshal(body, &h) != nil || h.Format != format || h.Ride == "" || h.Part < 1 {
		return nil
	}
	return &h
}

// stateIn looks before it decodes: few entries are changes of state.
func stateIn(body []byte) fsm.State {
	if !bytes.Contains(body, []byte(`"state":{`)) {
		return ""
	}
	var e entry
	if json.Unmarshal(body, &e) != nil || e.State == nil {
		return ""
	}
	return e.State.To
}

// tapeFor finds the tape that a segment goes on with. A first part begins another.
func (r *ring) tapeFor(h *segmentHead) *tape {
	t := r.newest[h.Ride]
	if t == nil || h.Part == 1 {
		t = &tape{ride: h.Ride, robot: h.Robot}
		r.tapes = append(r.tapes, t)
		r.newest[h.Ride] = t
	}
	return t
}

// mend cuts a torn tail off. What is longer than any record is no torn tail: it stays
// for whoever can read it, and nothing is written behind it.
func (r *ring) mend(t *tape, name string, good, all int) {
	t.cuts = append(t.cuts, fmt.Sprintf("segment %s: cut at byte %d of %d", name, good, all))
	r.log.Warn("the end of a segment of the flight record is damaged", "code", "E-4008", "file", name, "ride", t.ride, "sound", good, "bytes", all)
	if all-good > headLen+maxRecord {
		t.sealed, t.last().more = true, int64(all-good)
		r.total += int64(all - good)
		return
	}
	if err := os.Truncate(filepath.Join(r.dir, name), int64(good)); err != nil {
		t.sealed = true
		r.log.Warn("a torn tail of the flight record could not be cut", "file", name, "error", err)
	}
}

// reject puts a file aside under another ending.
func (r *ring) reject(name, why string) {
	r.log.Warn("a segment of the flight record is put aside", "code", "E-4008", "file", name, "why", why)
	to := strings.TrimSuffix(name, ending) + aside
	if err := os.Rename(filepath.Join(r.dir, name), filepath.Join(r.dir, to)); err != nil {
		r.log.Warn("a damaged segment could not be put aside", "file", name, "error", err)
		to = name
	}
	if info, err := os.Stat(filepath.Join(r.dir, to)); err == nil {
		r.setAside(to, info.Size())
	}
}

func (r *ring) setAside(name string, size int64) {
	r.spoilt = append(r.spoilt, spoilt{name, size})
	r.total += size
}
