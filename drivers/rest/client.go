package rest

import (
	"bytes"
	"context"
	"crypto/rand"
	"crypto/tls"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"math"
	"net"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"hoistway/drivers"
	"hoistway/drivers/profiles"
	"hoistway/fsm/elevator"
)

// Bounds of what a service may send.
const (
	maxBody    = 1 << 20
	maxHeaders = 64 << 10
	redirects  = 3
)

// client asks one service for one lift. Its methods may be called from several
// goroutines.
type client struct {
	to      target
	env     drivers.Env
	secrets map[string]string
	account *account
	pooled  *http.Client // keeps connections; may repeat a GET by itself
	fresh   *http.Client // a connection for each request

	tokens tokens
}

func newClient(to target, env drivers.Env, secrets map[string]string, a *account) (*client, error) {
	pool, err := roots(to.ca)
	if err != nil {
		return nil, err
	}
	dial := env.Dial
	if dial == nil {
		dial = (&net.Dialer{Timeout: 10 * time.Second}).DialContext
	}
	transport := func(keep bool) *http.Transport {
		return &http.Transport{
			DialContext: dial, TLSClientConfig: &tls.Config{RootCAs: pool, MinVersion: tls.VersionTLS12},
			TLSHandshakeTimeout: 10 * time.Second, MaxResponseHeaderBytes: maxHeaders,
			MaxIdleConnsPerHost: 2, MaxConnsPerHost: 8, IdleConnTimeout: time.Minute, DisableKeepAlives: !keep,
		}
	}
	c := &client{to: to, env: env, secrets: secrets, account: a}
	c.pooled = &http.Client{Transport: transport(true), CheckRedirect: sameHost}
	c.fresh = &http.Client{Transport: transport(false), CheckRedirect: noRedirect}
	return c, nil
}

func (c *client) close() {
	c.pooled.CloseIdleConnections()
	c.fresh.CloseIdleConnections()
}

func noRedirect(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }

// sameHost follows a reading request within its own service; what leads elsewhere is
// an answer like any other, and no good one.
func sameHost(r *http.Request, via []*http.Request) error {
	first := via[0].URL
	if len(via) > redirects || r.Method != http.MethodGet || r.URL.Host != first.Host || r.URL.Scheme != first.Scheme {
		return http.ErrUseLastResponse
	}
	return nil
}

// reply is what became of a request on the wire.
type reply struct {
	status int
	kind   string
	body   []byte
	after  time.Duration    // the service asked for silence
	left   bool             // a byte may have left
	at     elevator.Instant // before it did
}

// errBody is an answer that would fill the memory.
var errBody = errors.New("the answer is longer than is taken")

// send carries a request once. The error wraps ErrTimeout or ErrLink. Of a private one
// the record of frames shows no body: a new token is in it.
func (c *client) send(ctx context.Context, address string, s profiles.Outgoing, command, private bool) (reply, error) {
	out := reply{at: c.env.Now()}
	var left atomic.Bool
	ctx = httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{GotConn: func(httptrace.GotConnInfo) { left.Store(true) }})
	req, err := http.NewRequestWithContext(ctx, s.Method, address, bytes.NewReader(s.Body))
	if err != nil {
		return out, fmt.Errorf("%w: %w", drivers.ErrConfig, bare(err))
	}
	if s.Body == nil {
		req.Body, req.GetBody, req.ContentLength = http.NoBody, nil, 0
	}
	for _, f := range s.Header {
		req.Header.Set(f[0], f[1])
	}
	req.Header.Set("User-Agent", "hoistway")
	req.Header.Set("Cache-Control", "no-cache")
	show := func(b []byte) string {
		if private {
			return "***"
		}
		return string(b)
	}
	c.trace(true, s.Method+" "+req.URL.RequestURI()+"\n"+show(s.Body), "")
	res, err := c.through(s, command).Do(req)
	if out.left = left.Load(); err != nil {
		err = c.broken(err)
		c.trace(false, "", err.Error())
		return out, err
	}
	defer func() { _ = res.Body.Close() }() // what it held is read or not wanted
	out.status, out.kind, out.after = res.StatusCode, res.Header.Get("Content-Type"), retryAfter(res.Header, time.Now())
	out.at = max(1, out.at.Add(-aged(res.Header))) // a cache on the way gives what it was given then
	out.body, err = io.ReadAll(io.LimitReader(res.Body, maxBody+1))
	switch {
	case err != nil:
		err = c.broken(err)
	case len(out.body) > maxBody:
		err = fmt.Errorf("%w: %w", drivers.ErrProtocol, errBody)
	}
	note := ""
	if err != nil {
		note = err.Error()
	}
	c.trace(false, fmt.Sprintf("%d %s\n%s", out.status, out.kind, show(out.body)), note)
	return out, err
}

