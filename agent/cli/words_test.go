package cli

import (
	"errors"
	"net/url"
	"runtime/debug"
	"strings"
	"testing"

	"hoistway/agent/localapi"
)

func mustURL(t *testing.T, s string) *url.URL {
	t.Helper()
	u, err := url.Parse(s)
	if err != nil {
		t.Fatal(err)
	}
	return u
}

// An id that is empty or a dot is an id all the same, and never another call.
func TestEveryArgumentStaysOnePartOfThePath(t *testing.T) {
	for id, want := range map[string]string{
		"r-1": "/v1/rides/r-1", "..": "/v1/rides/%2E%2E", ".": "/v1/rides/%2E", "a/b": "/v1/rides/a%2Fb", "a b?": "/v1/rides/a%20b%3F",
	} {
		path := at("rides", id)
		if path != want || mustURL(t, "http://localhost"+path).EscapedPath() != want {
			t.Errorf("%q is %s, want %s", id, path, want)
		}
	}
	check := wants("RIDE", "[MORE]")
	for _, args := range [][]string{{""}, {"r", ""}, {" "}} {
		var f *failure
		if err := check(newRideCommand(&app{}), args); !errors.As(err, &f) || f.code != codeArgs || f.exit != exitUsage {
			t.Errorf("%q: %v", args, err)
		}
	}
}

func TestAges(t *testing.T) {
	for ms, want := range map[int64]string{
		-1: "-", 0: "0.0 s ago", 199: "0.1 s ago", 9999: "9.9 s ago", 10000: "10 s ago", 119999: "119 s ago",
		120000: "2 min ago", 7199999: "119 min ago", 7200000: "2 h ago", 172800000: "2 days ago",
	} {
		if got := ago(&ms); got != want {
			t.Errorf("ago(%d ms) = %q, want %q", ms, got, want)
		}
	}
	if got := ago(nil); got != "-" {
		t.Errorf("never read: %q", got)
	}
}

// Unknown is never shown as a value, and an old value never as the present.
func TestShownValues(t *testing.T) {
	age := int64(1)
	for _, c := range []struct {
		v    localapi.Value
		want string
	}{
		{localapi.Value{Value: "open", AgeMs: &age, Quality: "good"}, "open"},
		{localapi.Value{Value: "open", AgeMs: &age, Quality: "stale"}, "open (stale)"},
		{localapi.Value{Value: "unknown", AgeMs: &age, Quality: "good"}, "-"},
		{localapi.Value{Value: 0.0, Quality: "unknown"}, "-"},
		{localapi.Value{Value: nil, AgeMs: &age, Quality: "failed"}, "-"},
		{localapi.Value{Value: false, AgeMs: &age, Quality: "good"}, "no"},
		{localapi.Value{Value: 1250.0, AgeMs: &age, Quality: "good"}, "1250"},
		{localapi.Value{}, "-"},
		{localapi.Value{Value: "open", AgeMs: &age}, "open (of unknown quality)"},
	} {
		if got := shown(c.v); got != c.want {
			t.Errorf("shown(%+v) = %q, want %q", c.v, got, c.want)
		}
	}
}

func TestARowIsAsOldAsItsOldestPart(t *testing.T) {
	young, old := int64(100), int64(9000)
	l := localapi.Lift{Floor: localapi.Value{AgeMs: &young}, Motion: localapi.Value{AgeMs: &young}}
	l.Doors = map[string]localapi.Value{"front": {AgeMs: &young}, "rear": {AgeMs: &old}}
	if got := ago(oldest(l)); got != "9.0 s ago" {
		t.Errorf("seen %s", got)
	}
	l.Doors["rear"] = localapi.Value{}
	if got := ago(oldest(l)); got != "-" {
		t.Errorf("a door that was never read, seen %s", got)
	}
}

func TestVersionWords(t *testing.T) {
	info := &debug.BuildInfo{Main: debug.Module{Version: "v1.2.3"}, Settings: []debug.BuildSetting{
		{Key: "vcs.revision", Value: "0123456789abcdef0123"}, {Key: "vcs.time", Value: "2026-11-30T10:00:00Z"}, {Key: "vcs.modified", Value: "true"},
	}}
	b := whatBuild(info, true)
	b.Go, b.Platform = "go1.26.8", "linux/arm64"
	if got := b.String(); got != "hoistway v1.2.3 commit 0123456789ab with changes of 2026-11-30T10:00:00Z go1.26.8 linux/arm64" {
		t.Error(got)
	}
	if b := whatBuild(nil, false); b.Version != "(devel)" || b.Commit != "" {
		t.Errorf("with no build information: %+v", b)
	}
}

// CT-8: every level has a help with an example, and its words fit a terminal.
func TestEveryCommandHasHelpWithAnExample(t *testing.T) {
	a, _, _ := loaded(nil, nil)
	root := newRootCommand(a)
	for _, cmd := range append(root.Commands(), root) {
		for _, cmd := range append(cmd.Commands(), cmd) {
			if !strings.Contains(cmd.Example, "hoistway") || cmd.Short == "" {
				t.Errorf("%s: no example or no short words", cmd.CommandPath())
			}
			for line := range strings.Lines(cmd.Long + "\n" + cmd.Example) {
				if width(line) > 86 {
					t.Errorf("%s: too long for a terminal: %s", cmd.CommandPath(), line)
				}
			}
		}
	}
}
