package localapi

import (
	"context"
	"math"
	"net/http"
	"reflect"
	"slices"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"hoistway/agent/core"
	"hoistway/fsm"
	"hoistway/fsm/elevator"
)

const (
	maxAge = time.Hour // of a signal's content
	maxOdo = 1e9       // metres
)

type robotPath struct {
	Robot string `path:"robot"`
}

func (s *Server) robotCalls(api huma.API) {
	call(api, op{
		method: "POST", path: "/v1/robots/{robot}/heartbeat", id: "heartbeat", summary: "A robot's sign of life, with or without a ride",
		need: robot, body: reflect.TypeFor[Signal](),
	}, s.heartbeat)
	call(api, op{
		method: "POST", path: "/v1/robots/{robot}/task-finished", id: "finish-task", summary: "A robot's word that its job has ended, which a ride's end does not say",
		status: http.StatusAccepted, need: robot, body: reflect.TypeFor[Finished](),
	}, s.finishTask)
}

func (s *Server) signalRide(ctx context.Context, c caller, in *ridePath) (*out[Ride], *Problem) {
	r, p := s.ride(c, in.Ride)
	if p != nil {
		return nil, p
	}
	body, p := bodyOf[Signal](ctx)
	if p != nil {
		return nil, p
	}
	if body.Kind == "" {
		return nil, missing("kind")
	}
	sig, p := signalOf(&body, []elevator.Table{r.Floors})
	if p != nil {
		return nil, p
	}
	return s.told(ctx, c, in.Ride, core.SendSignal{Ride: in.Ride, Signal: sig}, http.StatusOK)
}

// speaksFor: a robot for itself, a technician for any that the configuration has.
func (s *Server) speaksFor(c caller, id string) *Problem {
	if c.role == robot && c.name != id {
		return refuse(asNotAllowed, "a robot speaks for itself")
	}
	if _, known := s.keys.robots[id]; !known {
		return refuse(asNoRobot, "the configuration has no robot %q", id)
	}
	return nil
}

func (s *Server) finishTask(ctx context.Context, c caller, in *robotPath) (*out[TaskHeard], *Problem) {
	if p := s.speaksFor(c, in.Robot); p != nil {
		return nil, p
	}
	body, p := bodyOf[Finished](ctx)
	switch {
	case p != nil:
		return nil, p
	case body.Task == "":
		return nil, missing("task_id")
	case !text(body.Task, 128):
		return nil, badValue("task_id", "at most 128 printable characters")
	}
	switch body.Result {
	case "":
		body.Result = "done"
	case "done", "failed", "cancelled":
	default:
		return nil, badValue("result", "done, failed or cancelled")
	}
	if _, p := s.ask(ctx, core.FinishTask{Robot: in.Robot, Task: body.Task, Result: body.Result}); p != nil {
		return nil, p
	}
	told := TaskHeard{Robot: in.Robot, Task: body.Task, Result: body.Result, Cloud: s.view().Cloud}
	return &out[TaskHeard]{Status: http.StatusAccepted, Body: told}, nil
}

func (s *Server) heartbeat(ctx context.Context, c caller, in *robotPath) (*out[Heard], *Problem) {
	if p := s.speaksFor(c, in.Robot); p != nil {
		return nil, p
	}
	body, p := bodyOf[Signal](ctx)
	switch {
	case p != nil:
		return nil, p
	case body.Kind != "" && body.Kind != string(fsm.Heartbeat):
		return nil, badValue("kind", "absent, or heartbeat")
	case body.Permit != "":
		return nil, badValue("permit", "absent: a heartbeat acts on none")
	}
	body.Kind = string(fsm.Heartbeat)
	running, tables := s.runningOf(in.Robot)
	sig, p := signalOf(&body, tables)
	if p != nil {
		return nil, p
	}
	if _, p := s.ask(ctx, core.SendHeartbeat{Robot: in.Robot, Signal: sig}); p != nil {
		return nil, p
	}
	return ok(Heard{Robot: in.Robot, Rides: running}), nil
}

