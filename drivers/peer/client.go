package peer

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"os"
	"sync/atomic"
	"time"
	"unicode/utf8"

	"hoistway/drivers"
	"hoistway/fsm/elevator"
)

const (
	patience  = 2 * time.Second // for one question
	maxAnswer = 1 << 20
	maxTrace  = 16 << 10
)

// client asks one gateway.
type client struct {
	to    target
	env   drivers.Env
	token string
	http  *http.Client
	pool  *http.Transport
}

func newClient(to target, env drivers.Env) (*client, error) {
	token, err := readToken(to.secrets)
	if err != nil {
		return nil, err
	}
	certs, err := trust(to.ca)
	if err != nil {
		return nil, err
	}
	dial := env.Dial
	if dial == nil {
		dial = (&net.Dialer{}).DialContext
	}
	pool := &http.Transport{
		DialContext: dial, TLSClientConfig: certs, TLSHandshakeTimeout: 5 * time.Second,
		MaxConnsPerHost: 16, MaxIdleConnsPerHost: 4, IdleConnTimeout: 30 * time.Second,
		DisableCompression: true, MaxResponseHeaderBytes: 32 << 10,
	}
	stay := func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return &client{to: to, env: env, token: token, pool: pool, http: &http.Client{Transport: pool, CheckRedirect: stay}}, nil
}

func (c *client) close() { c.pool.CloseIdleConnections() }

// ask makes one call, once, and decodes its answer. asked is taken before a byte left:
// what the answer says was true then or later.
func (c *client) ask(ctx context.Context, method, path string, body, into any) (asked elevator.Instant, err error) {
	ctx, cancel := context.WithTimeout(ctx, c.to.timeout)
	defer cancel()
	var left atomic.Bool
	ctx = httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{GotConn: func(httptrace.GotConnInfo) { left.Store(true) }})
	req, src, err := c.request(ctx, method, path, body)
	if err != nil {
		return 0, fmt.Errorf("%w: %w: %w", drivers.ErrNotSent, drivers.ErrConfig, err)
	}
	c.trace(true, method+" "+path+"\n"+string(src), "")
	asked = c.env.Now()
	status, got, err := c.exchange(req)
	if err != nil {
		err = broken(err, left.Load())
		c.trace(false, "", err.Error())
		return asked, fmt.Errorf("%s %s: %w", method, path, err)
	}
	c.trace(false, fmt.Sprintf("%d\n%s", status, got.body), "")
	if err := got.decode(status, into); err != nil {
		return asked, fmt.Errorf("%s %s: %w", method, path, err)
	}
	return asked, nil
}

func (c *client) request(ctx context.Context, method, path string, body any) (*http.Request, []byte, error) {
	var src []byte
	if body != nil {
		var err error
		if src, err = json.Marshal(body); err != nil {
			return nil, nil, err
		}
	}
	req, err := http.NewRequestWithContext(ctx, method, c.to.base+path, bytes.NewReader(src))
	if err != nil {
		return nil, nil, err
	}
	if body == nil {
		req.Body, req.GetBody, req.ContentLength = http.NoBody, nil, 0
	} else {
		req.Header.Set("Content-Type", "application/json")
	}
	req.Header.Set("User-Agent", "hoistway")
	if c.token != "" {
		req.Header.Set("Authorization", "Bearer "+c.token)
	}
	return req, src, nil
}

// answer is what came back.
type answer struct {
	kind  string
	after time.Duration
	body  []byte
}

func (c *client) exchange(req *http.Request) (status int, a answer, err error) {
	res, err := c.http.Do(req)
	if err != nil {
		return 0, a, err
	}
	defer func() { _ = res.Body.Close() }() // what it held is read or not wanted
	a.kind, _, _ = mime.ParseMediaType(res.Header.Get("Content-Type"))
	a.after = retryAfter(res.Header)
	a.body, err = io.ReadAll(io.LimitReader(res.Body, maxAnswer+1))
	return res.StatusCode, a, err
}

// decode takes a good answer, or says what kind of no it is.
func (a answer) decode(status int, into any) error {
	switch {
	case len(a.body) > maxAnswer:
		return fmt.Errorf("%w: more than %d bytes", drivers.ErrProtocol, maxAnswer)
	case status/100 != 2:
		return refusal(status, a)
	case a.kind != "application/json":
		return fmt.Errorf("%w: the answer is %q", drivers.ErrProtocol, a.kind)
	case !utf8.Valid(a.body):
		return fmt.Errorf("%w: the answer is no text", drivers.ErrProtocol)
	}
	if err := json.Unmarshal(a.body, into); err != nil {
		return fmt.Errorf("%w: %w", drivers.ErrProtocol, err)
	}
	return nil
}

// broken words an error of the transport. Without a connection nothing was sent.
func broken(err error, left bool) error {
	var u *url.Error
	if errors.As(err, &u) {
		err = u.Err
	}
	kind := drivers.ErrLink
	if errors.Is(err, context.DeadlineExceeded) || errors.Is(err, os.ErrDeadlineExceeded) {
		kind = drivers.ErrTimeout
	}
	if !left {
		return fmt.Errorf("%w: %w: %w", drivers.ErrNotSent, kind, err)
	}
	return fmt.Errorf("%w: %w", kind, err)
}

// trace shows a frame for the record. The token is in a header, and no header is shown.
func (c *client) trace(out bool, text, note string) {
	if c.env.Trace == nil {
		return
	}
	if len(text) > maxTrace {
		text, note = text[:maxTrace], "cut"
	}
	c.env.Trace(drivers.Frame{Line: c.to.host, Out: out, At: c.env.Now(), Data: []byte(text), Note: note})
}
