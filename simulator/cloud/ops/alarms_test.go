package ops

import (
	"fmt"
	"strings"
	"testing"
)

func (w *world) alarm(serial, code string) {
	w.t.Helper()
	w.do(w.desk.Heard(Happened{Kind: RideFault, Serial: serial, Shadow: "L1", Code: code}, w.now), nil)
}

// said are the notices since the last look, as level and text.
func (w *world) said() string {
	var out []string
	for _, n := range w.notices {
		out = append(out, string(n.Level)+" to "+n.To+": "+n.Text)
	}
	w.notices = nil
	return strings.Join(out, "\n")
}

// OP-4: alarms of one building, time and code are one incident with devices, count and
// share; one notice an hour for a device and a code, and higher as it lasts.
func TestAlarmsAreMerged(t *testing.T) {
	w := newWorld(t)
	for i := range 20 {
		w.enrol("A", fmt.Sprintf("GW-%d", i))
	}
	const code = "NETWORK_TIMEOUT"
	w.alarm("GW-0", code)
	w.same("first", w.said(), "notice to operations: NETWORK_TIMEOUT in A: 1 devices (5 %), 1 alarms")
	w.alarm("GW-0", code)
	w.alarm("GW-1", code)
	w.same("more of it", w.said(), "")
	i := w.desk.Incidents()
	w.same("incident", fmt.Sprint(len(i), i[0].Devices, i[0].Count, i[0].Share, i[0].Open), "1 [GW-0 GW-1] 3 0.1 true")
	w.after(1800) // it is another incident by now, of the same hour
	w.alarm("GW-0", code)
	w.same("within the hour", w.said(), "")
	w.after(1800)
	w.alarm("GW-0", code)
	w.same("an hour later", w.said(), "warning to maintenance: NETWORK_TIMEOUT in A: 1 devices (5 %), 1 alarms")
	w.after(3600)
	w.alarm("GW-0", code)
	w.same("two hours later", w.said(), "urgent to on-duty: NETWORK_TIMEOUT in A: 1 devices (5 %), 1 alarms")
	w.do(w.desk.Heard(Happened{Kind: AlarmEnd, Serial: "GW-0", Code: code}, w.now), nil)
	w.after(3600)
	w.alarm("GW-0", code)
	w.same("after its end", w.said(), "notice to operations: NETWORK_TIMEOUT in A: 1 devices (5 %), 1 alarms")
}

// OP-4: many devices of a building are an alarm of their own, whatever their codes.
func TestBuildingWide(t *testing.T) {
	w := newWorld(t)
	for i := range 10 {
		w.enrol("A", fmt.Sprintf("GW-%d", i))
	}
	w.enrol("B", "GW-90", "GW-91", "GW-92", "GW-93")
	w.alarm("GW-0", "DOOR_TIMEOUT")
	w.alarm("GW-1", "CALL_REFUSED")
	w.alarm("GW-90", "CALL_REFUSED") // two and one: not many
	if said := w.said(); strings.Contains(said, WideCode) {
		t.Error(said)
	}
	w.alarm("GW-2", "NETWORK_TIMEOUT")
	said := w.said()
	if strings.Count(said, WideCode) != 1+1 || !strings.Contains(said, "warning to maintenance: BUILDING_WIDE in A: 3 devices (30 %)") {
		t.Error(said) // told when it began and when the third made it worse
	}
	for i := 3; i < 6; i++ {
		w.alarm(fmt.Sprintf("GW-%d", i), "DOOR_TIMEOUT")
	}
	if said := w.said(); !strings.Contains(said, "urgent to on-duty: BUILDING_WIDE in A: 5 devices (50 %)") {
		t.Error(said)
	}
}

