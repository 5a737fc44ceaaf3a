package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"time"
)

// api reads the agent's local API as any viewer may.
type api struct {
	base   string
	client *http.Client
}

func newAPI(base string) *api {
	return &api{base: base, client: &http.Client{Timeout: 5 * time.Second}}
}

type apiRide struct {
	ID          string          `json:"ride_id"`
	Robot       string          `json:"robot"`
	Lift        string          `json:"lift"`
	From        string          `json:"from"`
	To          string          `json:"to"`
	State       string          `json:"state"`
	Phase       string          `json:"phase"`
	Transitions []apiTransition `json:"transitions"`
}

type apiTransition struct {
	At    time.Time `json:"at"`
	From  string    `json:"from"`
	To    string    `json:"to"`
	Phase string    `json:"phase"`
	Why   string    `json:"why"`
}

type apiLift struct {
	ID    string              `json:"id"`
	Link  string              `json:"link"`
	Floor apiValue            `json:"floor"`
	Doors map[string]apiValue `json:"doors"`
	Move  apiValue            `json:"motion"`
	State string              `json:"state"`
	Phase string              `json:"phase"`
}

type apiValue struct {
	Value any `json:"value"`
}

type apiShadow struct {
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

func (a *api) ride(ctx context.Context, id string) (apiRide, error) {
	var r apiRide
	err := a.get(ctx, "/v1/rides/"+id, &r)
	return r, err
}

func (a *api) rides(ctx context.Context) ([]apiRide, error) {
	var r []apiRide
	err := a.get(ctx, "/v1/rides", &r)
	return r, err
}

func (a *api) lifts(ctx context.Context) ([]apiLift, error) {
	var l []apiLift
	err := a.get(ctx, "/v1/lifts", &l)
	return l, err
}

func (a *api) shadow(ctx context.Context) (apiShadow, error) {
	var s apiShadow
	err := a.get(ctx, "/v1/shadow", &s)
	return s, err
}

func (a *api) get(ctx context.Context, path string, into any) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, a.base+path, nil)
	if err != nil {
		return err
	}
	resp, err := a.client.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	raw, err := io.ReadAll(io.LimitReader(resp.Body, 4<<20))
	if err != nil {
		return err
	}
	if resp.StatusCode != http.StatusOK {
		return fmt.Errorf("GET %s: %s", path, resp.Status)
	}
	return json.Unmarshal(raw, into)
}
