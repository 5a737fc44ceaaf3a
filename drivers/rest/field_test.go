package rest

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"hoistway/drivers"
	"hoistway/drivers/drivertest"
	"hoistway/fsm/elevator"
)

// field is a service whose every answer a test writes.
type field struct {
	far
	t      testing.TB
	answer map[string]http.HandlerFunc // by path
	asked  []string
	log    strings.Builder
	logged sync.Mutex
	frames strings.Builder
}

const goodStatus = `{"success":true,"lifts":[{"open":false,"floor":9},{"open":true,"floor":"2"}],"motion":0}`

func jsonAnswer(status int, body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(status)
		_, _ = io.WriteString(w, body)
	}
}

func newField(t testing.TB) *field {
	f := &field{t: t, far: far{spoil: map[bool]drivertest.Spoil{}}, answer: map[string]http.HandlerFunc{
		"/token":  jsonAnswer(200, `{"access_token":"tok-12345","expires_in":3600}`),
		"/status": jsonAnswer(200, goodStatus),
		"/press":  jsonAnswer(200, `{"success":true}`),
		"/order":  jsonAnswer(200, `{"success":true}`),
	}}
	f.power(true, f)
	return f
}

func (f *field) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	f.mu.Lock()
	f.asked = append(f.asked, r.URL.Path)
	h := f.answer[r.URL.Path]
	f.mu.Unlock()
	if h != nil {
		h(w, r)
	}
}

func (f *field) set(path string, h http.HandlerFunc) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.answer[path] = h
}

// count is how often a path was asked.
func (f *field) count(path string) (n int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, a := range f.asked {
		if a == path {
			n++
		}
	}
	return n
}

func (f *field) Write(b []byte) (int, error) {
	f.logged.Lock()
	defer f.logged.Unlock()
	return f.log.Write(b)
}

const secret = "s3cr3t-of-the-app"

// open makes a link to the service within a bubble.
func (f *field) open(now func() elevator.Instant) drivers.Link {
	f.t.Helper()
	file := filepath.Join(f.t.(*testing.T).TempDir(), "secrets")
	if err := os.WriteFile(file, []byte("# of the test\napp_id = me\napp_secret="+secret+"\n"), 0o600); err != nil {
		f.t.Fatal(err)
	}
	env := drivers.Env{Now: now, Dial: f.dial, Log: slog.New(slog.NewTextHandler(f, nil)), Trace: func(x drivers.Frame) {
		f.logged.Lock()
		defer f.logged.Unlock()
		f.frames.Write(x.Data)
		f.frames.WriteString(x.Note)
	}}
	l, err := opener(f.t, env, linkSpec(f.t, "http://lifts.example?secrets="+file, "testdata/token.yaml")).Open(context.Background())
	if err != nil {
		f.t.Fatal(err)
	}
	return l
}

// bubble plays a test against a service and a link.
func bubble(t *testing.T, play func(*testing.T, *field, drivers.Link, func() elevator.Instant)) {
	synctest.Test(t, func(t *testing.T) {
		f, now := newField(t), clock()
		l := f.open(now)
		defer f.power(false, nil)
		defer func() { _ = l.Close() }()
		play(t, f, l, now)
		f.logged.Lock()
		defer f.logged.Unlock()
		if text := f.frames.String(); strings.Contains(text, secret) || strings.Contains(text, "tok-12345") || strings.Contains(text, "bWU6") {
			t.Errorf("a secret is in the record: %.2000s", text)
		}
		if strings.Contains(f.log.String(), secret) {
			t.Errorf("a secret is in the log: %s", &f.log)
		}
	})
}

func shot(t *testing.T, l drivers.Link) elevator.Snapshot {
	t.Helper()
	s, err := l.Read(context.Background())
	if err != nil {
		t.Fatalf("read: %v", err)
	}
	return s
}

func command(now func() elevator.Instant, n uint32, v elevator.Verb) elevator.Command {
	return elevator.Command{ID: elevator.CommandID{Ride: "r", N: n}, Verb: v, Floor: 2, Side: elevator.Front, Direction: elevator.Up, Until: now().Add(30 * time.Second)}
}

