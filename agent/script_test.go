package main

import (
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"hoistway/agent/cli"
	simcli "hoistway/simulator/cli"
)

// TestMain makes both programs commands of the scripts, in this very binary: the
// scripts build nothing.
func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){
		"hoistway":     func() { os.Exit(cli.Main(os.Args[1:], os.Stdin, os.Stdout, os.Stderr)) },
		"hoistway-sim": func() { os.Exit(simcli.Main(os.Args[1:], os.Stdin, os.Stdout, os.Stderr)) },
	})
}

// TestScripts plays testdata/script: whole programs, as a person would use them.
func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir: filepath.Join("testdata", "script"),
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"freeport": freePort, "expand": expand, "await": await, "linecount": lineCount, "damage": damage,
			"setline": setLine,
		},
		Condition:           missing,
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
	})
}

// missing is the condition [missing:PROGRAM]: a script skips itself where a foreign
// program is not installed; under HOISTWAY_REQUIRE=all that is a failure.
func missing(cond string) (bool, error) {
	program, ok := strings.CutPrefix(cond, "missing:")
	if !ok {
		return false, fmt.Errorf("no such condition %q", cond)
	}
	if _, err := exec.LookPath(program); err == nil {
		return false, nil
	}
	if os.Getenv("HOISTWAY_REQUIRE") == "all" {
		return false, fmt.Errorf("%s is not installed, and HOISTWAY_REQUIRE=all", program)
	}
	return true, nil
}

// setline NAME FILE PATTERN waits for a line of FILE to match and sets NAME to the
// pattern's group.
func setLine(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 3 {
		ts.Fatalf("usage: setline NAME FILE PATTERN")
	}
	pattern := regexp.MustCompile(args[2])
	path := ts.MkAbs(args[1])
	for end := time.Now().Add(patience); time.Now().Before(end); time.Sleep(50 * time.Millisecond) {
		raw, _ := os.ReadFile(path)
		if m := pattern.FindSubmatch(raw); len(m) == 2 {
			ts.Setenv(args[0], string(m[1]))
			return
		}
	}
	ts.Fatalf("no line of %s matches %q", args[1], args[2])
}

// freePort NAME… sets each variable to a port that is free now.
func freePort(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) == 0 {
		ts.Fatalf("usage: freeport NAME…")
	}
	for _, name := range args {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		ts.Check(err)
		ts.Setenv(name, strconv.Itoa(l.Addr().(*net.TCPAddr).Port))
		ts.Check(l.Close())
	}
}

// expand FROM TO copies a file with ${NAME} replaced by the variables' values.
func expand(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: expand FROM TO")
	}
	text := os.Expand(ts.ReadFile(args[0]), ts.Getenv)
	ts.Check(os.WriteFile(ts.MkAbs(args[1]), []byte(text), 0o600))
}

// patience bounds every await; it is long because machines are shared.
const patience = 60 * time.Second

// await URL PATTERN waits until the answer matches.
func await(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: await URL PATTERN")
	}
	pattern := regexp.MustCompile(args[1])
	var last string
	for end := time.Now().Add(patience); time.Now().Before(end); time.Sleep(50 * time.Millisecond) {
		if last = fetch(args[0]); pattern.MatchString(last) {
			return
		}
	}
	ts.Fatalf("%s does not answer %q; it last said:\n%s", args[0], args[1], last)
}

func fetch(url string) string {
	client := http.Client{Timeout: 2 * time.Second}
	resp, err := client.Get(url)
	if err != nil {
		return err.Error()
	}
	defer resp.Body.Close()
	raw := make([]byte, 1<<20)
	n := 0
	for n < len(raw) {
		k, err := resp.Body.Read(raw[n:])
		n += k
		if err != nil {
			break
		}
	}
	return fmt.Sprintf("%d %s", resp.StatusCode, raw[:n])
}

// linecount FILE PATTERN N wants N lines of the file to match.
func lineCount(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 3 {
		ts.Fatalf("usage: linecount FILE PATTERN N")
	}
	pattern := regexp.MustCompile(args[1])
	n := 0
	for line := range strings.Lines(ts.ReadFile(args[0])) {
		if pattern.MatchString(line) {
			n++
		}
	}
	if want, err := strconv.Atoi(args[2]); err != nil || n != want {
		ts.Fatalf("%d lines match %q, want %s:\n%s", n, args[1], args[2], ts.ReadFile(args[0]))
	}
}

// damage FILE overwrites the middle of a file, as a dying flash page does.
func damage(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: damage FILE")
	}
	path := ts.MkAbs(args[0])
	raw, err := os.ReadFile(path)
	ts.Check(err)
	for i := range raw {
		raw[i] = 0xA5
	}
	ts.Check(os.WriteFile(path, raw, 0o600))
}
