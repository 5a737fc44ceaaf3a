package robots

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"
)

const (
	callTimeout = 2 * time.Second
	maxAnswer   = 1 << 20
)

// Refusal is the agent's no. It stays no: the same request has the same answer.
type Refusal struct {
	Status int
	Code   string // E-2101
	Title  string
	Detail string
}

func (e *Refusal) Error() string {
	return strings.TrimRight(fmt.Sprintf("refused with %d: %s %s: %s", e.Status, e.Code, e.Title, e.Detail), ": ")
}

// NotNow is a no of the agent's own trouble: it may pass, so the same request is
// made again. It is no [Refusal].
type NotNow struct{ No Refusal }

func (e *NotNow) Error() string { return "not now: " + e.No.Error() }

// caller makes the calls of one robot, each once.
type caller struct {
	base, token string
	http        *http.Client
	own         bool
}

func newCaller(o Options) caller {
	c := caller{base: strings.TrimRight(o.BaseURL, "/"), token: o.Token, http: o.Client}
	if c.http == nil {
		c.http, c.own = &http.Client{Transport: &http.Transport{MaxIdleConns: 2, IdleConnTimeout: time.Minute}}, true
	}
	return c
}

func (c caller) close() {
	if c.own {
		c.http.CloseIdleConnections()
	}
}

func (c caller) rides(ctx context.Context, robot string) ([]ride, error) {
	var rides []ride
	err := c.call(ctx, http.MethodGet, "/v1/rides?"+url.Values{"robot": {robot}}.Encode(), nil, &rides)
	return rides, err
}

func (c caller) signal(ctx context.Context, ride string, s signal) error {
	return c.call(ctx, http.MethodPost, "/v1/rides/"+url.PathEscape(ride)+"/signals", s, nil)
}

// heartbeat is a sign of life with no ride to name.
func (c caller) heartbeat(ctx context.Context, robot string, s signal) error {
	s.Kind, s.Permit = "", ""
	return c.call(ctx, http.MethodPost, "/v1/robots/"+url.PathEscape(robot)+"/heartbeat", s, nil)
}

// call gives a *Refusal for a no that stays, and another error where it is not
// known whether the agent has heard.
func (c caller) call(ctx context.Context, method, path string, body, into any) error {
	ctx, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	req, err := c.request(ctx, method, path, body)
	if err != nil {
		return err
	}
	resp, err := c.http.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	data, err := io.ReadAll(io.LimitReader(resp.Body, maxAnswer+1))
	if err != nil {
		return fmt.Errorf("answer to %s %s: %w", method, path, err)
	}
	if len(data) > maxAnswer {
		return fmt.Errorf("answer to %s %s is too large", method, path)
	}
	if resp.StatusCode/100 != 2 {
		return refusal(resp.StatusCode, data)
	}
	if into == nil {
		return nil
	}
	if err := json.Unmarshal(data, into); err != nil {
		return fmt.Errorf("answer to %s %s: %w", method, path, err)
	}
	return nil
}

func (c caller) request(ctx context.Context, method, path string, body any) (*http.Request, error) {
	var r io.Reader
	if body != nil {
		b, err := json.Marshal(body)
		if err != nil {
			return nil, err
		}
		r = bytes.NewReader(b)
	}
	req, err := http.NewRequestWithContext(ctx, method, c.base+path, r)
	if err != nil {
		return nil, err
	}
	if body != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	if c.token != "" {
		req.Header.Set("Authorization", "Bearer "+c.token)
	}
	return req, nil
}

// refusal reads a problem. What a server says of its own trouble (5xx, 429) may
// pass: [NotNow].
func refusal(status int, data []byte) error {
	var p struct{ Code, Title, Detail string }
	_ = json.Unmarshal(data, &p) // a proxy may answer without a problem; the status is enough
	no := Refusal{Status: status, Code: p.Code, Title: p.Title, Detail: p.Detail}
	if status >= 500 || status == http.StatusTooManyRequests {
		return &NotNow{no}
	}
	return &no
}

func isRefusal(err error) bool {
	var no *Refusal
	return errors.As(err, &no)
}
