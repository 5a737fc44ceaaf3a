package devices

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/coder/websocket"

	"hoistway/fsm/elevator"
	"hoistway/simulator/building"
)

// talk serves one socket: says answers what comes, and tick tells what has changed.
// Both give messages to send.
func (s *Web) talk(w http.ResponseWriter, r *http.Request, protocol string, says func([]byte) []any, tick func() []any) {
	opts := &websocket.AcceptOptions{}
	if protocol != "" {
		opts.Subprotocols = []string{protocol}
	}
	c, err := websocket.Accept(w, r, opts)
	if err != nil {
		return // it has been answered
	}
	defer func() { _ = c.CloseNow() }()
	ctx, cancel := s.socketContext(r)
	defer cancel()
	in := make(chan []byte)
	s.wg.Go(func() {
		defer close(in)
		for {
			_, b, err := c.Read(ctx)
			if err != nil {
				return
			}
			select {
			case in <- b:
			case <-ctx.Done():
				return
			}
		}
	})
	t := time.NewTicker(100 * time.Millisecond)
	defer t.Stop()
	for {
		var out []any
		select {
		case b, ok := <-in:
			if !ok {
				return
			}
			out = says(b)
		case <-t.C:
			out = tick()
		}
		if !s.hand(ctx, c, out) {
			return
		}
	}
}

// cutOff is an answer that is the end of the connection.
type cutOff struct{}

func (s *Web) hand(ctx context.Context, c *websocket.Conn, out []any) bool {
	for _, m := range out {
		if _, cut := m.(cutOff); cut {
			return false
		}
		b, err := json.Marshal(m)
		if err != nil || !pause(s.has().AnswerDelay, s.end) {
			return false
		}
		within, cancel := context.WithTimeout(ctx, writeLimit)
		err = c.Write(within, websocket.MessageText, b)
		cancel()
		if err != nil {
			return false
		}
	}
	return true
}

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

