package fleet

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strconv"
	"time"

	"hoistway/sync/shadow"
)

// The lift of each gateway, and its named shadow.
const lift = "L1"

// legs are the transitions of a ride that goes well, in order.
var legs = []struct{ state, phase string }{
	{"REQUESTING", "calling"},
	{"WAITING", "called"},
	{"MOVING", "riding"},
	{"EXITING", "leaving"},
	{"DONE", "arrived"},
}

// ride is one robot's way from a floor to another.
type ride struct {
	id, robot, from, to string
	leg                 int
}

func newRide(serial string, n int, rng *rand.Rand) ride {
	floors := []string{"G", "1", "2", "3", "4", "5"}
	from := rng.IntN(len(floors))
	to := (from + 1 + rng.IntN(len(floors)-1)) % len(floors)
	return ride{
		id: fmt.Sprintf("%s-%d", serial, n), robot: "R" + strconv.Itoa(1+rng.IntN(3)), from: floors[from], to: floors[to],
	}
}

// fields is what a gateway's lift shadow reports: the ride's by state, null where
// the state has none, and the lift's own facts. wall is the gateway's clock.
func (r ride) fields(wall time.Time) shadow.Tree {
	l := legs[r.leg]
	t := shadow.Tree{
		"state": l.state, "phase": l.phase,
		"current_floor": nil, "target_floor": nil, "elevator_id": nil, "wait_duration": nil, "gate_status": nil,
		"door_status": nil, "elevator_floor": nil, "complete_time": nil, "fault_code": nil, "retry_count": nil,
		"ride": shadow.Tree{
			"id": r.id, "task_id": nil, "robot": r.robot, "battery": number(80), "from": r.from, "to": r.to, "fault_no": number(0),
		},
		"link": "online", "mode": "normal", "occupied": l.state == "MOVING", "owner": r.robot,
		"accepting": true, "not_accepting_why": nil,
	}
	r.byState(t, wall)
	return t
}

func (r ride) byState(t shadow.Tree, wall time.Time) {
	switch t["state"] {
	case "REQUESTING":
		t["target_floor"], t["elevator_id"] = r.to, lift
	case "WAITING":
		t["wait_duration"], t["gate_status"] = number(0), "closed"
	case "MOVING":
		t["elevator_floor"], t["door_status"] = r.from, "closed"
	case "EXITING":
		t["target_floor"], t["current_floor"] = r.to, r.to
	case "DONE":
		t["complete_time"], t["owner"] = number(wall.Unix()), nil
	}
}

// idle is a lift that nobody has taken yet.
func idle() shadow.Tree {
	t := ride{}.fields(time.Time{})
	t["state"], t["phase"], t["ride"], t["owner"] = "IDLE", "free", nil, nil
	t["target_floor"], t["elevator_id"], t["current_floor"] = nil, nil, "G"
	return t
}

func number(n int64) json.Number { return json.Number(strconv.FormatInt(n, 10)) }

// timetable draws when rides begin and how long their legs take.
type timetable struct {
	rng  *rand.Rand
	gap  time.Duration // from ride to ride, in the mean; 0 = there are none
	legs time.Duration // the mean of a leg
}

func newTimetable(rng *rand.Rand, perDay float64) timetable {
	if perDay <= 0 {
		return timetable{rng: rng}
	}
	gap := time.Duration(float64(24*time.Hour) / perDay)
	return timetable{rng: rng, gap: gap, legs: min(6*time.Second, gap/10)}
}

// leg is between half and one and a half of the mean.
func (t timetable) leg() time.Duration {
	return t.legs/2 + time.Duration(t.rng.Int64N(int64(t.legs)+1))
}

// pause is the wait from the end of a ride to the next.
func (t timetable) pause() time.Duration {
	return time.Duration(t.rng.ExpFloat64() * float64(t.gap-4*t.legs))
}
