package devices

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"hoistway/fsm/elevator"
	"hoistway/simulator/building"
)

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
