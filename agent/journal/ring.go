package journal

import (
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"slices"
	"sync"
	"time"

	"hoistway/fsm"
)

// ring keeps the records of many rides within a budget of bytes. One goroutine
// writes; any may read.
type ring struct {
	dir    string
	budget int64
	wall   func() time.Time
	log    *slog.Logger

	mu     sync.Mutex
	tapes  []*tape          // by age
	newest map[string]*tape // by ride
	next   uint64           // number of the next segment
	total  int64            // bytes of all segments, and of what was put aside
	spoilt []spoilt         // put aside, by age
	graves graves
}

type spoilt struct {
	name string
	size int64
}

// take gives the tape of a ride for writing; fresh begins another one.
func (r *ring) take(ride, robot string, fresh bool) *tape {
	r.mu.Lock()
	defer r.mu.Unlock()
	t := r.newest[ride]
	if t == nil || fresh {
		t = &tape{ride: ride, robot: robot}
		r.tapes = append(r.tapes, t)
		r.newest[ride] = t
	}
	t.live = true
	return t
}

// begun and ended tell of the newest record of a ride.
func (r *ring) begun(ride string) bool { return r.is(ride, func(*tape) bool { return true }) }
func (r *ring) ended(ride string) bool { return r.is(ride, func(t *tape) bool { return t.ended }) }

func (r *ring) is(ride string, so func(*tape) bool) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	t := r.newest[ride]
	return t != nil && so(t)
}

// put writes an entry to a tape and keeps the budget. to is the state that the entry
// tells of, "" for any other.
func (r *ring) put(t *tape, framed []byte, to fsm.State) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	t.note(to)
	err := r.write(t, framed)
	r.trim(t)
	r.enforce(t)
	return err
}

// finish lets go of a tape that this run writes no more to.
func (r *ring) finish(t *tape) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.rest(t)
	t.live = false
}

// durable makes one tape durable, or all with nil.
func (r *ring) durable(one *tape) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, t := range r.tapes {
		if one == nil || t == one {
			r.sync(t)
		}
	}
}

func (r *ring) close() {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, t := range r.tapes {
		r.rest(t)
	}
	r.graves.close()
}

// enforce drops until the budget is kept, but never what is being written to now.
func (r *ring) enforce(writing *tape) {
	for r.total+r.graves.size > r.budget {
		if len(r.spoilt) > 0 {
			r.dropSpoilt()
			continue
		}
		t := r.victim(writing)
		if t == nil {
			return
		}
		r.drop(t)
	}
}

// victim is the record that is missed least: the oldest without a fault, then the
// oldest with one, then what still runs. Faulted rides have at most three quarters,
// so that a site of many faults still has a record of this morning's rides.
func (r *ring) victim(writing *tape) *tape {
	var clean, faulted, live *tape
	var bad int64
	for _, t := range r.tapes {
		switch {
		case t == writing || len(t.segs) == 0:
		case t.live:
			live = older(live, t)
		case t.faulted:
			faulted = older(faulted, t)
		default:
			clean = older(clean, t)
		}
		if t.faulted {
			bad += t.bytes()
		}
	}
	if faulted != nil && (clean == nil || bad > r.budget/4*3) {
		return faulted
	}
	if clean != nil {
		return clean
	}
	return live
}

func older(a, b *tape) *tape {
	if a == nil {
		return b
	}
	return a
}

func (r *ring) drop(t *tape) {
	for len(t.segs) > 0 {
		r.removeSegment(t, len(t.segs)-1)
	}
	if t.live { // it goes on with what is still to come
		return
	}
	r.tapes = slices.DeleteFunc(r.tapes, func(x *tape) bool { return x == t })
	if r.newest[t.ride] == t {
		delete(r.newest, t.ride)
		r.graves.add(grave{Ride: t.ride, Robot: t.robot, At: r.wall().UnixMilli()})
	}
}

func (r *ring) dropSpoilt() {
	s := r.spoilt[0]
	r.spoilt = r.spoilt[1:]
	r.total -= s.size
	if err := os.Remove(r.dir + "/" + s.name); err != nil && !errors.Is(err, os.ErrNotExist) {
		r.log.Warn("a damaged segment could not be removed", "file", s.name, "error", err)
	}
}

func (r *ring) list(n int) []Kept {
	r.mu.Lock()
	defer r.mu.Unlock()
	out := []Kept{}
	for _, t := range slices.Backward(r.tapes) {
		if len(out) == n {
			break
		}
		if r.newest[t.ride] == t && len(t.segs) > 0 {
			out = append(out, Kept{Ride: t.ride, Robot: t.robot, Faulted: t.faulted, Running: t.live, Bytes: t.bytes()})
		}
	}
	return out
}

// copied is a record as it lies on the disk, read at one moment.
type copied struct {
	robot string
	parts []part
	cuts  []string
	bytes int64
	fault bool
	live  bool
}

type part struct {
	no   int
	name string
	data []byte
}

// read copies the record of a ride. Its size is bounded by that of a tape.
func (r *ring) read(ride string) (copied, error) {
	for range 3 { // a segment may go while it is read
		c, segs, err := r.look(ride)
		if err != nil {
			return copied{}, err
		}
		if c.parts, err = r.load(segs); err == nil {
			return c, nil
		}
		if !errors.Is(err, os.ErrNotExist) {
			return copied{}, fmt.Errorf("read the record of %s: %w", ride, err)
		}
	}
	return copied{}, fmt.Errorf("read the record of %s: it changes too fast", ride)
}

func (r *ring) look(ride string) (copied, []segment, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	t := r.newest[ride]
	if t != nil && len(t.segs) > 0 {
		c := copied{robot: t.robot, cuts: slices.Clone(t.cuts), bytes: t.bytes(), fault: t.faulted, live: t.live}
		return c, slices.Clone(t.segs), nil
	}
	if g, ok := r.graves.of[ride]; ok {
		return copied{}, nil, &Dropped{Ride: ride, Robot: g.Robot, At: time.UnixMilli(g.At).UTC()}
	}
	return copied{}, nil, ErrNone
}

func (r *ring) load(segs []segment) ([]part, error) {
	out := make([]part, 0, len(segs))
	for _, s := range segs {
		data, err := readUpTo(r.path(s.n), s.size)
		if err != nil {
			return nil, err
		}
		out = append(out, part{no: s.part, name: nameOf(s.n), data: data})
	}
	return out, nil
}

func readUpTo(path string, n int64) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	data, err := io.ReadAll(io.LimitReader(f, n))
	return data, errors.Join(err, f.Close())
}
