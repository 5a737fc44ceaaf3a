package peer

import (
	"bytes"
	"context"
	"encoding/pem"
	"errors"
	"log/slog"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"hoistway/drivers"
	"hoistway/drivers/secrets"
	"hoistway/fsm/elevator"
)

func TestLinks(t *testing.T) {
	env := drivers.Env{Now: clock()}
	for link, want := range map[string]target{
		"hoistway+https://gateway":                                {base: "https://gateway:8732", host: "gateway:8732", lift: "L7", timeout: 2 * time.Second},
		"hoistway+https://gateway:9000/?lift=L1&ca=/c&secrets=/s": {base: "https://gateway:9000", host: "gateway:9000", lift: "L1", ca: "/c", secrets: "/s", timeout: 2 * time.Second},
		"hoistway+https://[2001:db8::1]?timeout=300ms":            {base: "https://[2001:db8::1]:8732", host: "[2001:db8::1]:8732", lift: "L7", timeout: 300 * time.Millisecond},
		"hoistway+http://127.0.0.1?secrets=credential:gateway":    {base: "http://127.0.0.1:8732", host: "127.0.0.1:8732", lift: "L7", secrets: "credential:gateway", timeout: 2 * time.Second},
		"hoistway+http://[::1]:80":                                {base: "http://[::1]:80", host: "[::1]:80", lift: "L7", timeout: 2 * time.Second},
		"hoistway+http://localhost":                               {base: "http://localhost:8732", host: "localhost:8732", lift: "L7", timeout: 2 * time.Second},
	} {
		o, err := opening(t, env, link)
		if err != nil {
			t.Errorf("%s: %v", link, err)
			continue
		}
		if got := o.(*opener).to; got != want {
			t.Errorf("%s: %+v, want %+v", link, got, want)
		}
	}
	for link, why := range map[string]string{
		"hoistway+http://gateway":                "for this machine alone",
		"hoistway+http://10.0.0.1":               "for this machine alone",
		"hoistway+http://127.0.0.1?ca=/c":        "ca is for",
		"hoistway+https://":                      "no host",
		"hoistway+https://user:word@gateway":     "secrets=FILE",
		"hoistway+https://gateway/v1":            "only host",
		"hoistway+https://gateway#token=x":       "only host",
		"hoistway+https://gateway?token=x":       "token is not known",
		"hoistway+https://gateway?lift=A&lift=B": "once",
		"hoistway+https://gateway?lift=":         "with a value",
		"hoistway+https://gateway?timeout=1ms":   "100ms to 30s",
		"hoistway+https://gateway?timeout=soon":  "100ms to 30s",
		"hoistway+https://gateway?lift=%zz":      "after ?",
	} {
		if _, err := opening(t, env, link); err == nil || !strings.Contains(err.Error(), why) || strings.Contains(err.Error(), "word") {
			t.Errorf("%s: %v, want %q", link, err, why)
		}
	}
}

// SE-3: the token is read from a file that nobody else can read, and no error repeats it.
func TestSecrets(t *testing.T) {
	dir := t.TempDir()
	file := func(name, text string, mode os.FileMode) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), mode); err != nil {
			t.Fatal(err)
		}
		if err := os.Chmod(path, mode); err != nil {
			t.Fatal(err)
		}
		return path
	}
	t.Setenv("CREDENTIALS_DIRECTORY", dir)
	good := file("good", "# of the gateway\n\n token = s3same \n", 0o600)
	for _, where := range []string{good, "credential:good"} {
		if got, err := readToken(where); err != nil || got != "s3same" {
			t.Errorf("%s: %q, %v", where, got, err)
		}
	}
	if got, err := readToken(""); got != "" || err != nil {
		t.Errorf("no file: %q, %v", got, err)
	}
	for _, where := range []string{
		file("wide", "token=s3same\n", 0o640), file("two", "token=s3same\ntoken=s3same\n", 0o600), file("none", "# nothing\n", 0o600),
		file("bare", "s3same\n", 0o600), file("other", "token=s3same\nuser=s3same\n", 0o600), file("blank", "token=\n", 0o600),
		file("odd", "token=s3same and more\n", 0o600), dir, filepath.Join(dir, "absent"), "credential:../good", "credential:", "credential:absent",
	} {
		if got, err := readToken(where); err == nil || got != "" || strings.Contains(err.Error(), "s3same") {
			t.Errorf("%s: %q, %v", where, got, err)
		}
	}
	if _, err := readToken(filepath.Join(dir, "wide")); !errors.Is(err, secrets.ErrRights) {
		t.Errorf("a file that others may read: %v", err)
	}
}

