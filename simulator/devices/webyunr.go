package devices

import (
	"crypto/aes"
	"crypto/md5"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"time"

	"hoistway/fsm/elevator"
	"hoistway/simulator/building"
)

// yunTask is a robot's journey as the service keeps it.
type yunTask struct {
	car      string
	from, to elevator.Floor
	open     int // seconds that a door stays open for the robot
	step     int // 1 called, 2 at the origin with the door open, 3 travelling, 4 at the destination with the door open
}

var errYun = errors.New("not as the service wants it")

// yunKey is the secret as the cipher takes it.
func yunKey() []byte {
	key := []byte(WebSecret)
	for len(key)%16 != 0 {
		key = append(key, 0)
	}
	return key
}

// yunR is the service's interface, base path /api/cloud.
func (s *Web) yunR() http.Handler {
	m := http.NewServeMux()
	for path, do := range map[string]func(map[string]string) (any, error){
		"base/developerLogin":      s.yunLogin,
		"base/getDeviceStatus":     s.yunStatus,
		"elevator/callElevator":    s.yunCall,
		"elevator/getTaskInfo":     s.yunTaskInfo,
		"elevator/sendOpenDoor":    s.yunDoor,
		"elevator/cancelRobotTask": s.yunCancel,
	} {
		m.HandleFunc("POST /api/cloud/"+path, func(w http.ResponseWriter, r *http.Request) {
			in, err := s.yunOpen(r, path == "base/developerLogin")
			if err != nil {
				send(w, http.StatusOK, map[string]any{"success": false, "code": "401"}) // in the clear
				return
			}
			data, err := do(in)
			if path == "elevator/callElevator" {
				s.called()
			}
			out := map[string]any{"success": err == nil, "data": data}
			send(w, http.StatusOK, map[string]any{"encryptScript": yunSeal(out)})
		})
	}
	return m
}

// yunOpen takes the document out of a form, if token and cipher are right.
func (s *Web) yunOpen(r *http.Request, login bool) (map[string]string, error) {
	if r.PostFormValue("appId") != WebClient || r.PostFormValue("encryptType") != "0" {
		return nil, errYun
	}
	if !login && !s.believes(r.PostFormValue("token")) {
		return nil, errYun
	}
	sealed, err := base64.StdEncoding.DecodeString(r.PostFormValue("encryptScript"))
	c, cerr := aes.NewCipher(yunKey())
	if err != nil || cerr != nil || len(sealed) == 0 || len(sealed)%16 != 0 {
		return nil, errYun
	}
	for at := 0; at < len(sealed); at += 16 {
		c.Decrypt(sealed[at:], sealed[at:at+16])
	}
	n := len(sealed) - int(sealed[len(sealed)-1])
	var in map[string]string
	if n < 0 || json.Unmarshal(sealed[:n], &in) != nil || in["robotId"] == "" || len(in["requestId"]) != 32 {
		return nil, errYun
	}
	return in, nil
}

func yunSeal(v any) string {
	text, err := json.Marshal(v)
	c, cerr := aes.NewCipher(yunKey())
	if err != nil || cerr != nil {
		return ""
	}
	for pad, n := 16-len(text)%16, 0; n < pad; n++ {
		text = append(text, byte(pad))
	}
	for at := 0; at < len(text); at += 16 {
		c.Encrypt(text[at:], text[at:at+16])
	}
	return base64.StdEncoding.EncodeToString(text)
}

func (s *Web) yunLogin(in map[string]string) (any, error) {
	sum := md5.Sum([]byte(in["projectId"] + in["requestId"] + in["robotId"] + in["timestamp"] + WebSecret))
	if in["sign"] != hex.EncodeToString(sum[:]) {
		return "", errYun
	}
	token, _ := s.grant()
	return map[string]any{"token": token}, nil
}

// yunCar is the lift of a request, which must have power.
func (s *Web) yunCar(in map[string]string) (string, error) {
	car := in["deviceUnique"]
	if !slices.Contains(s.cars, car) || s.world.Shown(car).Dark {
		return "", errYun
	}
	return car, nil
}

