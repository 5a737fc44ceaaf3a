// Robot is a whole robot client in a page: it asks for one ride and does what it is told
// until the ride is over. It imports nothing but the standard library; take it as a start.
//
//	HOISTWAY_API=http://127.0.0.1:8732 HOISTWAY_TOKEN=… go run ./agent/localapi/examples R1 G 2
package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"time"
)

// ride is what a robot reads of a ride; there is more at /openapi.json.
type ride struct {
	ID     string `json:"ride_id"`
	Lift   string `json:"lift"`
	State  string `json:"state"`
	Phase  string `json:"phase"`
	Permit *struct {
		ID              string `json:"id"`
		Kind            string `json:"kind"`
		StartWithinMs   int64  `json:"start_within_ms"`
		ThroughWithinMs int64  `json:"through_within_ms"`
	} `json:"permit"`
	Do struct {
		Action string `json:"do"`
		Why    string `json:"why"`
	} `json:"do"`
}

type robot struct {
	id, boot string // boot is another word after each start
	seq      uint64 // counts over all signals of one boot
	where    string // landing, doorway, car or unknown: what the robot knows by itself
	crossing time.Duration
	api      string
	token    string
}

func main() {
	if len(os.Args) != 4 {
		fmt.Fprintln(os.Stderr, "usage: robot ROBOT FROM TO")
		os.Exit(2)
	}
	r := &robot{
		id: os.Args[1], boot: time.Now().UTC().Format("150405.000"), where: "landing", crossing: time.Second,
		api: os.Getenv("HOISTWAY_API"), token: os.Getenv("HOISTWAY_TOKEN"),
	}
	phase, err := r.take(os.Args[2], os.Args[3])
	if err != nil || phase != "arrived" {
		fmt.Fprintln(os.Stderr, "not there:", phase, err)
		os.Exit(1)
	}
	fmt.Println("arrived at", os.Args[3])
}

// take rides from one floor to another and gives the phase in which the ride ended.
func (r *robot) take(from, to string) (string, error) {
	id := r.id + "-" + r.boot // an id of our own: the request may be repeated without a second ride
	want := map[string]any{"ride_id": id, "robot": r.id, "lift": "any", "from": from, "to": to, "crossing_s": 4}
	var now ride
	if err := r.call("POST", "/v1/rides", want, &now); err != nil {
		return "", err
	}
	told, spoke := "", time.Now()
	for now.State != "DONE" {
		time.Sleep(150 * time.Millisecond)
		asked := time.Now() // a permit's times count from here at the earliest: that errs on the safe side
		if err := r.call("GET", "/v1/rides/"+id, nil, &now); err != nil {
			continue // no news is no order: stay where you are, and ask again
		}
		if now.Do.Action != told {
			told = now.Do.Action
			fmt.Println(now.State, told+":", now.Do.Why)
		}
		switch {
		case told == "go_to": // asked for with "ready": false, and the lift is near
			r.say(id, "ready", "")
		case told == "enter" && r.where == "landing", told == "leave" && r.where == "car":
			r.cross(id, &now, asked)
		case time.Since(spoke) > time.Second:
			r.say(id, "heartbeat", "")
			spoke = time.Now()
		}
	}
	return now.Phase, nil
}

// cross goes through the door line, if the permit is live and there is time enough.
func (r *robot) cross(id string, now *ride, asked time.Time) {
	p, begin, end, beyond := now.Permit, "entering", "entered", "car"
	if told := now.Do.Action; told == "leave" {
		begin, end, beyond = "leaving", "left", "landing"
	}
	if p == nil || time.Since(asked) > time.Duration(p.StartWithinMs)*time.Millisecond ||
		r.crossing > time.Duration(p.ThroughWithinMs)*time.Millisecond-time.Since(asked) {
		return
	}
	was := r.where
	r.where = "doorway"
	if r.say(id, begin, p.ID) != nil { // not heard: do not go
		r.where = was
		return
	}
	time.Sleep(r.crossing) // here the robot drives, and watches the door with its own eyes
	r.where = beyond
	for r.say(id, end, "") != nil { // this must be heard: the door is held until then
		time.Sleep(200 * time.Millisecond)
	}
}

// say sends one whole, dated signal.
func (r *robot) say(id, kind, permit string) error {
	r.seq++
	s := map[string]any{"kind": kind, "boot": r.boot, "seq": r.seq, "age_ms": 0, "where": r.where, "motion": "still"}
	if permit != "" {
		s["permit"] = permit
	}
	if r.where == "car" {
		s["motion"] = "unknown" // a robot with a sense of motion tells more
	}
	return r.call("POST", "/v1/rides/"+id+"/signals", s, nil)
}

func (r *robot) call(method, path string, body, into any) error {
	raw, err := json.Marshal(body)
	if err != nil {
		return err
	}
	req, err := http.NewRequest(method, r.api+path, bytes.NewReader(raw))
	if err != nil {
		return err
	}
	req.Header.Set("Authorization", "Bearer "+r.token)
	req.Header.Set("Content-Type", "application/json")
	client := http.Client{Timeout: 2 * time.Second}
	res, err := client.Do(req)
	if err != nil {
		return err
	}
	defer func() { _ = res.Body.Close() }()
	if res.StatusCode/100 != 2 {
		var problem struct{ Code, Title, Detail string }
		_ = json.NewDecoder(res.Body).Decode(&problem)
		return fmt.Errorf("%s: %s: %s", problem.Code, problem.Title, problem.Detail)
	}
	if into == nil {
		return nil
	}
	return json.NewDecoder(res.Body).Decode(into)
}