// over starts a link over TLS on a real socket.
func over(t *testing.T, srv *httptest.Server, ca string, log *bytes.Buffer, frames func(drivers.Frame)) drivers.Link {
	t.Helper()
	secrets := filepath.Join(t.TempDir(), "secrets")
	if err := os.WriteFile(secrets, []byte("token=s3same\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	env := drivers.Env{Now: clock(), Trace: frames, Log: slog.New(slog.NewTextHandler(&locked{w: log}, nil))}
	o, err := opening(t, env, strings.Replace(srv.URL, "https", "hoistway+https", 1)+"?ca="+ca+"&secrets="+secrets)
	if err != nil {
		t.Fatal(err)
	}
	l, err := o.Open(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	return l
}

type locked struct {
	mu sync.Mutex
	w  *bytes.Buffer
}

func (l *locked) Write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.w.Write(b)
}

func certFile(t *testing.T, srv *httptest.Server) string {
	path := filepath.Join(t.TempDir(), "ca.pem")
	block := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: srv.Certificate().Raw})
	if err := os.WriteFile(path, block, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// SE-1, SE-3: over TLS by a certificate of the site's own; the token goes to the gateway and
// nowhere else, neither into the record of frames nor into the log.
func TestTLS(t *testing.T) {
	f := newFar()
	f.Show(standing)
	srv := httptest.NewTLSServer(f)
	defer srv.Close()
	var mu sync.Mutex
	var log, frames bytes.Buffer
	l := over(t, srv, certFile(t, srv), &log, func(fr drivers.Frame) {
		mu.Lock()
		defer mu.Unlock()
		frames.Write(fr.Data)
		frames.WriteString(fr.Note + fr.Line)
	})
	s, err := l.Read(context.Background())
	if err != nil || s.Link != elevator.Online || s.Floor.Value != 1 {
		t.Errorf("%+v, %v", s, err)
	}
	f.change(func() { f.denied = true })
	if _, err := l.Read(context.Background()); err == nil || strings.Contains(err.Error(), "s3same") {
		t.Errorf("%v", err)
	}
	if err := l.Close(); err != nil {
		t.Error(err)
	}
	f.mu.Lock()
	if got := f.heads[0].Get("Authorization"); got != "Bearer s3same" {
		t.Errorf("the gateway was told %q", got)
	}
	f.mu.Unlock()
	if frames.Len() == 0 || log.Len() == 0 || strings.Contains(frames.String()+log.String(), "s3same") {
		t.Errorf("the record of frames\n%s\nthe log\n%s", frames.String(), log.String())
	}
}

// SE-1: whoever has another certificate is not asked anything, and is told no token.
func TestTLSOfSomebodyElse(t *testing.T) {
	f := newFar()
	srv := httptest.NewUnstartedServer(f)
	srv.Config.ErrorLog = slog.NewLogLogger(slog.DiscardHandler, slog.LevelError)
	srv.StartTLS()
	defer srv.Close()
	other := filepath.Join(t.TempDir(), "ca.pem")
	if err := os.WriteFile(other, []byte(otherCA), 0o600); err != nil {
		t.Fatal(err)
	}
	var log bytes.Buffer
	l := over(t, srv, other, &log, nil)
	s, err := l.Read(context.Background())
	if !errors.Is(err, drivers.ErrLink) || !errors.Is(err, drivers.ErrNotSent) || s.Link != elevator.Offline {
		t.Errorf("%v, %v", s.Link, err)
	}
	if err := l.Close(); err != nil {
		t.Error(err)
	}
	if n := len(f.asked()); n != 0 || !strings.Contains(log.String(), "certificate") {
		t.Errorf("asked %d times; the log:\n%s", n, log.String())
	}
}

func TestCertificatesMustBeThere(t *testing.T) {
	empty := filepath.Join(t.TempDir(), "ca.pem")
	if err := os.WriteFile(empty, []byte("no certificate"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, ca := range []string{empty, empty + ".absent"} {
		o, err := opening(t, drivers.Env{Now: clock()}, "hoistway+https://gateway?ca="+ca)
		if err != nil {
			t.Fatal(err)
		}
		if l, err := o.Open(context.Background()); err == nil {
			_ = l.Close()
			t.Errorf("%s: opened", ca)
		}
	}
}

// otherCA is a certificate that openssl made, of nobody here.
const otherCA = `-----BEGIN CERTIFICATE-----
MIIBizCCATGgAwIBAgIUGdj0+y6rIJrBr2Bxf/S38bZWeVUwCgYIKoZIzj0EAwIw
GjEYMBYGA1UEAwwPYW5vdGhlciBnYXRld2F5MCAXDTI2MTEzMDE3NDAyMloYDzIx
MjYxMTA2MTc0MDIyWjAaMRgwFgYDVQQDDA9hbm90aGVyIGdhdGV3YXkwWTATBgcq
hkjOPQIBBggqhkjOPQMBBwNCAATOGnaNlsM32khU59wWQl0kGZbb4FD85g16Uwtp
yjmXHO0wWhgjLTkHTs2qHLH9MNvZjae+jNxbXcSDJn5l2b+mo1MwUTAdBgNVHQ4E
FgQUIidG3IM0LBcGDQoihTgSEWZHzFUwHwYDVR0jBBgwFoAUIidG3IM0LBcGDQoi
hTgSEWZHzFUwDwYDVR0TAQH/BAUwAwEB/zAKBggqhkjOPQQDAgNIADBFAiA74zn2
5PoW3cp/hCYyZ79hJ/4+Ru670mnvtZakvvsJmgIhAPDLJWlNCqheG2Mgl3aiHkQe
klKbCq9y93Xasdjb7VsL
-----END CERTIFICATE-----
`