func (s *Web) yunStatus(in map[string]string) (any, error) {
	car, err := s.yunCar(in)
	if err != nil {
		return "", err
	}
	n, ok := s.table(car).Wire(s.world.Shown(car).Floor)
	if !ok {
		return "", nil
	}
	return []any{map[string]any{"deviceUnique": car, "floor": strconv.Itoa(n)}}, nil
}

func (s *Web) yunCall(in map[string]string) (any, error) {
	car, err := s.yunCar(in)
	if err != nil {
		return "", err
	}
	floor := func(key string) elevator.Floor {
		n, err := strconv.Atoi(in[key])
		if err != nil {
			return 0
		}
		return s.table(car).ByWire(n)
	}
	open, _ := strconv.Atoi(in["openTime"])
	t := &yunTask{car: car, from: floor("fromFloor"), to: floor("toFloor"), open: min(open, building.MaxHold), step: 1}
	dir := elevator.Up
	if t.to < t.from {
		dir = elevator.Down
	}
	if t.to == 0 || t.to == t.from {
		return "", errYun
	}
	text := fmt.Sprintf("journey from %s to %s", in["fromFloor"], in["toFloor"])
	if err := s.act(car, text, func(b *building.Building) error { return b.LandingCall(car, t.from, dir) }); err != nil {
		return map[string]any{"wait": "1"}, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.tasks) < 1000 {
		s.tasks[in["robotId"]] = t
	}
	return map[string]any{"wait": "0"}, nil
}

func (s *Web) task(in map[string]string) *yunTask {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.tasks[in["robotId"]]
}

func (s *Web) yunTaskInfo(in map[string]string) (any, error) {
	t := s.task(in)
	if t == nil {
		return "", nil
	}
	is := s.world.Shown(t.car)
	n, _ := s.table(t.car).Wire(is.Floor)
	s.forward(t, is)
	s.mu.Lock()
	defer s.mu.Unlock()
	return map[string]any{"step": strconv.Itoa(t.step), "floor": strconv.Itoa(n)}, nil
}

// forward brings a task to what the car shows.
func (s *Web) forward(t *yunTask, is building.CarState) {
	s.mu.Lock()
	defer s.mu.Unlock()
	open := is.Doors[elevator.Front].State == elevator.DoorOpen && is.Motion == elevator.Stopped
	shut := is.Doors[elevator.Front].State == elevator.DoorClosed
	switch {
	case t.step == 1 && open && is.Floor == t.from:
		t.step = 2
		s.keep(t)
		s.world.Do(func(b *building.Building) { _ = b.CarCall(t.car, t.to) })
	case t.step == 2 && shut:
		t.step = 3
	case t.step == 3 && open && is.Floor == t.to:
		t.step = 4
		s.keep(t)
	case t.step == 4 && shut:
		t.step = 5
	}
}

func (s *Web) keep(t *yunTask) {
	s.world.Do(func(b *building.Building) { _ = b.Hold(t.car, elevator.Front, t.open) })
}

func (s *Web) yunDoor(in map[string]string) (any, error) {
	car, err := s.yunCar(in)
	sec, bad := strconv.Atoi(in["effectiveTime"])
	if err != nil || bad != nil || in["position"] != "in" && in["position"] != "out" {
		return "", errYun
	}
	sec = min(sec, building.MaxHold)
	return map[string]any{}, s.act(car, fmt.Sprintf("hold front door %d s", sec), func(b *building.Building) error { return b.Hold(car, elevator.Front, sec) })
}

func (s *Web) yunCancel(in map[string]string) (any, error) {
	t := s.task(in)
	if t == nil {
		return "", errYun
	}
	s.mu.Lock()
	delete(s.tasks, in["robotId"])
	s.mu.Unlock()
	return map[string]any{"at": time.Now().UnixMilli()}, s.act(t.car, "cancel the journey", func(b *building.Building) error {
		return errors.Join(b.CancelLanding(t.car, t.from), b.CancelCar(t.car, t.to))
	})
}
