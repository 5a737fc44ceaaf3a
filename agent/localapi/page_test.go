package localapi

import (
	"encoding/json"
	"io/fs"
	"maps"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"hoistway/agent/explain"
	"hoistway/fsm"
	"hoistway/fsm/elevator"
)

// eachWebFile gives every file of the page.
func eachWebFile(t *testing.T, do func(name, text string)) {
	t.Helper()
	err := fs.WalkDir(webFiles, "web", func(file string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		body, err := webFiles.ReadFile(file)
		do(file, string(body))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// SE-1: the page keeps to its own policy: no inline script or style, nothing from
// elsewhere, no markup made from words.
func TestPageHasNothingInline(t *testing.T) {
	eachWebFile(t, func(name, text string) {
		text = strings.ReplaceAll(text, "http://www.w3.org/2000/svg", "")
		for _, bad := range []string{
			"innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval(", "new Function", ".style.", "'style'",
			"<style", " style=", " onclick=", "javascript:", "http://", "https://", "//cdn", "@import", "url(",
		} {
			if strings.Contains(text, bad) {
				t.Errorf("%s has %q", name, bad)
			}
		}
	})
}

func pageTexts(t *testing.T, lang explain.Lang) map[string]string {
	t.Helper()
	raw, err := webFiles.ReadFile("web/text/" + string(lang) + ".json")
	if err != nil {
		t.Fatal(err)
	}
	var texts map[string]string
	if err := json.Unmarshal(raw, &texts); err != nil {
		t.Fatalf("%s: %v", lang, err)
	}
	if n := strings.Count(string(raw), "\": \""); n != len(texts) {
		t.Errorf("%s: %d lines make %d texts: one key stands twice", lang, n, len(texts))
	}
	return texts
}

// RB-5: each language has each text, with the same places to fill.
func TestPageTextsAreWholeInEveryLanguage(t *testing.T) {
	place := regexp.MustCompile(`\{\w+\}`)
	places := func(s string) []string {
		return slices.Compact(slices.Sorted(slices.Values(place.FindAllString(s, -1))))
	}
	english := pageTexts(t, explain.English)
	for _, l := range explain.Languages() {
		texts := pageTexts(t, l)
		if a, b := slices.Sorted(maps.Keys(english)), slices.Sorted(maps.Keys(texts)); !slices.Equal(a, b) {
			t.Errorf("%s has other keys than English: %q", l, differ(a, b))
		}
		for key, text := range texts {
			if strings.TrimSpace(text) == "" {
				t.Errorf("%s: %s is empty", l, key)
			}
			if want, got := places(english[key]), places(text); !slices.Equal(want, got) {
				t.Errorf("%s: %s fills %q, English %q", l, key, got, want)
			}
		}
	}
}

func differ(a, b []string) (out []string) {
	for _, s := range append(slices.Clone(a), b...) {
		if slices.Contains(a, s) != slices.Contains(b, s) {
			out = append(out, s)
		}
	}
	return out
}

// used gathers the keys that the page names, and the kinds of which it looks up words.
func used(t *testing.T) (keys, kinds map[string]bool) {
	keys, kinds = map[string]bool{}, map[string]bool{"why": true} // reasons are found by their English
	named := regexp.MustCompile(`data-(?:text|label)="([^"]+)"|\W'([a-z]+\.[a-z_0-9]+)'`)
	looked := regexp.MustCompile("word\\('([a-z]+)'|t\\(`([a-z]+)\\.([a-z_]*)\\$\\{")
	eachWebFile(t, func(name, text string) {
		if strings.Contains(name, "/text/") {
			return
		}
		for _, m := range named.FindAllStringSubmatch(text, -1) {
			keys[m[1]+m[2]] = true
		}
		for _, m := range looked.FindAllStringSubmatch(text, -1) {
			if m[1] != "" {
				kinds[m[1]] = true
			} else {
				kinds[m[2]+"."+m[3]] = true
			}
		}
	})
	return keys, kinds
}

// RB-5: no text that the page asks for is missing, and none stands there for nothing.
func TestPageTextsAreAllUsed(t *testing.T) {
	texts := pageTexts(t, explain.English)
	keys, kinds := used(t)
	storage := regexp.MustCompile(`^hoistway\.`)
	for key := range keys {
		if _, there := texts[key]; !there && !storage.MatchString(key) {
			t.Errorf("the page asks for %s, which no language has", key)
		}
	}
	for key := range texts {
		kind, _, _ := strings.Cut(key, ".")
		byKind := kinds[kind] || slices.ContainsFunc(slices.Collect(maps.Keys(kinds)), func(k string) bool {
			return strings.Contains(k, ".") && strings.HasPrefix(key, k)
		})
		if !keys[key] && !byKind {
			t.Errorf("nothing asks for %s", key)
		}
	}
	if len(keys) < 100 || len(kinds) < 10 {
		t.Errorf("only %d keys and %d kinds found: the search is broken", len(keys), len(kinds))
	}
}

// RB-5: whatever the gateway can say in one word has its word in the page's languages.
func TestPageHasEveryWordOfTheGateway(t *testing.T) {
	var phases, states []string
	for _, p := range []fsm.Phase{
		fsm.Free, fsm.Queued, fsm.Standby, fsm.Claiming, fsm.Calling, fsm.Called, fsm.Boarding, fsm.Registering, fsm.Riding, fsm.Returning,
		fsm.Leaving, fsm.Arrived, fsm.Returned, fsm.Evacuated, fsm.Cancelled, fsm.Expired, fsm.FailedEnd, fsm.Recovering, fsm.Locked,
	} {
		phases = append(phases, string(p))
		states = append(states, string(fsm.StateOf(p)))
	}
	values := slices.Concat(elevator.DoorNames(), elevator.MotionNames(), elevator.ModeNames(), elevator.SideNames())
	for i := range 4 {
		values = append(values, elevator.Quality(i).String(), elevator.Source(i).String(), elevator.Tri(i%3).String(), elevator.LinkState(i%3).String())
	}
	for kind, words := range map[string][]string{
		"state": states, "phase": phases, "value": values,
		"where":  {string(fsm.Outside), string(fsm.Crossing), string(fsm.Inside), string(fsm.Unknown)},
		"do":     {string(fsm.DoWait), string(fsm.DoGoTo), string(fsm.DoEnter), string(fsm.DoStay), string(fsm.DoLeave), string(fsm.DoBackOff), string(fsm.DoClearDoor), string(fsm.DoGetHelp)},
		"permit": {string(fsm.Enter), string(fsm.LeaveAtTarget), string(fsm.LeaveBack), string(fsm.Evacuate)},
		"sync":   {"converged", "settled", "differs", "unknown"},
	} {
		for _, l := range explain.Languages() {
			texts := pageTexts(t, l)
			for _, w := range words {
				if texts[kind+"."+w] == "" {
					t.Errorf("%s has no word for %s %q", l, kind, w)
				}
			}
		}
	}
}

// RB-5: a reason is translated by its English, so each must be one that the ride
// machine really gives; otherwise it would never be found.
func TestPageReasonsAreOnesThatTheMachineGives(t *testing.T) {
	said := sourceOf(t, "../../fsm") + sourceOf(t, "../../fsm/dispatch") + sourceOf(t, "../core") + sourceOf(t, ".")
	place := regexp.MustCompile(`\{\w+\}|: |( for another )|(, expected in )`) // also where the machine joins two
	n := 0
	for key, text := range pageTexts(t, explain.English) {
		if !strings.HasPrefix(key, "why.") {
			continue
		}
		n++
		for _, part := range place.Split(text, -1) {
			if !strings.Contains(said, part) {
				t.Errorf("%s: neither the pure rooms nor this door say %q", key, part)
			}
		}
	}
	if n < 20 {
		t.Errorf("only %d reasons", n)
	}
}

// palette reads the colours of one scheme from the style sheet.
func palette(t *testing.T, css string) map[string]string {
	t.Helper()
	found := map[string]string{}
	for _, m := range regexp.MustCompile(`--([a-z-]+): (#[0-9a-f]{6});`).FindAllStringSubmatch(css, -1) {
		found[m[1]] = m[2]
	}
	if len(found) < 15 {
		t.Fatalf("only %d colours found", len(found))
	}
	return found
}

// RB-5: every colour of a text stands out from every ground that it is written on,
// by the contrast of WCAG 2 at the level for small text, in light and in dark.
func TestPageContrast(t *testing.T) {
	raw, err := webFiles.ReadFile("web/style.css")
	if err != nil {
		t.Fatal(err)
	}
	light, rest, found := strings.Cut(string(raw), "@media (prefers-color-scheme: dark)")
	if !found {
		t.Fatal("no dark scheme")
	}
	dark, _, _ := strings.Cut(rest, "\n}\n")
	for scheme, colours := range map[string]map[string]string{"light": palette(t, light), "dark": palette(t, dark)} {
		for _, pair := range [][2]string{
			{"ink", "ground"},
			{"ink", "card"},
			{"ink", "well"},
			{"ink", "bad-ground"},
			{"ink", "warn-ground"},
			{"quiet", "ground"},
			{"quiet", "card"},
			{"quiet", "bad-ground"},
			{"accent", "card"},
			{"accent", "ground"},
			{"accent-ink", "accent"},
			{"accent-ink", "bad"},
			{"good", "card"},
			{"warn", "card"},
			{"bad", "card"},
			{"busy", "card"},
			{"bad", "bad-ground"},
			{"warn", "warn-ground"},
			{"item-ink", "item-calm"},
			{"item-ink", "item-good"},
			{"item-ink", "item-warn"},
			{"item-ink", "item-bad"},
			{"item-ink", "item-busy"},
			{"item-ink", "item-wait"},
		} {
			if colours[pair[0]] == "" || colours[pair[1]] == "" {
				t.Errorf("%s: no colour %s or %s", scheme, pair[0], pair[1])
				continue
			}
			if got := contrast(t, colours[pair[0]], colours[pair[1]]); got < 4.5 {
				t.Errorf("%s: %s on %s has a contrast of %.2f", scheme, pair[0], pair[1], got)
			}
		}
	}
}

// The formula against values that WCAG's own understanding documents give.
func TestContrastItself(t *testing.T) {
	for pair, want := range map[[2]string]float64{{"#000000", "#ffffff"}: 21, {"#777777", "#ffffff"}: 4.48, {"#ffffff", "#ffffff"}: 1} {
		if got := contrast(t, pair[0], pair[1]); math.Abs(got-want) > 0.01 {
			t.Errorf("%v: %.3f, want %.2f", pair, got, want)
		}
	}
}

func contrast(t *testing.T, a, b string) float64 {
	t.Helper()
	x, y := luminance(t, a), luminance(t, b)
	return (max(x, y) + 0.05) / (min(x, y) + 0.05)
}

func luminance(t *testing.T, hex string) (sum float64) {
	t.Helper()
	n, err := strconv.ParseUint(hex[1:], 16, 32)
	if err != nil {
		t.Fatal(err)
	}
	for i, weight := range []float64{0.2126, 0.7152, 0.0722} {
		c := float64(n>>(16-8*i)&0xff) / 255
		if c <= 0.04045 {
			c /= 12.92
		} else {
			c = math.Pow((c+0.055)/1.055, 2.4)
		}
		sum += weight * c
	}
	return sum
}

// sourceOf is all Go source of a folder that is not a test.
func sourceOf(t *testing.T, folder string) string {
	t.Helper()
	var all strings.Builder
	eachSource(t, folder, func(source string) { all.WriteString(source) })
	return all.String()
}

// eachSource gives each Go file of a folder that is not a test.
func eachSource(t *testing.T, folder string, do func(source string)) {
	t.Helper()
	files, err := filepath.Glob(folder + "/*.go")
	if err != nil || len(files) == 0 {
		t.Fatalf("no source in %s: %v", folder, err)
	}
	for _, f := range files {
		if strings.HasSuffix(f, "_test.go") {
			continue
		}
		b, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		do(string(b))
	}
}