// DR-3: what is not whole, not JSON, not a yes, or not from the service is no value,
// and a command that got it is unknown, or refused where the service clearly said no;
// it is never sent again.
func TestLies(t *testing.T) {
	html := func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		_, _ = io.WriteString(w, "<html><form action=/login>")
	}
	typed := func(kind, body string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", kind)
			_, _ = io.WriteString(w, body)
		}
	}
	for _, c := range []struct {
		name   string
		h      http.HandlerFunc
		kind   error
		result elevator.Result
		code   string
		advice elevator.Advice
	}{
		{"login page with 200", html, drivers.ErrProtocol, elevator.ResultUnknown, "", 0},
		{"JSON called HTML", typed("text/html", goodStatus), drivers.ErrProtocol, elevator.ResultUnknown, "", 0},
		{"login page called JSON", typed("application/json", "<html>"), drivers.ErrProtocol, elevator.ResultUnknown, "", 0},
		{"half a document", jsonAnswer(200, goodStatus[:40]), drivers.ErrProtocol, elevator.ResultUnknown, "", 0},
		{"two documents", jsonAnswer(200, goodStatus+goodStatus), drivers.ErrProtocol, elevator.ResultUnknown, "", 0},
		{"nothing", jsonAnswer(200, ""), drivers.ErrProtocol, elevator.ResultUnknown, "", 0},
		{"a no with 200", jsonAnswer(200, `{"success":false,"code":1004,"msg":"fire","motion":0}`), drivers.ErrDevice, elevator.Refused, "1004", elevator.AdviceWait},
		{"an unknown code", jsonAnswer(200, `{"success":false,"code":"E77"}`), drivers.ErrDevice, elevator.Refused, "E77", elevator.AdviceNone},
		{"a no without a code", jsonAnswer(200, `{"success":false}`), drivers.ErrProtocol, elevator.ResultUnknown, "", 0},
		{"no word of success", jsonAnswer(200, `{"lifts":[{"open":true,"floor":1}],"motion":0}`), drivers.ErrProtocol, elevator.ResultUnknown, "", 0},
		{"a failure of the service", jsonAnswer(502, `{"success":true}`), drivers.ErrProtocol, elevator.ResultUnknown, "", 0},
		{"not found", jsonAnswer(404, `{}`), drivers.ErrDevice, elevator.Refused, "404", elevator.AdviceNone},
		{"elsewhere", func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "http://other.example/status", http.StatusFound)
		}, drivers.ErrProtocol, elevator.ResultUnknown, "", 0},
		{"much too long", typed("application/json", `{"success":true,"x":"`+strings.Repeat("x", maxBody)+`"}`), drivers.ErrProtocol, elevator.ResultUnknown, "", 0},
		{"nested without end", jsonAnswer(200, strings.Repeat("[", 5000)+strings.Repeat("]", 5000)), drivers.ErrProtocol, elevator.ResultUnknown, "", 0},
		{"drip feed", func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			for i := range goodStatus {
				_, _ = io.WriteString(w, goodStatus[i:i+1])
				w.(http.Flusher).Flush()
				select {
				case <-time.After(200 * time.Millisecond):
				case <-r.Context().Done():
					return
				}
			}
		}, drivers.ErrTimeout, elevator.ResultUnknown, "", 0},
		{"headers drop by drop", func(w http.ResponseWriter, r *http.Request) {
			c, _, err := w.(http.Hijacker).Hijack()
			if err != nil {
				return
			}
			defer c.Close()
			for _, x := range []byte("HTTP/1.1 200 OK\r\nX: " + strings.Repeat("x", 300)) {
				if _, err := c.Write([]byte{x}); err != nil {
					return
				}
				time.Sleep(200 * time.Millisecond)
			}
		}, drivers.ErrTimeout, elevator.ResultUnknown, "", 0},
		{"connection cut", func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }, drivers.ErrLink, elevator.ResultUnknown, "", 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			bubble(t, func(t *testing.T, f *field, l drivers.Link, now func() elevator.Instant) {
				if s := shot(t, l); s.Floor.Value != 2 || s.Motion.Value != elevator.Stopped || s.Link != elevator.Online {
					t.Fatalf("at first %+v", s)
				}
				f.set("/status", c.h)
				if s, err := l.Read(context.Background()); !errors.Is(err, c.kind) || !s.Floor.Failed || s.Floor.Value != 2 || !s.Motion.Failed {
					t.Errorf("%v, %+v", err, s)
				}
				f.set("/press", c.h)
				f.set("/order", c.h)
				for i, path := range []string{"/press", "/order"} {
					o := l.Do(context.Background(), command(now, uint32(i+1), []elevator.Verb{elevator.LandingCall, elevator.CarCall}[i]))
					if o.Result != c.result || o.Code != c.code || o.Advice != c.advice {
						t.Errorf("%s: %+v", path, o)
					}
					if n := f.count(path); n != 1 {
						t.Errorf("%s was sent %d times", path, n)
					}
				}
				_ = l.Close()
				time.Sleep(time.Second) // what drips notices that nobody listens
			})
		})
	}
}

