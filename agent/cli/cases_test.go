package cli

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
	"go.uber.org/goleak"
)

// Every file of testdata/cases is one run of the program, to be read as a manual:
// the words in front give the command, the environment and the exit status; the
// sections are what the agent answers and what must come out. All of it is written
// by hand from the shapes of the local API.
//
// CT-8
func TestCases(t *testing.T) {
	files, err := filepath.Glob("testdata/cases/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("no cases: %v", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) { runCase(t, file) })
	}
}

func runCase(t *testing.T, file string) {
	defer goleak.VerifyNone(t)
	archive, err := txtar.ParseFile(file)
	if err != nil {
		t.Fatal(err)
	}
	c := parseCase(t, archive)
	server := httptest.NewServer(c)
	defer server.Close()
	c.vars = strings.NewReplacer("$API", server.URL, "$WORK", t.TempDir())
	c.writeFiles(t)

	var out, errs bytes.Buffer
	a := &app{in: strings.NewReader(""), out: &out, err: &errs, env: c.getenv, load: loadConfig, run: runDaemon, exit: func(int) {}}
	exit := a.main(strings.Fields(c.vars.Replace(c.command)))

	if exit != c.exit {
		t.Errorf("exit status %d, want %d", exit, c.exit)
	}
	c.same(t, "stdout", out.String())
	c.same(t, "stderr", errs.String())
	c.same(t, "sent", c.sent.String())
}

// aCase is one run, and the agent that it talks to.
type aCase struct {
	command string
	exit    int
	env     map[string]string
	parts   map[string]string
	vars    *strings.Replacer
	sent    bytes.Buffer // what came with every request that changes something, or with a token
}

func parseCase(t *testing.T, archive *txtar.Archive) *aCase {
	c := &aCase{env: map[string]string{"HOISTWAY_API": "$API"}, parts: map[string]string{}}
	for line := range strings.Lines(string(archive.Comment)) {
		word, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
		switch word {
		case "hoistway":
			c.command = rest
		case "exit":
			c.exit, _ = strconv.Atoi(rest)
		case "env":
			k, v, _ := strings.Cut(rest, "=")
			c.env[k] = v
		}
	}
	for _, f := range archive.Files {
		c.parts[f.Name] = string(f.Data)
	}
	return c
}

func (c *aCase) getenv(key string) string { return c.vars.Replace(c.env[key]) }

func (c *aCase) writeFiles(t *testing.T) {
	for name, data := range c.parts {
		if path, ok := strings.CutPrefix(name, "file "); ok {
			if err := os.WriteFile(c.vars.Replace("$WORK/"+path), []byte(data), 0o600); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// ServeHTTP answers from the section "METHOD /path [status]".
func (c *aCase) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		panic(err)
	}
	token := r.Header.Get("Authorization")
	if r.Method != http.MethodGet || token != "" {
		fmt.Fprintf(&c.sent, "%s %s\n", r.Method, r.URL.RequestURI())
		for _, line := range []string{token, r.Header.Get("Content-Type"), string(body)} {
			if line != "" {
				fmt.Fprintln(&c.sent, line)
			}
		}
	}
	name := r.Method + " " + r.URL.RequestURI()
	for section, data := range c.parts {
		rest, ok := strings.CutPrefix(section, name)
		if !ok || (rest != "" && rest[0] != ' ') {
			continue
		}
		if status, err := strconv.Atoi(strings.TrimSpace(rest)); err == nil {
			w.WriteHeader(status)
		}
		_, _ = io.WriteString(w, data)
		return
	}
	w.WriteHeader(http.StatusTeapot) // no answer was written for this call: the case is wrong
}

func (c *aCase) same(t *testing.T, section, got string) {
	t.Helper()
	want := c.vars.Replace(c.parts[section])
	if strings.TrimSpace(want) == "..." {
		return
	}
	if got != want {
		t.Errorf("%s is\n%s\nwant\n%s", section, got, want)
	}
}
