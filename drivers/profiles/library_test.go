package profiles

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"hoistway/drivers/profiles/strict"
)

const child = `id: site/lift
title: The lift of the site
extends: bench/modbus-lift
maturity: bench
remove: [commands.cancel_car_call, errors.3, points.hold_left.rear]
points:
  door:
    front: {address: 3}
  load: {address: 20, type: i32}
errors:
  9: {advice: wait, text: "ninth"}
ride: {accept_within: 4s}
`

func library(t *testing.T, files map[string]string) Library {
	t.Helper()
	in := map[string][]byte{}
	for name, src := range files {
		in[name] = []byte(src)
	}
	l, faults := NewLibrary(in)
	if len(faults) > 0 {
		t.Fatal(faults)
	}
	return l
}

// A file says only what is different; all else is the extended profile's.
// DR-7
func TestExtends(t *testing.T) {
	p, faults := Parse("site.yaml", []byte(child))
	if p == nil {
		t.Fatal(faults)
	}
	bench, _ := Lookup("bench/modbus-lift")
	b := parsed(t, "bench", bench)
	if p.ID != "site/lift" || p.Maturity != "bench" || p.Traits().AcceptWithin.String() != "4s" || p.Traits().Style != b.Traits().Style {
		t.Errorf("%s %s %+v", p.ID, p.Maturity, p.Traits())
	}
	if p.Traits().HasCancel || !b.Traits().HasCancel {
		t.Error("the removed command is still there")
	}
	if _, text := p.Advice(9); text != "ninth" {
		t.Error("the added code is not there")
	}
	if _, text := p.Advice(3); text != "" {
		t.Error("the removed code is still there")
	}
	if _, text := p.Advice(2); text != "busy" {
		t.Error("a code of the extended profile is gone")
	}
	if p.Hash() == b.Hash() || len(p.Hash()) != 64 {
		t.Errorf("hash %s", p.Hash())
	}
	if !strings.Contains(string(p.Resolved()), `front: {address: 3, enum: {1: closed`) {
		t.Errorf("the door's words are not joined with its new address:\n%s", p.Resolved())
	}
}

// Each fault is told in the file that it is in.
// DR-7
func TestExtendsFaults(t *testing.T) {
	for _, c := range []struct {
		old, new string
		want     []string
	}{
		{"bench/modbus-lift", "bench/modbus-lfit", []string{"site.yaml:3:10: extends: there is no profile bench/modbus-lfit (did you mean `bench/modbus-lift`?)"}},
		{"errors.3", "errors.4", []string{"site.yaml:5:36: remove[1]: the profile that is extended has no errors.4"}},
		{"address: 3}", "adress: 3}", []string{"site.yaml:8:13: points.door.front.adress: unknown key (did you mean `address`?)"}},
		{"commands.cancel_car_call", "points.door", []string{"site.yaml:8:12: points.door.front.enum: is missing"}},
		{"extends: bench/modbus-lift\n", "", []string{"protocol: is missing"}},
		{"extends: bench/modbus-lift", "extends: site/parent", []string{"parent.yaml:4:3: points.floor.adress: unknown key"}},
	} {
		l := library(t, map[string]string{"parent.yaml": "id: site/parent\nextends: bench/modbus-lift\npoints:\n  floor: {adress: 3}\n"})
		if c.new == "extends: site/parent" {
			l = library(t, map[string]string{"parent.yaml": "id: site/parent\nextends: bench/modbus-lift\ntitle: x\npoints: {floor: {adress: 3}}\n"})
			c.want = []string{"parent.yaml:4:18: points.floor.adress: unknown key"}
		}
		p, faults := l.Parse("site.yaml", []byte(strings.Replace(child, c.old, c.new, 1)))
		all := ""
		for _, f := range faults {
			all += f.Error() + "\n"
		}
		for _, want := range c.want {
			if p != nil || !strings.Contains(all, want) {
				t.Errorf("%s: %s, want %s", c.new, all, want)
			}
		}
	}
}

// Profiles that extend each other in a ring, or too deep, are refused and never hang.
// DR-7
func TestExtendsRing(t *testing.T) {
	l := library(t, map[string]string{
		"a.yaml": "id: site/a\nextends: site/b\n",
		"b.yaml": "id: site/b\nextends: site/a\n",
	})
	_, src, _ := l.Lookup("site/a")
	p, faults := l.Parse("a.yaml", src)
	if p != nil || len(faults) == 0 || !strings.Contains(faults[0].Error()+faults[len(faults)-1].Error(), "without end") {
		t.Errorf("%v", faults)
	}
}