// through picks the client: on a connection that was used before the transport repeats
// a GET on its own, and what has an idempotency key; any other POST never.
func (c *client) through(s profiles.Outgoing, command bool) *http.Client {
	if !command {
		return c.pooled
	}
	if (s.Method == http.MethodPost || s.Method == http.MethodPatch) && !keyed(s.Header) {
		direct := *c.pooled
		direct.CheckRedirect = noRedirect
		return &direct
	}
	return c.fresh
}

// keyed reports a header that tells the transport that a request may come twice. Whether
// the service thinks so too is not for it to know.
func keyed(header [][2]string) bool {
	return slices.ContainsFunc(header, func(h [2]string) bool {
		name := http.CanonicalHeaderKey(h[0])
		return name == "Idempotency-Key" || name == "X-Idempotency-Key"
	})
}

// broken words an error of the transport, without the address in it: a query may hold
// a signature.
func (c *client) broken(err error) error {
	err = bare(err)
	kind := drivers.ErrLink
	if errors.Is(err, context.DeadlineExceeded) || errors.Is(err, os.ErrDeadlineExceeded) {
		kind = drivers.ErrTimeout
	}
	return fmt.Errorf("%w: %w", kind, err)
}

func bare(err error) error {
	var u *url.Error
	if errors.As(err, &u) {
		return u.Err
	}
	return err
}

// aged is how long an answer lay in a cache; one that says so in no way that is
// understood is as old as can be.
func aged(h http.Header) time.Duration {
	v := h.Get("Age")
	if v == "" {
		return 0
	}
	n, err := strconv.ParseUint(v, 10, 16)
	if err != nil {
		n = math.MaxUint16
	}
	return time.Duration(n) * time.Second
}

const maxTrace = 16 << 10

func (c *client) trace(out bool, text, note string) {
	if c.env.Trace == nil {
		return
	}
	if len(text) > maxTrace {
		text, note = text[:maxTrace], note+" (cut)"
	}
	hide := forms(c.tokens.now())
	for _, s := range c.secrets {
		hide = append(hide, forms(s)...)
	}
	c.env.Trace(drivers.Frame{Line: c.to.line(), Out: out, At: c.env.Now(), Data: masked([]byte(text), hide), Note: string(masked([]byte(note), hide))})
}

// given is what messages are said with.
func (c *client) given(args map[string]profiles.Raw) profiles.Given {
	return profiles.Given{
		Args: args, Site: c.to.site, Secrets: c.secrets, Token: c.tokens.now(),
		Unix: time.Now().UnixMilli(), Nonce: nonce(),
	}
}

func nonce() string {
	var b [16]byte
	_, _ = rand.Read(b[:]) // never fails
	return hex.EncodeToString(b[:])
}

// whole is the address of a request below the link's own.
func (c *client) whole(s profiles.Outgoing) string {
	a := c.to.base.Scheme + "://" + c.to.base.Host + strings.TrimSuffix(c.to.base.EscapedPath(), "/") + s.Path
	if s.Query != "" {
		a += "?" + s.Query
	}
	return a
}

// patience bounds one question.
func (c *client) patience(ctx context.Context, within time.Duration) (context.Context, context.CancelFunc) {
	if c.to.timeout > 0 {
		within = min(within, c.to.timeout)
	}
	return context.WithTimeout(ctx, within)
}

// tokens holds the token of a link.
type tokens struct {
	fetch sync.Mutex // one asks for a token at a time

	mu    sync.Mutex
	token string
	since time.Time
	until time.Time // when a new one is due
	odd   int       // answers in a row that made no sense
}

// Some services answer a token that ran out with what looks like nothing they ever
// say. After so many of those a token of that age is fetched anew.
const (
	oddAnswers = 3
	oddAge     = time.Minute
)

// doubt counts answers that made no sense.
func (t *tokens) doubt(odd bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if !odd {
		t.odd = 0
		return
	}
	if t.odd++; t.odd >= oddAnswers && time.Since(t.since) > oddAge {
		t.token, t.odd = "", 0
	}
}

func (t *tokens) now() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.token
}

func (t *tokens) due() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.token == "" || !time.Now().Before(t.until)
}

func (t *tokens) set(token string, until time.Time) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.token, t.since, t.until = token, time.Now(), until
}

// drop forgets a token that was not believed, unless a newer one is there.
func (t *tokens) drop(token string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.token == token {
		t.token = ""
	}
}
