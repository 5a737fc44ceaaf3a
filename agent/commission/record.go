package commission

import (
	"bufio"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"sync"
	"time"

	"hoistway/drivers"
	"hoistway/fsm/elevator"
)

// A recording is a text file of JSON objects, one a line: first a Head, then the
// frames as they passed. It can be read, cut and mended with any editor.

// Head says what was recorded.
type Head struct {
	Recording int            `json:"hoistway_recording"` // 1, the form of the file
	Link      string         `json:"link"`
	Line      string         `json:"line"`
	Lift      string         `json:"lift,omitempty"`
	Profile   string         `json:"profile,omitempty"`
	Hash      string         `json:"profile_sha256,omitempty"`
	Floors    elevator.Table `json:"floors,omitempty"`
	Started   time.Time      `json:"started"`
}

// passed is one frame in a recording.
type passed struct {
	Ms   float64 `json:"ms"` // since the start, whole microseconds
	Out  bool    `json:"out"`
	Hex  string  `json:"hex"`
	Note string  `json:"note,omitempty"`
}

// Recorder writes a recording. Note never blocks; Close flushes. Safe for
// concurrent use.
type Recorder struct {
	head    Head
	frames  chan drivers.Frame
	written sync.WaitGroup
	err     error
	mu      sync.Mutex
	n, lost int
	shut    bool
}

// maxWaiting bounds the frames that wait to be written; more are counted as lost.
const maxWaiting = 4096

// NewRecorder writes the head and starts the writer, which ends with Close. start
// is the instant from which times count.
func NewRecorder(w io.Writer, h Head, start elevator.Instant) (*Recorder, error) {
	h.Recording = 1
	b := bufio.NewWriter(w)
	enc := json.NewEncoder(b)
	if err := enc.Encode(h); err != nil {
		return nil, fmt.Errorf("write the recording: %w", err)
	}
	r := &Recorder{head: h, frames: make(chan drivers.Frame, maxWaiting)}
	r.written.Go(func() {
		for f := range r.frames {
			p := passed{Out: f.Out, Hex: hex.EncodeToString(f.Data), Note: f.Note}
			p.Ms = math.Round(float64(f.At.Sub(start).Microseconds())) / 1000
			if err := enc.Encode(p); err != nil && r.err == nil {
				r.err = err
			}
		}
		r.err = errors.Join(r.err, b.Flush())
	})
	return r, nil
}

// Note takes a frame.
func (r *Recorder) Note(f drivers.Frame) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.shut {
		return
	}
	select {
	case r.frames <- f:
		r.n++
	default:
		r.lost++
	}
}

// Close writes what waits, and tells how many frames were kept and lost.
func (r *Recorder) Close() (kept, lost int, err error) {
	r.mu.Lock()
	if !r.shut {
		close(r.frames)
	}
	r.shut = true
	r.mu.Unlock()
	r.written.Wait()
	if r.err != nil {
		return r.n, r.lost, fmt.Errorf("write the recording: %w", r.err)
	}
	return r.n, r.lost, nil
}

// Recording is one that was read.
type Recording struct {
	Head
	Frames []drivers.Frame
}

// Bounds of a recording that is read.
const (
	maxLine   = 64 << 10
	maxFrames = 2_000_000
)

// ReadRecording reads a whole recording. An error names the line at fault.
func ReadRecording(r io.Reader) (Recording, error) {
	var rec Recording
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, maxLine)
	for n := 1; lines.Scan(); n++ {
		var err error
		switch {
		case n == 1:
			err = rec.readHead(lines.Bytes())
		case len(lines.Bytes()) == 0:
		case len(rec.Frames) >= maxFrames:
			err = errors.New("too many frames")
		default:
			err = rec.readFrame(lines.Bytes())
		}
		if err != nil {
			return rec, fmt.Errorf("line %d of the recording: %w", n, err)
		}
	}
	if err := lines.Err(); err != nil {
		return rec, fmt.Errorf("read the recording: %w", err)
	}
	if rec.Head.Recording == 0 {
		return rec, errors.New("the recording is empty")
	}
	return rec, nil
}

func (rec *Recording) readHead(line []byte) error {
	if err := json.Unmarshal(line, &rec.Head); err != nil {
		return fmt.Errorf("no head of a recording: %w", err)
	}
	if rec.Head.Recording != 1 {
		return errors.New("no recording of a form that is known here")
	}
	return nil
}

func (rec *Recording) readFrame(line []byte) error {
	var p passed
	if err := json.Unmarshal(line, &p); err != nil {
		return err
	}
	data, err := hex.DecodeString(p.Hex)
	if err != nil {
		return err
	}
	if p.Ms < 0 || p.Ms > 1e10 {
		return fmt.Errorf("time %g ms", p.Ms)
	}
	at := elevator.Instant(p.Ms*1e6) + 1
	rec.Frames = append(rec.Frames, drivers.Frame{Line: rec.Line, Out: p.Out, At: at, Data: data, Note: p.Note})
	return nil
}