// DR-3: of two that an expression finds, of none, and of an error no value is made.
func TestExpressions(t *testing.T) {
	bubble(t, func(t *testing.T, f *field, l drivers.Link, _ func() elevator.Instant) {
		for _, lifts := range []string{`[{"open":true,"floor":1},{"open":true,"floor":2}]`, `[]`, `7`, `[{"open":true}]`, `[{"open":true,"floor":{"a":1}}]`} {
			f.set("/status", jsonAnswer(200, `{"success":true,"motion":0,"lifts":`+lifts+`}`))
			s, _ := l.Read(context.Background())
			if s.Floor.Value != 0 && !s.Floor.Failed || s.Motion.Value != elevator.Stopped {
				t.Errorf("%s: %+v", lifts, s)
			}
		}
	})
}

// DR-3: a token that ran out is fetched once anew and the poll repeated; a command is
// not repeated.
func TestTokenRunsOut(t *testing.T) {
	bubble(t, func(t *testing.T, f *field, l drivers.Link, now func() elevator.Instant) {
		shot(t, l)
		once := true
		f.set("/status", func(w http.ResponseWriter, r *http.Request) {
			if once {
				once = false
				jsonAnswer(401, `{}`)(w, r)
				return
			}
			jsonAnswer(200, goodStatus)(w, r)
		})
		before := f.count("/token")
		shot(t, l)
		if got := f.count("/token") - before; got != 1 {
			t.Errorf("%d tokens were fetched", got)
		}
		f.set("/order", jsonAnswer(401, `{}`))
		o := l.Do(context.Background(), command(now, 1, elevator.CarCall))
		if o.Result != elevator.Refused || o.Advice != elevator.AdviceRetry || f.count("/order") != 1 {
			t.Errorf("%+v after %d", o, f.count("/order"))
		}
		f.set("/order", jsonAnswer(200, `{"success":true}`))
		shot(t, l)
		if o := l.Do(context.Background(), command(now, 2, elevator.CarCall)); o.Result != elevator.Done {
			t.Errorf("%+v", o)
		}
	})
}

// DR-3: a service that does not believe us is not stormed: one new token, then
// silence that grows.
func TestNoStorm(t *testing.T) {
	bubble(t, func(t *testing.T, f *field, l drivers.Link, now func() elevator.Instant) {
		shot(t, l)
		f.set("/status", jsonAnswer(401, `{}`))
		asked, tokens := f.count("/status"), f.count("/token")
		time.Sleep(5 * time.Minute)
		if n := f.count("/status") - asked; n > 2*5+2 {
			t.Errorf("asked %d times in five minutes", n)
		}
		if n := f.count("/token") - tokens; n > 6 {
			t.Errorf("%d tokens in five minutes", n)
		}
		if s, _ := l.Read(context.Background()); s.Link != elevator.Offline || !s.Floor.Failed {
			t.Errorf("%+v", s)
		}
		f.set("/status", jsonAnswer(200, goodStatus))
		time.Sleep(longestDenial + 2*time.Second)
		shot(t, l)
	})
	for _, h := range []http.HandlerFunc{jsonAnswer(401, `{}`), jsonAnswer(200, `<html>`), jsonAnswer(200, `{"expires_in":3600}`), jsonAnswer(302, ``), jsonAnswer(500, `{}`)} {
		bubble(t, func(t *testing.T, f *field, l drivers.Link, now func() elevator.Instant) {
			f.set("/token", h)
			f.set("/status", jsonAnswer(401, `{}`))
			time.Sleep(time.Hour)
			if n := f.count("/token"); n > 20 {
				t.Errorf("a wrong password was shown %d times in an hour", n)
			}
			if o := l.Do(context.Background(), command(now, 1, elevator.CarCall)); o.Result != elevator.NotSent {
				t.Errorf("%+v", o)
			}
		})
	}
}