// OP-4: what the service itself finds is an alarm too, and ends when the device is back.
func TestOwnAlarms(t *testing.T) {
	w := newWorld(t)
	w.enrol("A", "GW-1")
	for kind, code := range map[string]string{
		Offline: "OFFLINE", Semi: "SEMI_OFFLINE", WorkOrder: "WORK_ORDER", Expired: "DESIRED_EXPIRED", CommandFailed: "COMMAND_FAILED",
	} {
		w.do(w.desk.Heard(Happened{Kind: kind, Serial: "GW-1"}, w.now), nil)
		if said := w.said(); !strings.Contains(said, code+" in A") {
			t.Errorf("%s: %s", kind, said)
		}
	}
	w.do(w.desk.Heard(Happened{Kind: "ride.done", Serial: "GW-1"}, w.now), nil)
	w.same("a ride that ends", w.said(), "")
}

// OP-7: a fault names what it touches.
func TestTopology(t *testing.T) {
	w := newWorld(t)
	w.enrol("A", "GW-1")
	w.do(w.desk.SetNode(Node{ID: "floor/A/3", Of: []string{"building/A", "lift/GW-1/L1"}}))
	w.do(w.desk.SetNode(Node{ID: "door/A/3-east", Of: []string{"floor/A/3"}}))
	w.do(w.desk.SetNode(Node{ID: "floor/A/4", Of: []string{"building/A", "lift/GW-1/L2"}}))
	w.write(Member{"GW-1", "L1"}, update(t, `{"ride":{"robot":"R7"}}`), "")
	w.alarm("GW-1", "DOOR_TIMEOUT")
	w.same("touches", w.desk.Incidents()[0].Touches, "[lift/GW-1/L1 floor/A/3 robot/R7 door/A/3-east]")
	w.write(Member{"GW-1", "L1"}, update(t, `{"ride":null}`), "")
	i := w.desk.Incidents()[0]
	w.same("who was aboard, and what is touched now", fmt.Sprint(i.Robots, i.Touches), "[robot/R7] [lift/GW-1/L1 floor/A/3 door/A/3-east]")
	w.write(Member{"GW-1", "L1"}, update(t, `{"ride":{"robot":"R7"}}`), "")
	w.same("of none", len(w.desk.Touched("lift/GW-9/L1")), 0)
	var ids []string
	for _, n := range w.desk.Topology() {
		ids = append(ids, n.ID)
	}
	w.same("nodes", ids, "[campus/Riverside building/A lift/GW-1/L1 lift/GW-1/L2 floor/A/3 floor/A/4 door/A/3-east gateway/GW-1]")
	for _, id := range []string{"", "floor", "ship/A", "floor/"} {
		if _, err := w.desk.SetNode(Node{ID: id}); err == nil {
			t.Errorf("node %q was taken", id)
		}
	}
	w.do(w.desk.DropNode("floor/A/3"))
	w.same("touches", w.desk.Touched("lift/GW-1/L1"), "[lift/GW-1/L1 robot/R7]")
}

// A ring of nodes ends all the same.
func TestTopologyInARing(t *testing.T) {
	w := newWorld(t)
	w.do(w.desk.SetNode(Node{ID: "floor/1", Of: []string{"floor/2"}}))
	w.do(w.desk.SetNode(Node{ID: "floor/2", Of: []string{"floor/1"}}))
	w.same("touches", w.desk.Touched("floor/1"), "[floor/1 floor/2]")
}

// A whole fleet that goes away at once is a moment's work: two thousand alarms in
// twenty buildings.
func TestAStormOfAlarms(t *testing.T) {
	w := newWorld(t)
	for i := range 2000 {
		w.desk.Enrol(fmt.Sprintf("GW-%d", i), Tags{Building: fmt.Sprint(i % 20)}, []string{"L1"}, w.now)
	}
	for i := range 2000 {
		w.do(w.desk.Heard(Happened{Kind: Offline, Serial: fmt.Sprintf("GW-%d", i)}, w.now), nil)
	}
	n := 0
	for _, i := range w.desk.Incidents() {
		if i.Code == "OFFLINE" && len(i.Devices) == 100 && i.Share == 1 && i.Level == Urgent {
			n++
		}
	}
	w.same("incidents", n, 20)
	if len(w.notices) > 20*2*3 {
		t.Errorf("%d notices of two thousand alarms", len(w.notices))
	}
}
