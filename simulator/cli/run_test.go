package cli

import (
	"context"
	"encoding/xml"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"hoistway/simulator/scenarios"
)

// scenario writes a file of the language.
func scenario(t *testing.T, file, body string) string {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(body), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

// SM-4, SM-6: who stops a month of a site, or a thousand years, in virtual time gets the
// terminal back, and no verdict.
func TestARunIsStopped(t *testing.T) {
	file := scenario(t, filepath.Join(t.TempDir(), "month.txt"), "title A month\nlasts 744h\nat 0s ride r1 R1 from G to 3 on L1\nexpect ride r1 DONE\n")
	for _, args := range [][]string{{"run", file}, {"soak", "--years", "1000"}} {
		ctx, stop := context.WithTimeout(t.Context(), 50*time.Millisecond)
		defer stop()
		root := newRoot()
		var told strings.Builder
		root.SetOut(&told)
		root.SetErr(io.Discard)
		root.SetArgs(args)
		err := root.ExecuteContext(ctx) // hours, unless it is left
		s, ok := errors.AsType[status](err)
		if !ok || s.code != exitFinding {
			t.Errorf("%s ended with %v", args[0], err)
		}
		if all := told.String() + err.Error(); !strings.Contains(all, scenarios.ErrStopped.Error()) || args[0] == "run" && !strings.Contains(all, "ERROR") {
			t.Errorf("%s told %q", args[0], all)
		}
	}
}

// SM-6: files of two folders may bear one name; each keeps its recording and its row
// of the report.
func TestNamesakesAreKeptApart(t *testing.T) {
	dir := t.TempDir()
	body := "title x\nlasts 1s\nat 0s ride r1 R1 from G to 3 on L1\nfinally ride r1 "
	good := scenario(t, filepath.Join(dir, "a", "x.txt"), body+"fault none\n")
	bad := scenario(t, filepath.Join(dir, "b", "x.txt"), body+"DONE\n")
	report, films := filepath.Join(dir, "r.xml"), filepath.Join(dir, "films")
	if got := Main([]string{"run", good, bad, "--junit", report, "--record", films}, nil, io.Discard, io.Discard); got != exitFinding {
		t.Errorf("ended with %d", got)
	}
	for _, name := range []string{"x.jsonl", "x-2.jsonl"} {
		if err := readable(filepath.Join(films, name)); err != nil {
			t.Error(err)
		}
	}
	raw, err := os.ReadFile(report)
	if err != nil {
		t.Fatal(err)
	}
	var doc struct {
		Cases []struct {
			Name    string    `xml:"name,attr"`
			Failure *struct{} `xml:"failure"`
		} `xml:"testsuite>testcase"`
	}
	if err := xml.Unmarshal(raw, &doc); err != nil {
		t.Fatal(err)
	}
	if c := doc.Cases; len(c) != 2 || c[0].Name != "x" || c[0].Failure != nil || c[1].Name != "x-2" || c[1].Failure == nil {
		t.Errorf("cases %+v", c)
	}
}

// SM-6: a page for nobody but this machine, and said before anything is played.
func TestAPageForOthersIsRefusedFirst(t *testing.T) {
	var out, told strings.Builder
	if got := Main([]string{"run", "plain-ride", "--page", "--listen", "0.0.0.0:0"}, nil, &out, &told); got != exitUsage {
		t.Errorf("ended with %d", got)
	}
	if out.Len() > 0 || !strings.Contains(told.String(), "loopback") {
		t.Errorf("played %q, told %q", out.String(), told.String())
	}
}

// SM-6: the line that shows a run again can be given to a shell as it is.
func TestShellWord(t *testing.T) {
	for word, want := range map[string]string{
		"plain-ride": "plain-ride", "./a/b_1.txt": "./a/b_1.txt", "Tür.txt": "Tür.txt",
		"my file.txt": "'my file.txt'", "it's; rm -r x": `'it'\''s; rm -r x'`, "$(x)": "'$(x)'", "": "''",
	} {
		if got := shellWord(word); got != want {
			t.Errorf("%q is given as %s, want %s", word, got, want)
		}
	}
}

// SM-3: a name that ships with the program and was mistyped is told.
func TestANameIsMistyped(t *testing.T) {
	for name, want := range map[string]string{"plian-ride": `did you mean "plain-ride"?`, "plain": `did you mean "plain-ride"?`, "xyzzy": "run --list"} {
		var told strings.Builder
		if got := Main([]string{"run", name}, nil, io.Discard, &told); got != exitUsage || !strings.Contains(told.String(), want) {
			t.Errorf("%s: %d, %s", name, got, told.String())
		}
	}
}

// SM-3: a fault that never struck is told beside the verdict, to people and machines.
func TestAFaultThatNeverStruckIsTold(t *testing.T) {
	file := scenario(t, filepath.Join(t.TempDir(), "idle.txt"), "lasts 1s\nat 0s fault L1 call-drops times 1\nfinally lift L1 stopped\n")
	for form, want := range map[string]string{"--seed=1": "note: fault L1 call-drops times 1 never struck", "--json": `"fault L1 call-drops times 1 never struck"`} {
		var told strings.Builder
		if got := Main([]string{"run", file, form}, nil, &told, io.Discard); got != 0 || !strings.Contains(told.String(), want) {
			t.Errorf("%s: %d, %s", form, got, told.String())
		}
	}
}

// SM-6: a report or a recording that cannot be written is told before anything is played.
func TestWhereNothingCanBeWritten(t *testing.T) {
	dir := t.TempDir()
	for _, args := range [][]string{
		{"run", "plain-ride", "--junit", filepath.Join(dir, "not", "r.xml")},
		{"run", "plain-ride", "--record", filepath.Join(dir, "not", "r.jsonl")},
		{"run", dir},
	} {
		var out, told strings.Builder
		got := Main(args, nil, &out, &told)
		if got != exitUsage || out.Len() > 0 || !strings.Contains(told.String(), dir) || !strings.Contains(told.String(), "folder") {
			t.Errorf("%v ended with %d: %s%s", args, got, out.String(), told.String())
		}
	}
	films := filepath.Join(dir, "new", "films") + string(filepath.Separator)
	if got := Main([]string{"run", "plain-ride", "--record", films}, nil, io.Discard, io.Discard); got != exitFine {
		t.Errorf("a folder for recordings is not made: %d", got)
	}
}