// DR-3: Retry-After is obeyed by polls and by commands; a command that cannot wait is
// not sent.
func TestRetryAfter(t *testing.T) {
	for status, after := range map[int]string{429: "20", 503: "date"} {
		bubble(t, func(t *testing.T, f *field, l drivers.Link, now func() elevator.Instant) {
			shot(t, l)
			f.set("/status", func(w http.ResponseWriter, r *http.Request) {
				value := after
				if after == "date" {
					value = time.Now().Add(20 * time.Second).UTC().Format(http.TimeFormat)
				}
				w.Header().Set("Retry-After", value)
				jsonAnswer(status, `{}`)(w, r)
			})
			if _, err := l.Read(context.Background()); err == nil || status == 429 && !errors.Is(err, drivers.ErrBusy) {
				t.Errorf("%v", err)
			}
			f.set("/status", jsonAnswer(200, goodStatus))
			asked, began := f.count("/status"), time.Now()
			short := command(now, 1, elevator.CarCall)
			short.Until = now().Add(5 * time.Second)
			if o := l.Do(context.Background(), short); o.Result != elevator.NotSent || time.Since(began) > time.Second {
				t.Errorf("%+v", o)
			}
			if o := l.Do(context.Background(), command(now, 2, elevator.CarCall)); o.Result != elevator.Done || time.Since(began) < 18*time.Second {
				t.Errorf("%+v after %s", o, time.Since(began))
			}
			if n := f.count("/status") - asked; n > 1 {
				t.Errorf("%d polls meanwhile", n)
			}
		})
	}
}

// DR-8: polls leave the reserve to commands.
func TestQuota(t *testing.T) {
	bubble(t, func(t *testing.T, f *field, l drivers.Link, now func() elevator.Instant) {
		for range 80 {
			_, _ = l.Read(context.Background())
		}
		if n := f.count("/status"); n > 56 {
			t.Errorf("%d polls out of a quota of 60 with 5 for commands", n)
		}
		began := time.Now()
		for n := range uint32(5) {
			if o := l.Do(context.Background(), command(now, n, elevator.CarCall)); o.Result != elevator.Done {
				t.Errorf("%+v", o)
			}
		}
		if d := time.Since(began); d > 100*time.Millisecond {
			t.Errorf("commands waited %s behind polls", d)
		}
	})
}

// A used connection that the service has closed: the transport repeats a reading
// request by itself; a command by GET never comes twice.
func TestUsedConnection(t *testing.T) {
	bubble(t, func(t *testing.T, f *field, l drivers.Link, now func() elevator.Instant) {
		shot(t, l)
		cut := func(w http.ResponseWriter, _ *http.Request) {
			c, _, err := w.(http.Hijacker).Hijack()
			if err == nil {
				_ = c.Close()
			}
		}
		f.set("/press", cut)
		f.set("/order", cut)
		for i, v := range []elevator.Verb{elevator.LandingCall, elevator.CarCall} {
			if o := l.Do(context.Background(), command(now, uint32(i), v)); o.Result != elevator.ResultUnknown {
				t.Errorf("%+v", o)
			}
		}
		if f.count("/press") != 1 || f.count("/order") != 1 {
			t.Errorf("sent %d and %d times", f.count("/press"), f.count("/order"))
		}
	})
}

// A request with an idempotency key is one that the transport would repeat by itself on a
// connection that was used before. A command is said once all the same.
func TestKeyedCommandIsSaidOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f, now := newField(t), clock()
		defer f.power(false, nil)
		file := filepath.Join(t.TempDir(), "secrets")
		if err := os.WriteFile(file, []byte("app_id=me\napp_secret="+secret+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		s := linkSpec(t, "http://lifts.example?secrets="+file, "testdata/token.yaml")
		text := strings.Replace(string(s.Profile), "order: {path: /order, form", `order: {path: /order, headers: {idempotency-key: "$id"}, form`, 1)
		s.Profile = []byte(strings.Replace(text, "car_call: {send: [{message: order, with: {", "car_call: {send: [{message: order, with: {id: $id, ", 1))
		l, err := opener(t, drivers.Env{Now: now, Dial: f.dial}, s).Open(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = l.Close() }()
		shot(t, l)
		f.set("/order", func(w http.ResponseWriter, _ *http.Request) {
			if c, _, err := w.(http.Hijacker).Hijack(); err == nil {
				_ = c.Close()
			}
		})
		if o := l.Do(context.Background(), command(now, 1, elevator.CarCall)); o.Result != elevator.ResultUnknown || f.count("/order") != 1 {
			t.Errorf("%+v, sent %d times", o, f.count("/order"))
		}
	})
}