// runningOf lists a robot's rides that have not ended, and the floor tables by
// which its words are read: of its ride, else of every lift.
func (s *Server) runningOf(id string) (rides []string, tables []elevator.Table) {
	v := s.view()
	rides = []string{}
	for i := range v.Rides {
		r := &v.Rides[i]
		if r.Ride.Robot == id && r.Ride.State != fsm.Done {
			rides = append(rides, r.Ride.ID)
			tables = append(tables, r.Floors)
		}
	}
	if len(tables) == 0 {
		for i := range v.Lifts {
			tables = append(tables, v.Lifts[i].Floors)
		}
	}
	return rides, tables
}

// signalOf judges a signal. Its floors are read by the first table that has them.
func signalOf(b *Signal, tables []elevator.Table) (fsm.Signal, *Problem) {
	if p := signalShape(b); p != nil {
		return fsm.Signal{}, p
	}
	view := fsm.RobotView{Where: fsm.SignalWhere(b.Where), FloorSure: b.FloorSure, Motion: motionOf(b.Motion)}
	if b.OdoM != nil {
		view.OdoM = *b.OdoM
	}
	var p *Problem
	if view.Floor, p = floorOf(b.Floor, tables, "floor"); p != nil {
		return fsm.Signal{}, p
	}
	if b.SeesDoor != nil {
		if p = doorOf(b.SeesDoor, tables, &view); p != nil {
			return fsm.Signal{}, p
		}
	}
	sig := fsm.Signal{
		Kind: fsm.SignalKind(b.Kind), Boot: b.Boot, Seq: b.Seq, Age: time.Duration(b.AgeMs) * time.Millisecond,
		View: view, Permit: b.Permit, Battery: -1,
	}
	if b.Battery != nil {
		sig.Battery = *b.Battery
	}
	return sig, nil
}

func signalShape(b *Signal) *Problem {
	switch {
	case !slices.Contains(fsm.SignalKinds(), fsm.SignalKind(b.Kind)):
		return badValue("kind", "one of the kinds of signals")
	case b.Boot == "":
		return missing("boot")
	case !text(b.Boot, 64):
		return badValue("boot", "at most 64 printable characters")
	case b.AgeMs < 0 || b.AgeMs > maxAge.Milliseconds():
		return badValue("age_ms", "0 to 3600000 milliseconds")
	case b.Where == "":
		return missing("where")
	case !slices.Contains([]fsm.SignalWhere{fsm.AtLanding, fsm.AtDoorway, fsm.InCar, fsm.Nowhere}, fsm.SignalWhere(b.Where)):
		return badValue("where", "landing, doorway, car or unknown")
	case b.Kind == string(fsm.Entered) && b.Where != string(fsm.InCar):
		return badValue("where", "car: entered says that all of the robot is inside")
	case b.Kind == string(fsm.Left) && b.Where != string(fsm.AtLanding):
		return badValue("where", "landing: left says that all of the robot is outside")
	case !slices.Contains([]string{"", "still", "up", "down", "unknown"}, b.Motion):
		return badValue("motion", "still, up, down or unknown")
	case b.OdoM != nil && math.Abs(*b.OdoM) > maxOdo:
		return badValue("odo_m", "metres, up to 1e9")
	case b.Battery != nil && (*b.Battery < 0 || *b.Battery > 100):
		return badValue("battery", "0 to 100 per cent")
	case !text(b.Permit, 128):
		return badValue("permit", "the id of a permit")
	case b.FloorSure && b.Floor == "":
		return badValue("floor_sure", "false where no floor is told")
	}
	return nil
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

func floorOf(label string, tables []elevator.Table, field string) (elevator.Floor, *Problem) {
	if label == "" {
		return 0, nil
	}
	for _, t := range tables {
		if f := t.ByLabel(label); f != 0 {
			return f, nil
		}
	}
	return 0, refuse(asUnknownFloor, "there is no floor %q", label).at(field)
}

func doorOf(d *SeesDoor, tables []elevator.Table, view *fsm.RobotView) *Problem {
	if d.Floor == "" {
		return missing("sees_door/floor")
	}
	var p *Problem
	if view.DoorFloor, p = floorOf(d.Floor, tables, "sees_door/floor"); p != nil {
		return p
	}
	side, known := elevator.ParseSide(d.Side)
	if !known || side == elevator.SideUnknown {
		return badValue("sees_door/side", "front, rear, left or right")
	}
	view.DoorSide, view.DoorOpen = side, elevator.No
	if d.Open {
		view.DoorOpen = elevator.Yes
	}
	return nil
}
