package journal

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"hoistway/fsm"
)

const (
	maxSegment = 128 << 10 // bytes; a ride that needs more gets another part
	maxTape    = 1 << 20   // bytes of one ride; beyond it the middle goes
	ending     = ".seg"
	aside      = ".bad"
)

// tape is the record of one ride: its segments in order.
type tape struct {
	ride, robot string
	segs        []segment
	faulted     bool
	ended       bool     // the last state written is DONE
	live        bool     // this run of the program writes to it
	parts       int      // segments ever begun
	sealed      bool     // the last segment takes no more: something follows its sound part
	cuts        []string // what was found damaged, in words
	file        *os.File // of the last segment, nil while closed
	dirty       bool     // written since the last sync
}

type segment struct {
	n    uint64 // its number, and its file's name
	part int
	size int64 // of the sound part
	more int64 // of what follows it and is not ours to cut
}

func (t *tape) bytes() (sum int64) {
	for _, s := range t.segs {
		sum += s.size + s.more
	}
	return sum
}

// note takes in a change of state.
func (t *tape) note(to fsm.State) {
	if to != "" {
		t.faulted, t.ended = t.faulted || isFault(to), to == fsm.Done
	}
}

func (t *tape) last() *segment {
	if len(t.segs) == 0 {
		return nil
	}
	return &t.segs[len(t.segs)-1]
}

func nameOf(n uint64) string { return fmt.Sprintf("%012d%s", n, ending) }

func (r *ring) path(n uint64) string { return filepath.Join(r.dir, nameOf(n)) }

// write puts records that are framed already behind a tape.
func (r *ring) write(t *tape, framed []byte) error {
	if err := r.ready(t, int64(len(framed))); err != nil {
		return err
	}
	s := t.last()
	if _, err := t.file.WriteAt(framed, s.size); err != nil {
		err = errors.Join(err, t.file.Truncate(s.size))
		return fmt.Errorf("write %s: %w", nameOf(s.n), err)
	}
	s.size += int64(len(framed))
	r.total += int64(len(framed))
	t.dirty = true
	return nil
}

// ready makes the last segment one that takes n bytes more.
func (r *ring) ready(t *tape, n int64) error {
	s := t.last()
	if s == nil || t.sealed || s.size+n > maxSegment {
		return r.extend(t)
	}
	if t.file != nil {
		return nil
	}
	f, err := os.OpenFile(r.path(s.n), os.O_WRONLY, 0o640)
	if err != nil {
		return fmt.Errorf("go on with a segment: %w", err)
	}
	t.file = f
	return nil
}

// extend begins the next segment of a tape.
func (r *ring) extend(t *tape) error {
	head := segmentHead{Format: format, Ride: t.ride, Robot: t.robot, Part: t.parts + 1, Began: r.wall().UnixMilli()}
	body, err := json.Marshal(head)
	if err != nil {
		return fmt.Errorf("begin a segment: %w", err)
	}
	framed, err := appendRecord(nil, body)
	if err != nil {
		return fmt.Errorf("begin a segment: %w", err)
	}
	r.rest(t)
	f, err := os.OpenFile(r.path(r.next), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o640)
	if err != nil {
		return fmt.Errorf("begin a segment: %w", err)
	}
	if _, err := f.Write(framed); err != nil {
		return fmt.Errorf("begin a segment: %w", errors.Join(err, f.Close(), os.Remove(r.path(r.next))))
	}
	t.file, t.sealed, t.parts = f, false, head.Part
	t.segs = append(t.segs, segment{n: r.next, part: head.Part, size: int64(len(framed))})
	r.total += int64(len(framed))
	r.next++
	return nil
}

// rest makes what was written durable and closes the file.
func (r *ring) rest(t *tape) {
	r.sync(t)
	if t.file != nil {
		if err := t.file.Close(); err != nil {
			r.log.Warn("a segment of the flight record could not be closed", "error", err)
		}
		t.file = nil
	}
}

func (r *ring) sync(t *tape) {
	if t.file == nil || !t.dirty {
		return
	}
	if err := t.file.Sync(); err != nil {
		r.log.Warn("the flight record could not be made durable", "ride", t.ride, "error", err)
	}
	t.dirty = false
}

// trim takes the middle out of a record that has grown too long: how a ride began
// and how it went on of late tell more than what lies between.
func (r *ring) trim(t *tape) {
	for t.bytes() > maxTape && len(t.segs) > 2 {
		r.removeSegment(t, 1)
	}
}

func (r *ring) removeSegment(t *tape, i int) {
	s := t.segs[i]
	if i == len(t.segs)-1 && t.file != nil {
		_ = t.file.Close() // its bytes go with it
		t.file = nil
	}
	if err := os.Remove(r.path(s.n)); err != nil && !errors.Is(err, os.ErrNotExist) {
		r.log.Warn("a segment of the flight record could not be removed", "error", err)
	}
	r.total -= s.size + s.more
	t.segs = append(t.segs[:i:i], t.segs[i+1:]...)
}

// stamp is a moment in the words of the record.
func stamp(ms int64) string { return time.UnixMilli(ms).UTC().Format("2006-01-02T15:04:05.000Z") }