// An answer out of a cache on the way is as old as it says, and one that does not say it
// clearly is no news at all.
func TestCachedAnswerIsOld(t *testing.T) {
	bubble(t, func(t *testing.T, f *field, l drivers.Link, now func() elevator.Instant) {
		time.Sleep(time.Minute)
		was := shot(t, l).Floor
		for _, age := range []string{"30", "soon", "-1", "99999999999"} {
			f.set("/status", func(w http.ResponseWriter, r *http.Request) {
				if r.Header.Get("Cache-Control") != "no-cache" {
					t.Error("nothing keeps a cache from answering")
				}
				w.Header().Set("Age", age)
				jsonAnswer(200, strings.Replace(goodStatus, `"2"`, `"3"`, 1))(w, r)
			})
			time.Sleep(3 * time.Second)
			s, _ := l.Read(context.Background())
			if s.Floor.Value != was.Value || now().Sub(s.Floor.At) < 3*time.Second {
				t.Errorf("age %s: floor %v of %s ago", age, s.Floor.Value, now().Sub(s.Floor.At))
			}
		}
	})
}

// Secrets come from a file of tight rights, all of them and no others; no error shows
// one.
func TestSecrets(t *testing.T) {
	f := newField(t)
	defer f.power(false, nil)
	dir := t.TempDir()
	t.Setenv("CREDENTIALS_DIRECTORY", dir)
	write := func(name, text string, mode os.FileMode) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), mode); err != nil {
			t.Fatal(err)
		}
		return path
	}
	whole := "app_id=me\napp_secret=" + secret + "\n"
	for where, wrong := range map[string]string{
		write("good", whole, 0o600):                     "",
		"credential:good":                               "",
		write("open", whole, 0o644):                     "chmod 600",
		write("group", whole, 0o640):                    "chmod 600",
		write("half", "app_id=me\n", 0o600):             "app_secret is missing",
		write("other", whole+"more=1\n", 0o600):         `no "more"`,
		write("twice", whole+"app_id=1\n", 0o600):       "twice",
		write("noise", "app_id me "+secret+"\n", 0o600): "line 1",
		filepath.Join(dir, "absent"):                    "no such file",
		"credential:../x":                               "no such credential",
		dir:                                             "not a plain file",
	} {
		env := drivers.Env{Now: clock(), Dial: f.dial}
		l, err := opener(t, env, linkSpec(t, "http://lifts.example?secrets="+where, "testdata/token.yaml")).Open(context.Background())
		if l != nil {
			_ = l.Close()
		}
		got := fmt.Sprint(err)
		if (wrong == "") != (err == nil) || wrong != "" && !strings.Contains(got, wrong) || strings.Contains(got, secret) {
			t.Errorf("%s: %v, want %q", where, err, wrong)
		}
	}
}

// A link says what is wrong with it, before anything is dialled.
func TestTargets(t *testing.T) {
	for link, want := range map[string]string{
		"http://lifts.example":                     "wants secrets (app_id, app_secret)",
		"http://me:pw@lifts.example?secrets=x":     "no name or password",
		"http:///x?secrets=x":                      "no host",
		"http://lifts.example?secrets=x&floor=1":   "floor is not known",
		"http://lifts.example?secrets=x&ca=y":      "ca is for https",
		"http://lifts.example?secrets=x&secrets=y": "given 2 times",
		"http://lifts.example?secrets=x&timeout=1": "timeout 1",
		"ws://lifts.example?secrets=x":             "speaks http",
	} {
		s := linkSpec(t, link, "testdata/token.yaml")
		for _, f := range Factories(drivers.Env{Now: clock()}) {
			if f.Scheme != s.URL.Scheme {
				continue
			}
			if _, err := f.New(s); err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "pw") {
				t.Errorf("%s: %v, want %q", link, err, want)
			}
		}
	}
}
