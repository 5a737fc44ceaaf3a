package devices

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"time"

	"hoistway/fsm/elevator"
	"hoistway/simulator/building"
)

// handler is the service's own interface; README.md has its page.
func (p *Pusher) handler() http.Handler {
	m := http.NewServeMux()
	m.HandleFunc("GET /v1/lifts/{lift}", p.status)
	m.HandleFunc("POST /v1/lifts/{lift}/control", p.control)
	m.HandleFunc("POST /v1/subscriptions", p.subscribe)
	m.HandleFunc("GET /v1/subscriptions", p.subscribed)
	m.HandleFunc("GET /v1/push/failed", p.missed)
	m.HandleFunc("GET /v1/push/config", func(w http.ResponseWriter, _ *http.Request) {
		on, _, _ := p.Pushing()
		say(w, map[string]any{"enabled": on})
	})
	m.HandleFunc("POST /v1/push/enable", p.enable)
	m.HandleFunc("GET /v1/queue", p.waiting)
	m.HandleFunc("POST /v1/queue/taken", p.taken)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("x-access") != PushAccess {
			w.Header().Set("Content-Type", "application/json")
			w.WriteHeader(http.StatusUnauthorized)
			_, _ = w.Write([]byte(`{"code":401}`)) // whoever went away needs none
			return
		}
		m.ServeHTTP(w, r)
	})
}

func say(w http.ResponseWriter, doc map[string]any) {
	if doc["code"] == nil {
		doc["code"] = 0
	}
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(doc) // whoever went away needs none
}

func (p *Pusher) status(w http.ResponseWriter, r *http.Request) {
	car := r.PathValue("lift")
	if !slices.Contains(p.cars, car) {
		w.WriteHeader(http.StatusNotFound)
		return
	}
	say(w, map[string]any{"result": p.state(car)})
}

type pushControl struct {
	Kind, Direction, Side, Request string
	Floor, Seconds                 int
}

// control takes a command with a yes, whatever the lift makes of it; that it failed is
// told by a message.
func (p *Pusher) control(w http.ResponseWriter, r *http.Request) {
	car := r.PathValue("lift")
	var c pushControl
	if err := json.NewDecoder(http.MaxBytesReader(w, r.Body, 1<<16)).Decode(&c); err != nil || !slices.Contains(p.cars, car) {
		say(w, map[string]any{"code": "SYNTAX"})
		return
	}
	p.note(car, fmt.Sprintf("%s %s %d %s", c.Kind, c.Direction, c.Floor, c.Request))
	p.mu.Lock()
	code := p.manners.Refuse
	p.mu.Unlock()
	if code == "" {
		code = p.carry(car, c)
	}
	if code != "" {
		p.report(car, "control_failed", map[string]any{"source": "open_api", "errorCode": code, "errorMsg": "the lift did not do it", "request": c.Request})
	}
	say(w, map[string]any{})
}

// carry has the building do it and words its no.
func (p *Pusher) carry(car string, c pushControl) (code string) {
	var err error
	p.world.Do(func(b *building.Building) {
		f := b.Table(car).ByWire(c.Floor)
		dir, _ := elevator.ParseDirection(c.Direction)
		side, _ := elevator.ParseSide(c.Side)
		switch c.Kind {
		case "landing":
			err = b.LandingCall(car, f, dir)
		case "car":
			err = b.CarCall(car, f)
		case "cancel_landing":
			err = b.CancelLanding(car, f)
		case "cancel_car":
			err = b.CancelCar(car, f)
		default:
			err = b.Hold(car, side, c.Seconds)
		}
	})
	if err == nil {
		return ""
	}
	return refusal(err)
}

func (p *Pusher) subscribe(w http.ResponseWriter, r *http.Request) {
	var s struct {
		DeviceIds []string
		Attach    string
	}
	if err := json.NewDecoder(http.MaxBytesReader(w, r.Body, 1<<16)).Decode(&s); err != nil {
		say(w, map[string]any{"code": "SYNTAX"})
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, id := range s.DeviceIds {
		if slices.Contains(p.cars, id) {
			p.attach[id] = s.Attach
		}
	}
	say(w, map[string]any{})
}

func (p *Pusher) subscribed(w http.ResponseWriter, r *http.Request) {
	p.mu.Lock()
	defer p.mu.Unlock()
	_, is := p.attach[r.FormValue("deviceId")]
	say(w, map[string]any{"subscribed": is})
}

func (p *Pusher) missed(w http.ResponseWriter, r *http.Request) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.failed = slices.DeleteFunc(p.failed, func(m pushed) bool { return time.Since(m.at) > pushKept })
	say(w, map[string]any{"list": bodies(p.failed, r.FormValue("deviceId"))})
}

func bodies(ms []pushed, lift string) []json.RawMessage {
	out := []json.RawMessage{}
	for _, m := range ms {
		if m.lift == lift {
			out = append(out, m.body)
		}
	}
	return out
}

func (p *Pusher) enable(w http.ResponseWriter, _ *http.Request) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.on, p.noticed, p.sent = true, time.Time{}, nil
	say(w, map[string]any{})
}

// waiting answers once something waits, or after a while with nothing.
func (p *Pusher) waiting(w http.ResponseWriter, r *http.Request) {
	lift, end := r.FormValue("deviceId"), time.After(2*time.Second)
	for {
		p.mu.Lock()
		list := bodies(p.queue, lift)
		for i := range p.queue {
			p.queue[i].told = p.queue[i].told || p.queue[i].lift == lift
		}
		p.mu.Unlock()
		if len(list) > 0 {
			say(w, map[string]any{"list": list})
			return
		}
		select {
		case <-time.After(pushLook):
			continue
		case <-end:
		case <-r.Context().Done():
		}
		say(w, map[string]any{"list": list})
		return
	}
}

func (p *Pusher) taken(w http.ResponseWriter, r *http.Request) {
	var s struct{ DeviceId string }
	_ = json.NewDecoder(http.MaxBytesReader(w, r.Body, 1<<16)).Decode(&s) // without an id nothing is taken
	p.mu.Lock()
	defer p.mu.Unlock()
	p.queue = slices.DeleteFunc(p.queue, func(m pushed) bool { return m.told && m.lift == s.DeviceId })
	say(w, map[string]any{})
}