// A site's file of a bundled id goes before the bundled one, and may change it.
// DR-7
func TestLibraryOverrides(t *testing.T) {
	over := strings.Replace(child, "id: site/lift", "id: bench/modbus-lift", 1)
	l := library(t, map[string]string{"/etc/hoistway/profiles/bench.yaml": over, "/etc/hoistway/profiles/x.yaml": child})
	file, src, ok := l.Lookup("bench/modbus-lift")
	if !ok || file != "/etc/hoistway/profiles/bench.yaml" || !l.Local("bench/modbus-lift") {
		t.Fatalf("%s %v", file, ok)
	}
	p, faults := l.Parse(file, src)
	if p == nil || p.Title != "The lift of the site" {
		t.Fatalf("%v", faults)
	}
	if n := len(l.IDs()); n != len(IDs())+1 {
		t.Errorf("%d profiles", n)
	}
	if _, faults := NewLibrary(map[string][]byte{"1.yaml": []byte(child), "2.yaml": []byte(child), "3.yaml": []byte("title: x\n")}); len(faults) != 2 {
		t.Errorf("%v", faults)
	}
}

// The resolved form of each profile reads as itself: same hash, same plan.
// DR-7
func TestResolvedReadsAsItself(t *testing.T) {
	sources := map[string][]byte{"child": []byte(child)}
	for _, id := range IDs() {
		sources[id], _ = Lookup(id)
	}
	files, _ := filepath.Glob("testdata/features/*/profile.yaml")
	for _, f := range files {
		src, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		sources[f] = src
	}
	hashes := map[string]string{}
	for name, src := range sources {
		p := parsed(t, name, src)
		again, faults := Parse(name+" resolved", p.Resolved())
		if again == nil {
			t.Errorf("%s: %v\n%s", name, faults, p.Resolved())
			continue
		}
		if again.Hash() != p.Hash() || planText(again) != planText(p) || again.Traits() != p.Traits() {
			t.Errorf("%s is another profile when resolved:\n%s\n%s", name, p.Resolved(), again.Resolved())
		}
		if laid, faults := Parse(name+" laid out", p.Laid()); laid == nil || laid.Hash() != p.Hash() {
			t.Errorf("%s is another profile when laid out: %v\n%s", name, faults, p.Laid())
		}
		if twin := hashes[p.Hash()]; twin != "" {
			t.Errorf("%s and %s have one hash", name, twin)
		}
		hashes[p.Hash()] = name
	}
	bench := strings.Replace(string(sources["bench/modbus-lift"]), "# kg", "# kilograms", 1)
	if parsed(t, "comment", []byte(bench)).Hash() != parsed(t, "bench", sources["bench/modbus-lift"]).Hash() {
		t.Error("a comment changes the hash")
	}
}

func TestJSONSchemaIsFresh(t *testing.T) {
	want, err := JSONSchema()
	if err != nil {
		t.Fatal(err)
	}
	want = append(want, '\n')
	have, _ := os.ReadFile("schema.json")
	if string(have) == string(want) {
		return
	}
	if !*update {
		t.Fatal("schema.json is stale: go test ./drivers/profiles -update")
	}
	if err := os.WriteFile("schema.json", want, 0o644); err != nil {
		t.Fatal(err)
	}
}

func FuzzOverlay(f *testing.F) {
	f.Add([]byte(child))
	f.Add([]byte("id: a/b\nextends: bench/modbus-lift\nremove: [points, errors.1, id]\n"))
	f.Fuzz(func(t *testing.T, src []byte) {
		p, faults := Parse("f.yaml", src)
		if p == nil && len(faults) == 0 {
			t.Error("neither a profile nor a fault")
		}
		if p != nil {
			if again, fs := Parse("again.yaml", p.Resolved()); again == nil || again.Hash() != p.Hash() {
				t.Errorf("the resolved form is another: %v", fs)
			}
		}
		for _, fault := range faults {
			if fault.File == "" {
				t.Errorf("a fault without a file: %v", fault)
			}
		}
		_ = strict.Sort(faults)
	})
}
