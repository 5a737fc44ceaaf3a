package rest

import (
	"bytes"
	"context"
	"crypto/tls"
	"encoding/pem"
	"errors"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"hoistway/drivers"
	"hoistway/fsm/elevator"
)

// DR-7: the vendor of the README, by the very text of its file.
func TestWorkedExample(t *testing.T) {
	page, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	_, text, _ := strings.Cut(string(page), "```yaml\n")
	text, _, _ = strings.Cut(text, "```")
	synctest.Test(t, func(t *testing.T) {
		f, now := newField(t), clock()
		answer, body := jsonAnswer(200, `{}`), ""
		f.answer = map[string]http.HandlerFunc{
			"/base/v1/elevators": jsonAnswer(200, `{"elevators":[{"id":6,"storey":1,"moving":"up","door":"SHUT"},{"id":7,"level":2,"moving":"no","door":"OPEN"}]}`),
			"/base/v1/rides": func(w http.ResponseWriter, r *http.Request) {
				b, _ := io.ReadAll(r.Body)
				body = string(b)
				if r.Header.Get("X-Api-Key") != "k-1234" {
					t.Errorf("key %q", r.Header.Get("X-Api-Key"))
				}
				answer(w, r)
			},
		}
		file := filepath.Join(t.TempDir(), "secrets")
		if err := os.WriteFile(file, []byte("api_key = k-1234\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		s := linkSpec(t, "http://lifts.example/base?lift=7&secrets="+file, "testdata/plain.yaml")
		s.ProfileName, s.Profile = "README.md", []byte(text)
		l, err := opener(t, drivers.Env{Now: now, Dial: f.dial}, s).Open(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		defer f.power(false, nil)
		defer func() { _ = l.Close() }()
		if x := shot(t, l); !openAt(2)(x) {
			t.Errorf("%+v", x)
		}
		ride := func(n uint32) elevator.Outcome {
			return l.Do(context.Background(), elevator.Command{ID: elevator.CommandID{Ride: "r", N: n}, Verb: elevator.Journey, Floor: 1, To: 3, Until: now().Add(time.Second)})
		}
		if o := ride(1); o.Result != elevator.Done || !strings.HasPrefix(body, `{"from":1,"key":"`) || !strings.HasSuffix(body, `","lift":"7","to":3}`) {
			t.Errorf("%+v, %s", o, body)
		}
		answer = jsonAnswer(409, `{"reason":"FULL"}`)
		if o := ride(2); o.Result != elevator.Refused || o.Advice != elevator.AdviceWait || o.Code != "FULL" {
			t.Errorf("%+v", o)
		}
		answer = jsonAnswer(409, `{"reason":"CLOSED"}`)
		if o := ride(3); o.Result != elevator.Refused || o.Advice != elevator.AdviceConfig || o.Code != "CLOSED" {
			t.Errorf("%+v", o)
		}
	})
}

// A service whose certificate nobody vouches for is not spoken to; one that the link's
// own file vouches for is. On a real socket.
func TestCertificates(t *testing.T) {
	t.Parallel()
	srv := httptest.NewUnstartedServer(jsonAnswer(200, statusJSON))
	srv.Config.ErrorLog = log.New(io.Discard, "", 0)
	srv.TLS = &tls.Config{MinVersion: tls.VersionTLS12}
	srv.StartTLS()
	defer srv.Close()
	file := filepath.Join(t.TempDir(), "ca.pem")
	if err := os.WriteFile(file, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: srv.Certificate().Raw}), 0o644); err != nil {
		t.Fatal(err)
	}
	for ca, good := range map[string]bool{"": false, "&ca=" + file: true} {
		spec := linkSpec(t, srv.URL+"?lift=A"+ca, "testdata/plain.yaml")
		spec.Profile = bytes.ReplaceAll(spec.Profile, []byte("within: 600ms"), []byte("within: 20s")) // the machine may be busy
		l, err := opener(t, drivers.Env{Now: clock()}, spec).Open(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		s, err := l.Read(context.Background())
		if (err == nil) != good || good != (s.Floor.Value == 1) || !good && !errors.Is(err, drivers.ErrLink) {
			t.Errorf("ca %q: %v, %+v", ca, err, s)
		}
		if err := l.Close(); err != nil {
			t.Error(err)
		}
	}
}

const statusJSON = `{"lift":[{"id":"A","floor":"1"}],"motion":0,"doors":{"front":"open"}}`
