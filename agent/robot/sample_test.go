package robot

import (
	"strings"
	"testing"
	"time"

	"hoistway/drivers"
	"hoistway/fsm"
	"hoistway/fsm/elevator"
)

// RD-16: an answer of the source is whole and dated, or none.
func TestReadSample(t *testing.T) {
	const good = `{"age_ms": 250, "where": "car", "floor": "1", "floor_sure": true, "motion": "still", "odo_m": 12.25, "battery": 71,
		"sees_door": {"floor": "1", "side": "front", "open": true}}`
	s, err := ReadSample([]byte(good), floors, sec(10))
	if err != nil {
		t.Fatal(err)
	}
	// asked at 10 s, 250 ms old, and a millisecond that may have been rounded away.
	if s.At != sec(9.749) || s.Floor != 3 || s.Motion != elevator.Stopped || *s.OdoM != 12.25 || !s.Told || s.Door != (drivers.SeenDoor{Floor: 3, Side: elevator.Front, Open: true}) {
		t.Errorf("%+v", s)
	}
	b := s.Beat()
	if b.Kind != "heartbeat" || b.At != s.At || b.Where != "car" || b.Floor != 3 || !b.FloorSure || *b.Battery != 71 || b.Door == nil {
		t.Errorf("as a sign of life %+v", b)
	}
	for _, c := range []struct{ name, raw, want string }{
		{"nothing", ``, "no object"},
		{"no date", `{"motion": "still"}`, "age_ms is missing"},
		{"a date to come", `{"age_ms": -1}`, "age_ms is -1"},
		{"a day old", `{"age_ms": 86400000}`, "age_ms is 86400000"},
		{"a word", `{"age_ms": 0, "motion": "stopped"}`, "motion is"},
		{"a place", `{"age_ms": 0, "where": "inside"}`, "where is"},
		{"a key", `{"age_ms": 0, "age": 3}`, "unknown field"},
		{"a door by half", `{"age_ms": 0, "sees_door": {"floor": "1", "side": "front"}}`, "sees_door needs"},
		{"a side", `{"age_ms": 0, "sees_door": {"floor": "1", "side": "north", "open": true}}`, "sees_door needs"},
		{"sure of nothing", `{"age_ms": 0, "floor_sure": true}`, "floor_sure without"},
		{"far away", `{"age_ms": 0, "odo_m": 1e12}`, "odo_m is"},
		{"full", `{"age_ms": 0, "battery": 101}`, "battery is"},
		{"two", `{"age_ms": 0}{}`, "something follows"},
		{"a list", `[]`, "no object"},
		{"long", `{"age_ms": 0, "where": "` + strings.Repeat("x", MaxSample) + `"}`, "more than"},
	} {
		if s, err := ReadSample([]byte(c.raw), floors, sec(10)); err == nil || !strings.Contains(err.Error(), c.want) || s != (Sample{}) {
			t.Errorf("%s: %v", c.name, err)
		}
	}
	if s, err := ReadSample([]byte(`{"age_ms": 0, "floor": "9", "floor_sure": true}`), floors, sec(10)); err != nil || s.Floor != 0 {
		t.Errorf("a floor that is not in the table: %+v, %v", s, err)
	}
	if s, err := ReadSample([]byte(`{"age_ms": 0, "floor": "1"}`), floors, sec(10)); err != nil || s.Floor != 0 || s.Told {
		t.Errorf("a floor that is not sure: %+v, %v", s, err)
	}
}

// A sample adds to a sign of life what the software does not tell; the whole is as old as
// its older half. It is added to nothing else, and not from another time.
func TestFill(t *testing.T) {
	odo := 4.5
	s := Sample{Sight: Sight{At: sec(9.5), Floor: 3, Motion: elevator.MovingUp}, OdoM: &odo}
	got := s.Fill(said(fsm.Heartbeat, sec(10), "car"))
	if got.At != sec(9.5) || got.Motion != elevator.MovingUp || got.OdoM != &odo || got.Floor != 3 || !got.FloorSure || got.Where != "car" {
		t.Errorf("%+v", got)
	}
	own := said(fsm.Heartbeat, sec(10), "car", func(s *drivers.RideSignal) { s.Motion = elevator.Stopped })
	if got := s.Fill(own); got.Motion != elevator.Stopped {
		t.Errorf("the software's own word was written over: %+v", got)
	}
	for _, b := range []drivers.RideSignal{said(fsm.Left, sec(10), "landing"), said(fsm.Heartbeat, sec(9.5).Add(time.Second+1), "car")} {
		if got := s.Fill(b); got != b {
			t.Errorf("%+v became %+v", b, got)
		}
	}
}

// What a broken source answers never stops the agent, and never is a fact without a date.
func FuzzReadSample(f *testing.F) {
	f.Add([]byte(`{"age_ms":0,"where":"car","sees_door":{"floor":"1","side":"front","open":true}}`))
	f.Add([]byte(`{"age_ms":null}`))
	f.Fuzz(func(t *testing.T, raw []byte) {
		s, err := ReadSample(raw, floors, sec(10))
		if err == nil && (s.At == 0 || s.At >= sec(10)) {
			t.Errorf("%q is dated %d", raw, s.At)
		}
	})
}
