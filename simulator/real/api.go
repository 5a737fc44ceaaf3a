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

// The agent's answers as any viewer may read them; only what a stage looks at.
type apiRide struct {
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
	Transitions []struct {
		At    time.Time `json:"at"`
		From  string    `json:"from"`
		To    string    `json:"to"`
		Phase string    `json:"phase"`
		Why   string    `json:"why"`
	} `json:"transitions"`
}

type apiLift struct {
	ID    string              `json:"id"`
	Link  string              `json:"link"`
	Floor apiValue            `json:"floor"`
	Doors map[string]apiValue `json:"doors"`
	Mode  apiValue            `json:"mode"`
	Owner *struct {
		Ride string `json:"ride"`
	} `json:"owner"`
	Accepting bool `json:"accepting"`
	Alarms    []struct {
		Code string `json:"code"`
	} `json:"alarms"`
	State string `json:"state"`
}

type apiValue struct {
	Value   any    `json:"value"`
	Quality string `json:"quality"`
}

// word is the value if it may be believed, else "".
func (v apiValue) word() string {
	w, _ := v.Value.(string)
	if v.Quality != "good" || w == "unknown" {
		return ""
	}
	return w
}

const maxAnswer = 4 << 20

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
		return fmt.Errorf("%s %s: %s %s", method, path, resp.Status, bytes.TrimSpace(answer))
	}
	if into == nil {
		return nil
	}
	return json.Unmarshal(answer, into)
}
