package devices

import (
	"encoding/json"
	"fmt"
	"net"
	"slices"
	"strings"
	"sync"
	"time"

	"hoistway/fsm/elevator"
	"hoistway/simulator/broker"
	"hoistway/simulator/building"
)

// LCI is lifts behind a message broker that speaks as Octa's service does: one robot at a
// time, that registers, calls, tells where it is, and releases. The broker is its own.
// Its methods may be called from any goroutine.
type LCI struct {
	world   *World
	addr    string
	manners LCIManners
	broker  *broker.Broker
	lifts   map[string]*LCILift // by building/bank/elevator
	order   []*LCILift
	end     chan struct{}
	wg      sync.WaitGroup
	once    sync.Once
}

// LCIManners are how a service of this kind behaves.
type LCIManners struct {
	// Registration is how long a registration takes, up to three minutes.
	Registration time.Duration
	// DeadTime follows each ride: no registration is taken.
	DeadTime time.Duration
	// TellsStrangers lets robots that are not registered ask for the state of the car.
	TellsStrangers bool
}

// LCIManner is the service as its client knows it.
func LCIManner() LCIManners {
	return LCIManners{Registration: 2 * time.Second, DeadTime: 10 * time.Second}
}

// LCISeat is a lift with its place in the service.
type LCISeat struct{ Car, Building, Bank, Elevator string }

// LCILift is one lift of the service.
type LCILift struct {
	LCISeat
	table elevator.Table

	mu        sync.Mutex
	robot     string // that is registered
	dead      time.Time
	keep      elevator.Side // the door that is kept open for the robot
	at        elevator.Floor
	emergency bool
	writes    []Write
}

// ServeLCI puts lifts behind a broker at an address of any network that listen knows.
func ServeLCI(w *World, listen func(network, address string) (net.Listener, error), addr string, m LCIManners, seats ...LCISeat) (*LCI, error) {
	s := &LCI{world: w, manners: m, lifts: map[string]*LCILift{}, end: make(chan struct{})}
	for _, seat := range seats {
		l := &LCILift{LCISeat: seat}
		w.Do(func(b *building.Building) { l.table = b.Table(seat.Car) })
		key := seat.Building + "/" + seat.Bank + "/" + seat.Elevator
		if l.table == nil || s.lifts[key] != nil {
			return nil, fmt.Errorf("lift %q at %s: %w, or the place is taken", seat.Car, key, building.ErrNoCar)
		}
		s.lifts[key] = l
		s.order = append(s.order, l)
	}
	ln, err := listen("tcp", addr)
	if err != nil {
		return nil, err
	}
	s.addr = ln.Addr().String()
	return s, s.start(ln)
}

func (s *LCI) start(ln net.Listener) (err error) {
	s.broker, err = broker.Start(ln, broker.Options{Filter: "/lci/#", Hear: s.hear})
	if err != nil {
		return err
	}
	s.wg.Go(s.doors)
	return nil
}

// Addr is where the broker answers, as host:port.
func (s *LCI) Addr() string { return s.addr }

// Lift is one of them by its car, nil for none.
func (s *LCI) Lift(car string) *LCILift {
	for _, l := range s.order {
		if l.Car == car {
			return l
		}
	}
	return nil
}

// Close ends the service and its broker.
func (s *LCI) Close() (err error) {
	s.once.Do(func() {
		close(s.end)
		err = s.broker.Close() // nothing more is heard then
		s.wg.Wait()
	})
	return err
}

// Emergency begins or ends an alarm of the building: everything is answered by 99.
func (l *LCILift) Emergency(on bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.emergency = on
	if on {
		l.robot, l.keep = "", elevator.SideUnknown
	}
}

// Writes is the journal of what was asked, oldest first.
func (l *LCILift) Writes() []Write {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Clone(l.writes)
}

// lciAsk is what a request may hold.
type lciAsk struct {
	Robot     string      `json:"robot_id"`
	At        json.Number `json:"timestamp"`
	From      *string     `json:"origination"`
	FromDoor  int         `json:"origination_door"`
	To        *string     `json:"destination"`
	ToDoor    int         `json:"destination_door"`
	State     int         `json:"state"`
	Direction int         `json:"direction"`
	DryRun    bool        `json:"dry_run"`
}

// lciAnswers are the topics on which requests are answered.
func lciAnswers() map[string]string {
	return map[string]string{
		"Registration": "RegistrationResult", "CallElevator": "CallElevatorResult", "RequestElevatorStatus": "ElevatorStatus",
		"RobotStatus": "RobotStatusResult", "Release": "ReleaseResult",
	}
}

