package devices

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"hoistway/fsm/elevator"
	"hoistway/simulator/building"
)

// liftAuth is the lobby's socket: /v2?lobbyId=…, floors from 0.
func (s *Web) liftAuth(w http.ResponseWriter, r *http.Request) {
	s.over()
	if r.Header.Get("Authorization") != WebSecret || r.URL.Path != "/v2" || r.URL.Query().Get("lobbyId") == "" {
		http.Error(w, "unauthorized", http.StatusUnauthorized)
		return
	}
	l := &lobby{web: s, id: r.RemoteAddr + time.Now().String(), at: map[string]elevator.Floor{}}
	defer l.off()
	s.talk(w, r, "", l.says, l.tick)
}

// lobby is one socket of it.
type lobby struct {
	web   *Web
	id    string
	at    map[string]elevator.Floor // of each car, as told last
	on    string                    // the request that asked for robot mode
	since time.Time
	n     int
}

// liftAuthAsk is one message of a client.
type liftAuthAsk struct {
	RequestID, Command string
	Parameters         struct {
		LiftID, ReservedLiftID string
		TargetFloor            *int
	}
}

func (l *lobby) says(b []byte) []any {
	var q liftAuthAsk
	l.web.over()
	if json.Unmarshal(b, &q) != nil || q.RequestID == "" {
		return []any{map[string]any{"status": "error", "code": "ERROR_BAD_REQUEST"}}
	}
	if q.Command == "ROBOT_MODE_OFF" {
		return l.robotOff(q.RequestID)
	}
	car := q.Parameters.LiftID + q.Parameters.ReservedLiftID
	if !slices.Contains(l.web.cars, car) || l.web.world.Shown(car).Dark {
		return l.answer(q.RequestID, "ERROR_NOT_FOUND", "Lift with ID "+car+" not found", nil)
	}
	switch q.Command {
	case "GET_LIFT_POSITION":
		return l.position(q, car)
	case "GET_DOOR_STATUS":
		state := "closed" // a door that is not fully open is closed here
		if l.web.world.Shown(car).Doors[elevator.Front].State == elevator.DoorOpen {
			state = "open"
		}
		return l.answer(q.RequestID, "GET_DOOR_STATUS_OK", "", map[string]any{"doorStatus": state})
	case "CALL_LIFT":
		return l.call(q, car)
	case "SET_DOOR_OPEN", "SET_DOOR_CLOSE":
		sec := map[string]int{"SET_DOOR_OPEN": building.MaxHold}[q.Command]
		return l.did(q.RequestID, q.Command, l.web.act(car, fmt.Sprintf("hold front door %d s", sec), func(b *building.Building) error { return b.Hold(car, elevator.Front, sec) }))
	case "ROBOT_MODE_ON":
		return l.robotOn(q.RequestID)
	}
	return l.answer(q.RequestID, "ERROR_NOT_FOUND", "no such command", nil)
}

func (l *lobby) position(q liftAuthAsk, car string) []any {
	is := l.web.world.Shown(car)
	if is.Floor == 0 {
		return l.answer(q.RequestID, "ERROR_UNKNOWN", "position not known", nil)
	}
	return l.answer(q.RequestID, "GET_LIFT_POSITION_OK", "", map[string]any{"currentFloor": int(is.Floor) - 1, "isMoving": is.Motion != elevator.Stopped})
}

func (l *lobby) call(q liftAuthAsk, car string) []any {
	if q.Parameters.TargetFloor == nil {
		return l.answer(q.RequestID, "ERROR_BAD_REQUEST", "", nil)
	}
	n := *q.Parameters.TargetFloor
	return l.did(q.RequestID, q.Command, l.web.act(car, fmt.Sprintf("call to floor %d", n), func(b *building.Building) error {
		if n < 0 || n > elevator.MaxFloors {
			return building.ErrNoLanding
		}
		return b.CarCall(car, elevator.Floor(n+1))
	}))
}

func (l *lobby) robotOff(id string) []any {
	if !l.off() {
		return l.answer(id, "ROBOT_MODE_NOT_ENABLED", "", nil)
	}
	return []any{
		map[string]any{"requestId": id, "code": "ROBOT_MODE_OFF_OK"},
		map[string]any{"requestId": id, "status": "success", "code": "ROBOT_MODE_DISABLED"},
	}
}

func (l *lobby) answer(id, code, text string, info map[string]any) []any {
	out := map[string]any{"requestId": id, "status": "success", "code": code, "message": text}
	if !strings.HasSuffix(code, "_OK") {
		out["status"] = "error"
	}
	if info != nil {
		out["info"] = info
	}
	return []any{out}
}

func (l *lobby) did(id, command string, err error) []any {
	if l.web.has().DropCalls {
		return []any{cutOff{}}
	}
	if err != nil {
		return l.answer(id, "ERROR_"+refusal(err), err.Error(), nil)
	}
	return l.answer(id, command+"_OK", "", nil)
}

func (l *lobby) robotOn(id string) []any {
	l.web.mu.Lock()
	defer l.web.mu.Unlock()
	if l.web.mode != "" {
		return l.answer(id, "ROBOT_MODE_ALREADY_ACTIVE", "", nil)
	}
	l.web.mode, l.on, l.since = l.id, id, time.Now()
	return []any{map[string]any{"requestId": id, "code": "ROBOT_MODE_ON_OK", "message": "Starting Robot Mode."}}
}

func (l *lobby) off() bool {
	l.web.mu.Lock()
	defer l.web.mu.Unlock()
	mine := l.web.mode == l.id
	if mine {
		l.web.mode = ""
	}
	return mine
}

// tick tells of passed floors, and that robot mode has begun.
func (l *lobby) tick() (out []any) {
	if l.on != "" && time.Since(l.since) > time.Second {
		out = append(out, map[string]any{"requestId": l.on, "status": "success", "code": "ROBOT_MODE_ENABLED"})
		l.on = ""
	}
	for _, car := range l.web.cars {
		if f := l.web.world.Shown(car).Floor; f != 0 && f != l.at[car] {
			l.at[car] = f
			l.n++
			out = append(out, map[string]any{"requestId": fmt.Sprintf("BROADCAST-%d", l.n), "code": "CURRENT_FLOOR", "info": map[string]any{"currentFloor": int(f) - 1}})
		}
	}
	return out
}