func (l *lobby) says(b []byte) []any {
	var q struct {
		RequestID, Command string
		Parameters         struct {
			LiftID, ReservedLiftID string
			TargetFloor            *int
		}
	}
	l.web.over()
	if json.Unmarshal(b, &q) != nil || q.RequestID == "" {
		return []any{map[string]any{"status": "error", "code": "ERROR_BAD_REQUEST"}}
	}
	car := q.Parameters.LiftID + q.Parameters.ReservedLiftID
	if q.Command != "ROBOT_MODE_OFF" && (!slices.Contains(l.web.cars, car) || l.web.world.Shown(car).Dark) {
		return l.answer(q.RequestID, "ERROR_NOT_FOUND", "Lift with ID "+car+" not found", nil)
	}
	is := l.web.world.Shown(car)
	switch q.Command {
	case "GET_LIFT_POSITION":
		if is.Floor == 0 {
			return l.answer(q.RequestID, "ERROR_UNKNOWN", "position not known", nil)
		}
		return l.answer(q.RequestID, "GET_LIFT_POSITION_OK", "", map[string]any{"currentFloor": int(is.Floor) - 1, "isMoving": is.Motion != elevator.Stopped})
	case "GET_DOOR_STATUS":
		state := "closed" // a door that is not fully open is closed here
		if is.Doors[elevator.Front].State == elevator.DoorOpen {
			state = "open"
		}
		return l.answer(q.RequestID, "GET_DOOR_STATUS_OK", "", map[string]any{"doorStatus": state})
	case "CALL_LIFT":
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
	case "SET_DOOR_OPEN", "SET_DOOR_CLOSE":
		sec := map[string]int{"SET_DOOR_OPEN": building.MaxHold}[q.Command]
		return l.did(q.RequestID, q.Command, l.web.act(car, fmt.Sprintf("hold front door %d s", sec), func(b *building.Building) error { return b.Hold(car, elevator.Front, sec) }))
	case "ROBOT_MODE_ON":
		return l.robotOn(q.RequestID)
	case "ROBOT_MODE_OFF":
		if !l.off() {
			return l.answer(q.RequestID, "ROBOT_MODE_NOT_ENABLED", "", nil)
		}
		return []any{
			map[string]any{"requestId": q.RequestID, "code": "ROBOT_MODE_OFF_OK"},
			map[string]any{"requestId": q.RequestID, "status": "success", "code": "ROBOT_MODE_DISABLED"},
		}
	}
	return l.answer(q.RequestID, "ERROR_NOT_FOUND", "no such command", nil)
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

// kone is the stream, and the place where its tokens are given. Areas are a thousand
// times the number of the landing; the deck of the n-th lift is 1001010 and 10 more
// for each after it.
func (s *Web) kone() http.Handler {
	m := http.NewServeMux()
	m.HandleFunc("POST /api/v2/oauth2/token", s.benchToken)
	m.HandleFunc("GET /stream-v2", func(w http.ResponseWriter, r *http.Request) {
		if !s.believes(r.URL.Query().Get("accessToken")) {
			http.Error(w, "unauthorized", http.StatusUnauthorized)
			return
		}
		k := &koneStream{web: s, told: map[string]string{}}
		s.talk(w, r, "koneapi", k.says, k.tick)
	})
	return m
}

// koneStream is one socket of it.
type koneStream struct {
	web    *Web
	topics []string
	until  time.Time // of the subscription
	told   map[string]string
	used   map[int]bool // ids of requests
}

func (k *koneStream) says(b []byte) []any {
	var q struct {
		Type, CallType string
		RequestID      json.Number
		Payload        struct {
			RequestID int      `json:"request_id"`
			Duration  int      `json:"duration"`
			Subtopics []string `json:"subtopics"`
			Area      int      `json:"area"`
			Call      struct{ Action, Destination int }
			LiftDeck  int `json:"lift_deck"`
			HardTime  int `json:"hard_time"`
		}
	}
	k.web.over()
	if json.Unmarshal(b, &q) != nil {
		return []any{map[string]any{"statusCode": 400}}
	}
	p := q.Payload
	switch q.Type + " " + q.CallType {
	case "create-session ", "resume-session ":
		return []any{map[string]any{"statusCode": 201, "requestId": q.RequestID, "data": map[string]any{"sessionId": "s-1"}}}
	case "site-monitoring monitor":
		k.topics, k.until = p.Subtopics, time.Now().Add(time.Duration(min(p.Duration, 300))*time.Second)
		clear(k.told)
		return []any{map[string]any{"statusCode": 201, "requestId": q.RequestID}}
	case "common-api ping":
		return []any{map[string]any{"callType": "ping", "data": map[string]any{"request_id": p.RequestID}}}
	case "common-api config":
		return []any{map[string]any{"callType": "config", "requestId": q.RequestID, "data": k.config()}}
	case "common-api actions":
		return []any{map[string]any{"callType": "actions", "requestId": q.RequestID, "data": map[string]any{"call_types": []any{map[string]any{"action_id": 5000, "name": "LCB"}}}}}
	case "lift-call-api-v2 action":
		return k.act(p.RequestID, p.Area, func(car string, b *building.Building) error {
			if p.Call.Action != 5000 {
				return building.ErrNoLanding
			}
			return b.CarCall(car, b.Table(car).ByWire(p.Call.Destination/1000))
		}, fmt.Sprintf("call to area %d", p.Call.Destination))
	case "lift-call-api-v2 hold_open":
		return k.act(p.RequestID, p.LiftDeck, func(car string, b *building.Building) error { return b.Hold(car, elevator.Front, min(p.HardTime, 10)) }, fmt.Sprintf("hold open %d s", p.HardTime))
	}
	return []any{map[string]any{"statusCode": 400, "requestId": q.RequestID}}
}

// config names the areas and the decks.
func (k *koneStream) config() map[string]any {
	var areas, decks []any
	for i, car := range k.web.cars {
		decks = append(decks, map[string]any{"area_id": 1001010 + 10*i, "lift_name": car})
		for _, l := range k.web.table(car) {
			areas = append(areas, map[string]any{"area_id": 1000 * l.Wire, "short_name": l.Label})
		}
	}
	return map[string]any{"destinations": areas, "lifts": decks}
}

// act registers a call at once, and tells afterwards what became of it.
func (k *koneStream) act(id, deck int, do func(string, *building.Building) error, text string) []any {
	n := (deck - 1001010) / 10
	if k.used == nil {
		k.used = map[int]bool{}
	}
	switch {
	case n < 0 || n >= len(k.web.cars):
		return []any{map[string]any{"statusCode": 404, "requestId": id}}
	case k.used[id] || len(k.used) > 100_000:
		return []any{map[string]any{"statusCode": 409, "requestId": id}}
	}
	k.used[id] = true
	car := k.web.cars[n]
	err := k.web.act(car, text, func(b *building.Building) error { return do(car, b) })
	if k.web.has().DropCalls {
		return []any{cutOff{}}
	}
	data := map[string]any{"request_id": id, "success": err == nil}
	if err != nil {
		data["error"] = map[string]string{"LOCKED": "area_is_locked", "MODE": "cannot_serve_now"}[refusal(err)]
		if errors.Is(err, building.ErrNoLanding) {
			data["error"] = "area_does_not_exist"
		}
	}
	return []any{map[string]any{"statusCode": 201, "requestId": id}, map[string]any{"callType": "action", "data": data}}
}

// tick tells what has changed, while a subscription lasts.
func (k *koneStream) tick() (out []any) {
	if time.Now().After(k.until) {
		return nil
	}
	for _, topic := range k.topics {
		lift, what, _ := strings.Cut(topic, "/")
		n, err := strconv.Atoi(strings.TrimPrefix(lift, "lift_"))
		if err != nil || n < 1 || n > len(k.web.cars) {
			continue
		}
		data := k.data(k.web.cars[n-1], what)
		if text := fmt.Sprint(data); data != nil && text != k.told[topic] && len(k.told) < 100 {
			k.told[topic] = text
			out = append(out, map[string]any{"callType": "monitor-lift-" + what, "subtopic": topic, "data": data})
		}
	}
	return out
}

func (k *koneStream) data(car, what string) map[string]any {
	is := k.web.world.Shown(car)
	wire, _ := k.web.table(car).Wire(is.Floor)
	if is.Dark {
		return nil
	}
	switch what {
	case "position":
		moving := map[elevator.Motion]string{elevator.Stopped: "STANDING", elevator.MovingUp: "MOVING", elevator.MovingDown: "MOVING"}[is.Motion]
		dir := map[elevator.Motion]string{elevator.MovingUp: "UP", elevator.MovingDown: "DOWN"}[is.Motion]
		return map[string]any{"area": wire * 1000, "cur": int(is.Floor), "dir": dir, "moving_state": moving, "door": is.Motion == elevator.Stopped}
	case "doors":
		state := map[elevator.Door]string{elevator.DoorClosed: "CLOSED", elevator.DoorOpening: "OPENING", elevator.DoorOpen: "OPENED", elevator.DoorClosing: "CLOSING"}[is.Doors[elevator.Front].State]
		if is.Nudging && state == "CLOSING" {
			state = "NUDGING"
		}
		return map[string]any{"state": state, "landing": wire*1000 + 10}
	case "status":
		return map[string]any{"lift_mode": "NOR", "fault_active": is.Error == building.CodeDoor}
	}
	return nil
}
