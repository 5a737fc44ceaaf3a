package devices

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"hoistway/fsm/elevator"
	"hoistway/simulator/building"
)

// bench is the interface of our own, see README.md.
func (s *Web) bench() http.Handler {
	m := http.NewServeMux()
	m.HandleFunc("POST /token", s.benchToken)
	m.HandleFunc("GET /lifts/{lift}", s.benchLift(s.benchStatus))
	m.HandleFunc("POST /lifts/{lift}/calls", s.benchLift(s.benchCall))
	m.HandleFunc("DELETE /lifts/{lift}/calls/{kind}/{floor}", s.benchLift(s.benchCancel))
	m.HandleFunc("PUT /lifts/{lift}/doors/{side}/hold", s.benchLift(s.benchHold))
	return m
}

func (s *Web) benchToken(w http.ResponseWriter, r *http.Request) {
	user, pass, _ := r.BasicAuth()
	if user != WebClient || pass != WebSecret || r.FormValue("grant_type") != "client_credentials" {
		send(w, http.StatusUnauthorized, map[string]any{"error": "invalid_client"})
		return
	}
	token, life := s.grant()
	send(w, http.StatusOK, map[string]any{"access_token": token, "token_type": "Bearer", "expires_in": int(life.Seconds())})
}

// benchLift lets through who has a token and names a lift that is there and has power.
func (s *Web) benchLift(h func(w http.ResponseWriter, r *http.Request, car string)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		car := r.PathValue("lift")
		token, _ := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
		switch {
		case !s.believes(token):
			send(w, http.StatusUnauthorized, map[string]any{"error": map[string]any{"code": "TOKEN", "message": "no such token"}})
		case !slices.Contains(s.cars, car):
			benchNo(w, http.StatusNotFound, car, "NO_LIFT")
		case s.world.Shown(car).Dark:
			benchNo(w, http.StatusServiceUnavailable, car, "NO_POWER")
		default:
			h(w, r, car)
		}
	}
}

func benchNo(w http.ResponseWriter, status int, car, code string) {
	words := map[string]string{"LOCKED": "this landing is locked", "MODE": "not in this mode", "MOVING": "the door is not open", "NO_LANDING": "no such landing, button or door"}
	send(w, status, map[string]any{"lift": car, "error": map[string]any{"code": code, "message": words[code]}})
}

// benchDone answers what the building made of a call.
func (s *Web) benchDone(w http.ResponseWriter, car string, err error) {
	s.called()
	if err == nil {
		send(w, http.StatusOK, map[string]any{"lift": car})
		return
	}
	code, status := refusal(err), http.StatusConflict
	if code == "NO_LANDING" {
		status = http.StatusUnprocessableEntity
	}
	benchNo(w, status, car, code)
}

func (s *Web) benchStatus(w http.ResponseWriter, _ *http.Request, car string) {
	is, t := s.world.Shown(car), s.table(car)
	out := map[string]any{
		"lift": car, "motion": map[elevator.Motion]string{elevator.Stopped: "standing", elevator.MovingUp: "up", elevator.MovingDown: "down"}[is.Motion],
		"mode": is.Mode.String(), "height_m": float64(is.PositionMM) / 1000, "load_kg": is.LoadKg, "error": is.Error,
		"overload": is.Overload, "nudging": is.Nudging, "obstruction": is.Obstacle, "floor": nil,
		"calls": map[string]any{"up": landings(is.Up, t), "down": landings(is.Down, t), "car": landings(is.Car, t)},
	}
	if n, ok := t.Wire(is.Floor); ok {
		out["floor"] = n
	}
	doors := map[string]any{}
	for side := elevator.Front; side <= elevator.Rear; side++ {
		if d := is.Doors[side]; d.State != elevator.DoorUnknown {
			doors[side.String()] = map[string]any{"state": d.State.String(), "hold_s": int(d.Hold.Seconds())}
		}
	}
	out["doors"] = doors
	send(w, http.StatusOK, out)
}

func landings(set elevator.FloorSet, t elevator.Table) []int {
	out := []int{}
	for i, l := range t {
		if set.Has(elevator.Floor(i + 1)) {
			out = append(out, l.Wire)
		}
	}
	return out
}

func (s *Web) benchCall(w http.ResponseWriter, r *http.Request, car string) {
	var c struct {
		Kind, Direction string
		Floor           int
	}
	if err := json.NewDecoder(r.Body).Decode(&c); err != nil {
		benchNo(w, http.StatusBadRequest, car, "SYNTAX")
		return
	}
	f := s.table(car).ByWire(c.Floor)
	dir, _ := elevator.ParseDirection(c.Direction)
	var err error
	switch c.Kind {
	case "landing":
		err = s.act(car, fmt.Sprintf("landing call %s at %d", c.Direction, c.Floor), func(b *building.Building) error { return b.LandingCall(car, f, dir) })
	case "car":
		err = s.act(car, fmt.Sprintf("car call to %d", c.Floor), func(b *building.Building) error { return b.CarCall(car, f) })
	default:
		benchNo(w, http.StatusBadRequest, car, "SYNTAX")
		return
	}
	s.benchDone(w, car, err)
}

func (s *Web) benchCancel(w http.ResponseWriter, r *http.Request, car string) {
	n, _ := strconv.Atoi(r.PathValue("floor"))
	f := s.table(car).ByWire(n)
	cancel := (*building.Building).CancelLanding
	if r.PathValue("kind") == "car" {
		cancel = (*building.Building).CancelCar
	}
	err := s.act(car, fmt.Sprintf("cancel %s calls at %d", r.PathValue("kind"), n), func(b *building.Building) error { return cancel(b, car, f) })
	s.benchDone(w, car, err)
}

func (s *Web) benchHold(w http.ResponseWriter, r *http.Request, car string) {
	var h struct{ Seconds int }
	side, ok := elevator.ParseSide(r.PathValue("side"))
	if err := json.NewDecoder(r.Body).Decode(&h); err != nil || !ok {
		benchNo(w, http.StatusBadRequest, car, "SYNTAX")
		return
	}
	err := s.act(car, fmt.Sprintf("hold %s door %d s", side, h.Seconds), func(b *building.Building) error { return b.Hold(car, side, h.Seconds) })
	if err != nil && refusal(err) == "MODE" {
		benchNo(w, http.StatusConflict, car, "MOVING")
		return
	}
	s.benchDone(w, car, err)
}
