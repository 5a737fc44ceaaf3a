package real

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"time"
)

// AgentRide is a ride as the agent tells it to any viewer; like the shapes below, it
// has only what is looked at here and by who shows the site.
type AgentRide struct {
	ID     string `json:"ride_id"`
	Robot  string `json:"robot"`
	Lift   string `json:"lift"`
	From   string `json:"from"`
	To     string `json:"to"`
	State  string `json:"state"`
	Phase  string `json:"phase"`
	Where  string `json:"where"`
	Permit *struct {
		Kind string `json:"kind"`
	} `json:"permit"`
	Do struct {
		Do  string `json:"do"`
		Why string `json:"why"`
	} `json:"do"`
	Fault *struct {
		Code string `json:"code"`
	} `json:"fault"`
	Place       int               `json:"place"`
	Transitions []AgentTransition `json:"transitions"`
}

// AgentTransition is one change of a ride's state.
type AgentTransition struct {
	At    time.Time `json:"at"`
	From  string    `json:"from"`
	To    string    `json:"to"`
	Phase string    `json:"phase"`
	Why   string    `json:"why"`
}

// AgentLift is a lift as the agent has it; State is that of the ride in it.
type AgentLift struct {
	ID    string                `json:"id"`
	Link  string                `json:"link"`
	Floor AgentValue            `json:"floor"`
	Doors map[string]AgentValue `json:"doors"`
	Move  AgentValue            `json:"motion"`
	Mode  AgentValue            `json:"mode"`
	Owner *struct {
		Ride string `json:"ride"`
	} `json:"owner"`
	Accepting bool `json:"accepting"`
	Alarms    []struct {
		Code string `json:"code"`
	} `json:"alarms"`
	State string `json:"state"`

	Area        string           `json:"area"`
	Occupied    bool             `json:"occupied"`
	Maintenance *json.RawMessage `json:"maintenance"`
	Stopped     *json.RawMessage `json:"stopped"`
	AreaAlarm   *struct {
		Kind  string `json:"kind"`
		Drill bool   `json:"drill"`
	} `json:"area_alarm"`
}

// AgentValue is one thing that the agent knows of a lift, and how well.
type AgentValue struct {
	Value   any    `json:"value"`
	Quality string `json:"quality"`
}

// word is the value if it may be believed, else "".
func (v AgentValue) word() string {
	w, _ := v.Value.(string)
	if v.Quality != "good" || w == "unknown" {
		return ""
	}
	return w
}

// AgentSync is how the agent stands with its cloud.
type AgentSync struct {
	Connected bool `json:"connected"`
	Shadows   []struct {
		Name    string `json:"name"`
		Version int64  `json:"version"`
		Sync    string `json:"sync"`
		Updates int64  `json:"updates"`
		State   struct {
			Delta map[string]any `json:"delta"`
		} `json:"state"`
		Pending map[string]any `json:"pending"`
	} `json:"shadows"`
}

const maxAnswer = 4 << 20

// Read asks the agent's local API, as anybody may. It takes at most 5 s, and ends
// with the site.
func (s *Site) Read(path string, into any) error {
	return s.call(http.MethodGet, path, "", nil, into)
}

// call makes one call of the local API. token "" reads as anybody.
func (s *Site) call(method, path, token string, body, into any) error {
	ctx, cancel := context.WithTimeout(s.ctx, patience)
	defer cancel()
	raw, err := json.Marshal(body)
	if err != nil {
		return err
	}
	if body == nil {
		raw = nil
	}
	req, err := http.NewRequestWithContext(ctx, method, s.URL()+path, bytes.NewReader(raw))
	if err != nil {
		return err
	}
	if token != "" {
		req.Header.Set("Authorization", "Bearer "+token)
	}
	req.Header.Set("Content-Type", "application/json")
	resp, err := s.client.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	answer, err := io.ReadAll(io.LimitReader(resp.Body, maxAnswer))
	if err != nil {
		return err
	}
	if resp.StatusCode/100 != 2 {
		return refused(fmt.Sprintf("%s %s: %s %s", method, path, resp.Status, bytes.TrimSpace(answer)), answer)
	}
	if into == nil {
		return nil
	}
	return json.Unmarshal(answer, into)
}
