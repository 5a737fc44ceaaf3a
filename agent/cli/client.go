package cli

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"
)

// maxAnswer bounds what is read of one answer; the largest, all rides with their
// transitions, is far below.
const maxAnswer = 16 << 20

// client speaks with one agent. Safe for concurrent use.
type client struct {
	base    *url.URL
	token   string
	timeout time.Duration
	http    *http.Client
}

// newClient believes the system's authorities, or with a pool those in it alone.
func newClient(base *url.URL, token string, timeout time.Duration, believe *x509.CertPool) *client {
	return &client{base: base, token: token, timeout: timeout, http: &http.Client{
		// No proxy: an agent is on this machine or on the building's own network.
		Transport: &http.Transport{DisableKeepAlives: true, TLSClientConfig: &tls.Config{RootCAs: believe, MinVersion: tls.VersionTLS12}},
		// A token must not follow a redirect to somebody else.
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}
}

// get asks for path and returns the body of a good answer. A status in also is
// good as well.
func (c *client) get(ctx context.Context, path string, also ...int) ([]byte, error) {
	return c.call(ctx, http.MethodGet, path, nil, also...)
}

// call makes one request, once; it never repeats it. Its errors are *failure.
func (c *client) call(ctx context.Context, method, path string, body any, also ...int) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, c.timeout)
	defer cancel()
	req, err := c.request(ctx, method, path, body)
	if err != nil {
		return nil, err
	}
	resp, err := c.http.Do(req)
	if err != nil {
		return nil, c.unreachable(method, err)
	}
	defer resp.Body.Close()
	data, err := io.ReadAll(io.LimitReader(resp.Body, maxAnswer+1))
	if err == nil && len(data) > maxAnswer {
		err = errors.New("the answer is too large")
	}
	if err != nil {
		return nil, c.unreachable(method, err)
	}
	if resp.StatusCode/100 != 2 && !slices.Contains(also, resp.StatusCode) {
		return nil, refused(resp.StatusCode, data)
	}
	return data, nil
}

func (c *client) request(ctx context.Context, method, path string, body any) (*http.Request, error) {
	var r io.Reader
	if body != nil {
		b, err := json.Marshal(body)
		if err != nil {
			return nil, usage(codeFlag, err.Error())
		}
		r = bytes.NewReader(b)
	}
	req, err := http.NewRequestWithContext(ctx, method, c.base.String()+path, r)
	if err != nil {
		return nil, usage(codeAddress, err.Error())
	}
	if body != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	req.Header.Set("Accept", "application/json, application/problem+json")
	if c.token != "" {
		req.Header.Set("Authorization", "Bearer "+c.token)
	}
	return req, nil
}

// read decodes an answer, and refuses one that no agent gives. Keys that are new to
// us are left alone: a tool may be older than its agent.
func read[T any](data []byte, err error) (T, error) {
	var v T
	if err != nil {
		return v, err
	}
	if err := json.Unmarshal(data, &v); err != nil {
		return v, notAnAgent(err)
	}
	if err := ours(v); err != nil {
		return v, notAnAgent(err)
	}
	return v, nil
}

// at makes a path of an API call; every part is escaped, dots too where they would
// mean another path.
func at(parts ...string) string {
	for i, p := range parts {
		parts[i] = url.PathEscape(p)
		if strings.Trim(p, ".") == "" {
			parts[i] = strings.ReplaceAll(p, ".", "%2E")
		}
	}
	return "/v1/" + strings.Join(parts, "/")
}
