package devices

import (
	"encoding/json"
	"net"
	"testing"
	"time"

	"github.com/gopcua/opcua/ua"

	"hoistway/fsm/elevator"
	"hoistway/simulator/building"
)

// benchWorld is the bench building in real time.
func benchWorld(t *testing.T) *World {
	t.Helper()
	b, err := building.New(building.Bench())
	if err != nil {
		t.Fatal(err)
	}
	return NewRealWorld(b)
}

// SM-4: the service as its client knows it: one robot at a time, nothing for strangers,
// ten seconds after a ride, 99 in an emergency, errors for what cannot be.
func TestLCIManners(t *testing.T) {
	w := benchWorld(t)
	m := LCIManners{Registration: time.Second, DeadTime: 200 * time.Millisecond}
	s, err := ServeLCI(w, net.Listen, "127.0.0.1:0", m, LCISeat{Car: "L1", Building: "b", Bank: "A", Elevator: "1"})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	l := s.Lift("L1")
	text := func(s string) *string { return &s }
	step := func(api string, ask lciAsk, want int) map[string]any {
		t.Helper()
		out, _ := s.answer(l, api, ask)
		if out["result"] != want {
			t.Errorf("%s %+v: %v, want %d", api, ask, out, want)
		}
		return out
	}
	one, two := lciAsk{Robot: "R1"}, lciAsk{Robot: "R2"}
	step("RequestElevatorStatus", one, lciFailed)
	step("Release", one, lciFailed)
	step("Registration", lciAsk{Robot: "R1", DryRun: true}, lciGood)
	step("CallElevator", lciAsk{Robot: "R1", From: text("G"), FromDoor: 1}, lciFailed)
	if _, after := s.answer(l, "Registration", one); after != time.Second {
		t.Errorf("registered after %s", after)
	}
	step("Registration", two, lciFailed)
	if out := step("RequestElevatorStatus", one, lciGood); out["floor"] != "B1" || out["door"] != 0 {
		t.Errorf("%v", out)
	}
	step("CallElevator", lciAsk{Robot: "R1", From: text("9"), FromDoor: 1}, lciError)
	step("CallElevator", lciAsk{Robot: "R1", From: text("1"), FromDoor: 2}, lciError)
	step("CallElevator", lciAsk{Robot: "R1"}, lciError)
	step("CallElevator", lciAsk{Robot: "R1", From: text("G"), FromDoor: 2}, lciGood)
	step("RobotStatus", lciAsk{Robot: "R1", State: 9}, lciError)
	step("RobotStatus", lciAsk{Robot: "R1", State: 1}, lciGood)
	step("Release", one, lciGood)
	step("Registration", one, lciFailed)
	time.Sleep(m.DeadTime)
	step("Registration", two, lciGood)
	l.Emergency(true)
	step("RequestElevatorStatus", two, lciEmergency)
	l.Emergency(false)
	step("RequestElevatorStatus", two, lciFailed)
	if got := l.Writes(); len(got) != 3 || got[0].Text != "call to G" {
		t.Errorf("%v", got)
	}
	if raw, err := json.Marshal(map[string]any{"requested_timestamp": json.Number("1718000000.120")}); err != nil || string(raw) != `{"requested_timestamp":1718000000.120}` {
		t.Errorf("a time is echoed as %s, %v", raw, err)
	}
}

// SM-4: numbers of the lift object, and what a write is answered.
func TestNodesOfALift(t *testing.T) {
	w := benchWorld(t)
	n, err := ServeNodes(w, "127.0.0.1:0", "L1")
	if err != nil {
		t.Fatal(err)
	}
	defer n.Close()
	if n.Base("L1") != "ns=2;s=L1." {
		t.Errorf("base %s", n.Base("L1"))
	}
	read := func(name string) *ua.DataValue {
		return n.Attribute(ua.NewStringNodeID(n.ns, name), ua.AttributeIDValue)
	}
	if v := read("L1.Car_Position"); v.Value.Value() != uint8(1) {
		t.Errorf("%+v", v)
	}
	if v := read("L1.Car_Mode"); v.Value.Value() != uint16(1) {
		t.Errorf("%+v", v)
	}
	for name, want := range map[string]ua.StatusCode{
		"L9.Car_Mode": ua.StatusBadNodeIDUnknown, "L1.Car_Mod": ua.StatusBadNodeIDUnknown, "L1.Making_Car_Call": ua.StatusBadNotReadable,
	} {
		if v := read(name); v.Status != want {
			t.Errorf("%s: %v", name, v.Status)
		}
	}
	for _, c := range []struct {
		name string
		v    any
		want ua.StatusCode
	}{
		{"L1.Making_Car_Call", uint8(3), ua.StatusOK},
		{"L1.Making_Car_Call", uint8(99), ua.StatusBadOutOfRange},
		{"L1.Making_Car_Call", int16(3), ua.StatusBadTypeMismatch},
		{"L1.Car_Mode", uint8(3), ua.StatusBadNotWritable},
		{"L1.Nothing", uint8(3), ua.StatusBadNodeIDUnknown},
		{"L1.Door_Hold_Front", uint8(5), ua.StatusBadInvalidState},
	} {
		got := n.SetAttribute(ua.NewStringNodeID(n.ns, c.name), ua.AttributeIDValue, &ua.DataValue{Value: ua.MustVariant(c.v)})
		if got != c.want {
			t.Errorf("%s = %v: %v, want %v", c.name, c.v, got, c.want)
		}
	}
	if v := read("L1.Registered_Car_Call"); len(v.Value.Value().([]uint16)) != 1 {
		t.Errorf("%+v", v.Value.Value())
	}
	w.Do(func(b *building.Building) {
		if err := b.SetMode("L1", elevator.Fire); err != nil {
			t.Error(err)
		}
	})
	if v := read("L1.Car_Mode"); v.Value.Value() != uint16(11) {
		t.Errorf("%+v", v.Value.Value())
	}
}
