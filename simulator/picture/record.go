package picture

import (
	"encoding/json"
	"fmt"
	"io"
)

// Recorder writes a recording: the header at once, then frame by frame, each one
// line of JSON and each a single Write. It is for one goroutine.
type Recorder struct {
	w io.Writer
	check
}

// NewRecorder writes the header. It refuses one that [Read] would refuse.
func NewRecorder(w io.Writer, h Header) (*Recorder, error) {
	h = h.Whole()
	if err := h.fault(); err != nil {
		return nil, fmt.Errorf("record the header: %w", err)
	}
	r := &Recorder{w: w, check: newCheck(h)}
	return r, r.line("the header", h)
}

// Frame writes one frame. A frame that [Read] would refuse is not written, and the
// recording goes on without it.
func (r *Recorder) Frame(f Frame) error {
	if err := r.next(f); err != nil {
		return fmt.Errorf("record the frame at %d ms: %w", f.AtMS, err)
	}
	return r.line("a frame", f.Whole())
}

func (r *Recorder) line(what string, v any) error {
	b, err := json.Marshal(v)
	if err == nil {
		_, err = r.w.Write(append(b, '\n'))
	}
	if err != nil {
		return fmt.Errorf("record %s: %w", what, err)
	}
	return nil
}

// Write writes a whole recording.
func Write(w io.Writer, h Header, frames []Frame) error {
	r, err := NewRecorder(w, h)
	if err != nil {
		return err
	}
	for _, f := range frames {
		if err := r.Frame(f); err != nil {
			return err
		}
	}
	return nil
}

// Whole has empty lists where the header has none, so that no null is written.
func (h Header) Whole() Header {
	h.Floors = append([]Floor{}, h.Floors...)
	h.Lifts = append([]Lift{}, h.Lifts...)
	h.Robots = append([]string{}, h.Robots...)
	for i, l := range h.Lifts {
		doors := make(map[string][]string, len(l.Doors))
		for floor, sides := range l.Doors {
			doors[floor] = append([]string{}, sides...)
		}
		h.Lifts[i].Doors = doors
	}
	return h
}

// Whole has empty lists where the frame has none that must be there, so that no
// null is written. The frame itself stays as it is.
func (f Frame) Whole() Frame {
	f.Cars = append([]Car{}, f.Cars...)
	for i := range f.Cars {
		if f.Cars[i].Doors == nil {
			f.Cars[i].Doors = map[string]float64{}
		}
	}
	return f
}
