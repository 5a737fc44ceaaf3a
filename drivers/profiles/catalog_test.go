package profiles

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func parsed(t *testing.T, file string, src []byte) *Profile {
	t.Helper()
	p, faults := Parse(file, src)
	for _, f := range faults {
		t.Error(f)
	}
	if p == nil {
		t.FailNow()
	}
	return p
}

// Every bundled profile parses clean, is what its path says, plans within the
// device's limits, and is proven by at least one case. Among them: codes that
// nobody knows are kept (DR-9), failed and out-of-range values do not pass for
// good ones (DR-10), and an answer of a wrong length changes nothing (DR-11).
// DR-7
func TestCatalog(t *testing.T) {
	if len(IDs()) == 0 {
		t.Fatal("the catalog is empty")
	}
	for _, id := range IDs() {
		t.Run(id, func(t *testing.T) {
			src, ok := Lookup(id)
			if !ok {
				t.Fatal("listed but not there")
			}
			p := parsed(t, id, src)
			if p.ID != id {
				t.Errorf("the file says %q", p.ID)
			}
			checkPlan(t, p)
			all := cases(t, strings.ReplaceAll(id, "/", "-"))
			if len(all) == 0 {
				t.Error("no case in testdata")
			}
			for name, text := range all {
				t.Run(name, func(t *testing.T) {
					for _, d := range play(p, text) {
						t.Error(d)
					}
				})
			}
		})
	}
}

// checkPlan holds a plan to what was promised: every point in one block, no block
// beyond the limits.
func checkPlan(t *testing.T, p *Profile) {
	t.Helper()
	for _, b := range p.ReadPlan() {
		if int(b.Count) > p.limits.most(b.Table) || b.Count == 0 || int(b.Addr)+int(b.Count) > 65536 {
			t.Errorf("block %+v is beyond the limits", b)
		}
	}
	for _, pt := range p.points {
		if !planned(p, pt) {
			t.Errorf("point %+v is in no block", pt)
		}
	}
}

func planned(p *Profile, pt point) bool {
	for _, b := range p.plan {
		if pt.within(b) {
			return true
		}
	}
	return false
}

// What no bundled profile needs yet is proven on invented ones.
// DR-7
func TestFeatures(t *testing.T) {
	all := cases(t, "features")
	if len(all) == 0 {
		t.Fatal("no feature is proven")
	}
	for name, text := range all {
		t.Run(name, func(t *testing.T) {
			file := filepath.Join("testdata", "features", name, "profile.yaml")
			src, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			p := parsed(t, file, src)
			checkPlan(t, p)
			for _, d := range play(p, text) {
				t.Error(d)
			}
		})
	}
}

// Cases of profiles that are not there prove nothing.
func TestNoOrphanCases(t *testing.T) {
	dirs, err := os.ReadDir("testdata")
	if err != nil {
		t.Fatal(err)
	}
	known := map[string]bool{"fuzz": true, "features": true}
	for _, id := range IDs() {
		known[strings.ReplaceAll(id, "/", "-")] = true
	}
	for _, d := range dirs {
		if d.IsDir() && !known[d.Name()] {
			t.Errorf("%s belongs to no profile", filepath.Join("testdata", d.Name()))
		}
	}
}

// A wrong fact in the profile turns a case red: the cases hold the words, the
// profile does not make them.
func TestWrongFactsAreSeen(t *testing.T) {
	src, _ := Lookup("bench/modbus-lift")
	for _, change := range [][2]string{
		{"order: ABCD", "order: CDAB"},
		{"type: i32}", "type: u32}"},
		{"{0: stopped, 1: up, 2: down}", "{0: stopped, 2: up, 1: down}"},
		{"front: {address: 2, enum: {1: closed", "front: {address: 3, enum: {1: closed"},
		{"nudging: {address: 5, bit: 1}", "nudging: {address: 5, bit: 2}"},
		{"up_calls: {address: 10, first: 1}", "up_calls: {address: 10, first: 0}"},
		{"mask: 0x00FF", "mask: 0xFF00"},
		{"longest: 30s", "longest: 20s"},
		{"car_call: {writes: [{address: 2", "car_call: {writes: [{address: 1"},
		{"1: {advice: config", "1: {advice: retry"},
		{"1: {advice: config, refuses_call: last", "1: {advice: config, refuses_call: new"},
		{"2: {advice: wait, refuses_call: last", "2: {advice: wait"},
		{"3: {advice: wait", "3: {advice: wait, refuses_call: last"},
	} {
		t.Run(change[1], func(t *testing.T) {
			text := strings.Replace(string(src), change[0], change[1], 1)
			if text == string(src) {
				t.Fatalf("%q is not in the profile", change[0])
			}
			p := parsed(t, "changed", []byte(text))
			for _, c := range cases(t, "bench-modbus-lift") {
				if len(play(p, c)) > 0 {
					return
				}
			}
			t.Error("no case notices")
		})
	}
}
