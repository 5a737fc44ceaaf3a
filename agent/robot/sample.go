package robot

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"time"

	"hoistway/drivers"
	"hoistway/fsm"
	"hoistway/fsm/elevator"
)

// MaxSample bounds what a source of displacement may answer.
const MaxSample = 16 << 10

// Sample is one answer of the robot's own source of displacement.
type Sample struct {
	Sight
	OdoM    *float64
	Battery *int
	Told    bool // it says where the robot is, so that it can stand for the robot's own word
}

// told is the answer's JSON: what a signal holds of the robot itself.
type told struct {
	AgeMs     *int64   `json:"age_ms"`
	Where     string   `json:"where"`
	Floor     string   `json:"floor"`
	FloorSure bool     `json:"floor_sure"`
	Motion    string   `json:"motion"`
	OdoM      *float64 `json:"odo_m"`
	Battery   *int     `json:"battery"`
	SeesDoor  *struct {
		Floor string `json:"floor"`
		Side  string `json:"side"`
		Open  *bool  `json:"open"`
	} `json:"sees_door"`
}

// ReadSample reads an answer. asked is a time before the question left; the content is
// as old as that and its own age. A floor that the table lacks is an unknown one. What
// does not fit in any part is no answer at all.
func ReadSample(raw []byte, floors elevator.Table, asked elevator.Instant) (Sample, error) {
	var t told
	if len(raw) > MaxSample {
		return Sample{}, fmt.Errorf("more than %d bytes", MaxSample)
	}
	d := json.NewDecoder(bytes.NewReader(raw))
	d.DisallowUnknownFields()
	if err := d.Decode(&t); err != nil {
		return Sample{}, fmt.Errorf("no object of known keys: %w", err)
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return Sample{}, errors.New("something follows the object")
	}
	if err := t.check(); err != nil {
		return Sample{}, err
	}
	return t.sample(floors, asked), nil
}

func (t *told) check() error {
	motions := map[string]bool{"": true, "still": true, "up": true, "down": true, "unknown": true}
	wheres := map[string]bool{"": true, "landing": true, "doorway": true, "car": true, "unknown": true}
	switch {
	case t.AgeMs == nil:
		return errors.New("age_ms is missing: what has no date is nothing known")
	case *t.AgeMs < 0 || *t.AgeMs > MaxAge.Milliseconds():
		return fmt.Errorf("age_ms is %d, must be 0 to %d", *t.AgeMs, MaxAge.Milliseconds())
	case !motions[t.Motion]:
		return fmt.Errorf("motion is %q, must be still, up, down or unknown", t.Motion)
	case !wheres[t.Where]:
		return fmt.Errorf("where is %q, must be landing, doorway, car or unknown", t.Where)
	case t.FloorSure && t.Floor == "":
		return errors.New("floor_sure without a floor")
	case t.OdoM != nil && math.Abs(*t.OdoM) > 1e9:
		return fmt.Errorf("odo_m is %g, must be metres up to 1e9", *t.OdoM)
	case t.Battery != nil && (*t.Battery < 0 || *t.Battery > 100):
		return fmt.Errorf("battery is %d, must be 0 to 100 per cent", *t.Battery)
	}
	if d := t.SeesDoor; d != nil {
		if s, ok := elevator.ParseSide(d.Side); d.Floor == "" || d.Open == nil || !ok || s == elevator.SideUnknown {
			return errors.New("sees_door needs floor, side and open")
		}
	}
	return nil
}

func (t *told) sample(floors elevator.Table, asked elevator.Instant) Sample {
	s := Sample{OdoM: t.OdoM, Battery: t.Battery, Told: t.Where != "" && t.Where != string(fsm.Nowhere)}
	s.At = asked - elevator.Instant(time.Duration(*t.AgeMs)*time.Millisecond) - elevator.Instant(time.Millisecond)
	if s.At == 0 {
		s.At = -1
	}
	s.Where = fsm.SignalWhere(t.Where)
	if t.FloorSure {
		s.Floor = floors.ByLabel(t.Floor)
	}
	s.Motion = motionOf(t.Motion)
	if d := t.SeesDoor; d != nil {
		side, _ := elevator.ParseSide(d.Side)
		if f := floors.ByLabel(d.Floor); f != 0 {
			s.Door = drivers.SeenDoor{Floor: f, Side: side, Open: *d.Open}
		}
	}
	return s
}

func motionOf(word string) elevator.Motion {
	switch word {
	case "still":
		return elevator.Stopped
	case "up":
		return elevator.MovingUp
	case "down":
		return elevator.MovingDown
	}
	return elevator.MotionUnknown
}

// Beat is the sample as a sign of life of the robot.
func (s Sample) Beat() drivers.RideSignal {
	out := drivers.RideSignal{
		Kind: string(fsm.Heartbeat), At: s.At, Where: string(s.Where), Floor: s.Floor, FloorSure: s.Floor != 0,
		Motion: s.Motion, OdoM: s.OdoM, Battery: s.Battery,
	}
	if s.Door.Floor != 0 {
		door := s.Door
		out.Door = &door
	}
	return out
}

// fillWithin is how far apart a sign of life and a sample may be that are told as one.
const fillWithin = time.Second

// Fill adds to a sign of life what the robot's software does not tell and its own source
// does. The whole is as old as its older half; what the software tells stays.
func (s Sample) Fill(beat drivers.RideSignal) drivers.RideSignal {
	apart := beat.At.Sub(s.At)
	if beat.Kind != string(fsm.Heartbeat) || s.At == 0 || apart > fillWithin || apart < -fillWithin {
		return beat
	}
	out := beat
	if out.Motion == elevator.MotionUnknown {
		out.Motion = s.Motion
	}
	if out.OdoM == nil {
		out.OdoM = s.OdoM
	}
	if out.Floor == 0 && s.Floor != 0 {
		out.Floor, out.FloorSure = s.Floor, true
	}
	if out.Door == nil && s.Door.Floor != 0 {
		door := s.Door
		out.Door = &door
	}
	if out != beat {
		out.At = min(beat.At, s.At)
	}
	return out
}