// hear takes one message on /lci/building/bank/elevator/Api/robot.
func (s *LCI) hear(b *broker.Broker, topic string, payload []byte) {
	p := strings.Split(topic, "/")
	if len(p) != 7 || lciAnswers()[p[5]] == "" {
		return
	}
	var ask lciAsk
	l := s.lifts[p[2]+"/"+p[3]+"/"+p[4]]
	if l == nil || json.Unmarshal(payload, &ask) != nil || ask.Robot != p[6] {
		return
	}
	s.wg.Go(func() {
		rest, after := s.answer(l, p[5], ask)
		if !pause(after, s.end) {
			return
		}
		rest["requested_robot_id"], rest["requested_timestamp"] = ask.Robot, ask.At
		out, err := json.Marshal(rest)
		if err == nil {
			p[5] = lciAnswers()[p[5]]
			err = b.Publish(strings.Join(p, "/"), out, false, 1)
		}
		_ = err // nobody to tell: the robot waits in vain, as with the real one
	})
}

// Results of the service.
const (
	lciGood      = 1
	lciFailed    = 2
	lciError     = 3
	lciEmergency = 99
)

func (s *LCI) answer(l *LCILift, api string, ask lciAsk) (map[string]any, time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	out := map[string]any{"result": lciGood}
	if l.emergency {
		out["result"] = lciEmergency
		return out, 0
	}
	switch api {
	case "RequestElevatorStatus":
		if l.robot != ask.Robot && !s.manners.TellsStrangers {
			out["result"] = lciFailed
			return out, 0
		}
		s.tell(l, out)
		return out, 0
	case "Registration":
		out["result"] = l.register(ask)
		return out, s.manners.Registration
	}
	if l.robot != ask.Robot {
		out["result"] = lciFailed
		return out, 0
	}
	switch api {
	case "CallElevator":
		out["result"] = s.call(l, ask)
	case "RobotStatus":
		out["result"] = l.status(s.world, ask)
	case "Release":
		l.robot, l.keep, l.dead = "", elevator.SideUnknown, time.Now().Add(s.manners.DeadTime)
		l.note(s.world, "release by "+ask.Robot)
	}
	return out, 0
}

func (l *LCILift) register(ask lciAsk) int {
	switch {
	case l.robot != "" && l.robot != ask.Robot, time.Now().Before(l.dead):
		return lciFailed
	case !ask.DryRun:
		l.robot = ask.Robot
	}
	return lciGood
}

// tell shows the car: the name of the landing, and which doors are fully open.
func (s *LCI) tell(l *LCILift, out map[string]any) {
	c := s.world.Shown(l.Car)
	door := 0
	for side, n := range map[elevator.Side]int{elevator.Front: 1, elevator.Rear: 2} {
		if c.Doors[side].State == elevator.DoorOpen {
			door += n
		}
	}
	out["floor"], out["door"], out["direction"] = l.table.Label(c.Floor), door, map[elevator.Motion]int{elevator.MovingUp: 1, elevator.MovingDown: 2}[c.Motion]
}

func (s *LCI) call(l *LCILift, ask lciAsk) int {
	name, side, inside := ask.From, ask.FromDoor, false
	if name == nil {
		name, side, inside = ask.To, ask.ToDoor, true
	}
	if name == nil || side < 1 || side > 2 {
		return lciError
	}
	floor := l.table.ByLabel(*name)
	door := []elevator.Side{1: elevator.Front, 2: elevator.Rear}[side]
	if !l.table.Opens(floor, door) {
		return lciError
	}
	var err error
	s.world.Do(func(b *building.Building) {
		if inside {
			err = b.CarCall(l.Car, floor)
			return
		}
		dir := elevator.Up
		if int(floor) == len(l.table) {
			dir = elevator.Down
		}
		err = b.LandingCall(l.Car, floor, dir)
	})
	if err != nil {
		return lciFailed
	}
	l.keep, l.at = door, floor
	l.note(s.world, map[bool]string{false: "call to ", true: "call inside to "}[inside]+*name)
	return lciGood
}

func (l *LCILift) status(w *World, ask lciAsk) int {
	if ask.State < 1 || ask.State > 5 {
		return lciError
	}
	if ask.State != 5 {
		l.keep = elevator.SideUnknown // it goes on
	}
	l.note(w, fmt.Sprintf("robot %s is in state %d", ask.Robot, ask.State))
	return lciGood
}

func (l *LCILift) note(w *World, text string) {
	if len(l.writes) == maxWrites {
		l.writes = append(l.writes[:0], l.writes[maxWrites/2:]...)
	}
	l.writes = append(l.writes, Write{At: w.Now(), Text: text})
}

// doors keeps a door open for a robot that has not said yet that it is through.
func (s *LCI) doors() {
	for pause(250*time.Millisecond, s.end) {
		for _, l := range s.order {
			l.mu.Lock()
			side, at := l.keep, l.at
			l.mu.Unlock()
			if side == elevator.SideUnknown {
				continue
			}
			s.world.Do(func(b *building.Building) {
				if c := b.Shown(l.Car); c.Floor == at && c.Motion == elevator.Stopped {
					_ = b.Hold(l.Car, side, 3) // refused while the door is shut
				}
			})
		}
	}
}
