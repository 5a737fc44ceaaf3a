package cli

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// cloudRun is a cloud started by its command line; stop ends it and gives the error.
func cloudRun(t *testing.T, args ...string) (out *heard, stop func() error) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	out = newHeard()
	root := newRoot()
	root.SetArgs(append([]string{"cloud"}, args...))
	root.SetOut(out)
	root.SetErr(out)
	ended := make(chan error, 1)
	go func() { ended <- root.ExecuteContext(ctx) }()
	stop = func() error {
		cancel()
		return <-ended
	}
	return out, stop
}

// ask is one call with a bearer token; it gives the status and the body.
func ask(t *testing.T, method, url, token, body string) (int, string) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+token)
	res, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	b, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return res.StatusCode, string(b)
}

// enter logs in with the key of the printed address.
func enter(t *testing.T, out *heard) (api, token string) {
	t.Helper()
	out.until(t, `"api":`)
	var line struct{ API string }
	for text := range strings.Lines(out.String()) {
		if strings.Contains(text, `"api"`) {
			if err := json.Unmarshal([]byte(text), &line); err != nil {
				t.Fatal(err)
			}
		}
	}
	api, key, _ := strings.Cut(line.API, "/#token=")
	status, body := ask(t, "POST", api+"/v1/sessions", key, "")
	var in struct{ Token string }
	if err := json.Unmarshal([]byte(body), &in); err != nil || status != http.StatusCreated {
		t.Fatalf("%d %s %v", status, body, err)
	}
	return api, in.Token
}

// ST-5, SE-10: the command's door takes a wish, and the command started again in the same
// folder still has it; the key of the run before opens nothing any more.
func TestCloudKeepsWhatItPromised(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "cloud")
	out, stop := cloudRun(t, "--dir", dir, "--api", "127.0.0.1:0", "--json")
	api, token := enter(t, out)
	if status, body := ask(t, "PATCH", api+"/v1/things/GW-1/shadow", token, `{"desired":{"wait_timeout":120}}`); status != http.StatusAccepted {
		t.Fatalf("%d %s", status, body)
	}
	out.until(t, `"desired":{"wait_timeout":120},"serial":"GW-1","shadow":"","version":1}`)
	if err := stop(); err != nil {
		t.Fatal(err)
	}
	out, stop = cloudRun(t, "--dir", dir, "--api", "127.0.0.1:0", "--json")
	api, again := enter(t, out)
	if status, _ := ask(t, "GET", api+"/v1/things", token, ""); status != http.StatusUnauthorized {
		t.Errorf("a session of the run before: %d", status)
	}
	if status, body := ask(t, "GET", api+"/v1/things/GW-1/shadow", again, ""); status != http.StatusOK || !strings.Contains(body, `"desired":{"wait_timeout":120}`) {
		t.Errorf("%d %s", status, body)
	}
	if err := stop(); err != nil {
		t.Fatal(err)
	}
}

// What cannot be is said before anything is started, with its code.
func TestCloudRefuses(t *testing.T) {
	nobody := filepath.Join(t.TempDir(), "operators.json")
	if err := os.WriteFile(nobody, []byte(`[]`), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ args, part string }{
		{"--fault explode", "delay, duplicate"},
		{"--api 0.0.0.0:8733", "loopback"},
		{"--operators " + nobody, "--api"},
		{"--api 127.0.0.1:0 --operators " + nobody, "E-8109"},
		{"--dir /proc/none", "E-8108"},
		{"--zone 20h", "-14h to 14h"},
	} {
		_, stop := cloudRun(t, strings.Fields(c.args)...)
		if err := stop(); err == nil || !strings.Contains(err.Error(), c.part) {
			t.Errorf("%s: %v", c.args, err)
		}
	}
}
