package scenarios

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"hoistway/simulator/faults"
)

// SM-3: the library is whole: every file is read, names what it proves, tells its
// story, and can fail.
func TestLibraryIsRead(t *testing.T) {
	files := Library()
	if len(files) < 24 {
		t.Fatalf("%d files", len(files))
	}
	titles := map[string]string{}
	story := regexp.MustCompile(`(?m)^# .+\n# Owed: .+`)
	for _, f := range files {
		s, bad := Parse(f.Name+".txt", f.Source)
		for _, b := range bad {
			t.Error(b)
		}
		if s == nil {
			continue
		}
		switch {
		case s.Title == f.Name+".txt":
			t.Errorf("%s has no title", f.Name)
		case titles[s.Title] != "":
			t.Errorf("%s and %s have one title", f.Name, titles[s.Title])
		case len(s.Proves) == 0:
			t.Errorf("%s proves nothing", f.Name)
		case s.Demands() < 2:
			t.Errorf("%s demands too little to fail", f.Name)
		case !story.Match(f.Source):
			t.Errorf("%s has no story and no word of what is owed", f.Name)
		case !strings.HasSuffix(string(f.Source), "\n"):
			t.Errorf("%s does not end with a line end", f.Name)
		}
		titles[s.Title] = f.Name
	}
	if f, ok := Find("plain-ride"); !ok || len(f.Source) == 0 {
		t.Error("the plain ride is not found")
	}
	if _, ok := Find("no-such"); ok {
		t.Error("what is not there is found")
	}
}

// SM-3: there is no fault in the catalogue that no scenario plays.
func TestLibraryPlaysEveryFault(t *testing.T) {
	var played []string
	for _, f := range Library() {
		if s, _ := Parse(f.Name, f.Source); s != nil {
			played = append(played, s.Faults()...)
		}
	}
	for _, k := range faults.Catalogue() {
		if !slices.Contains(played, k.Name) {
			t.Errorf("no scenario plays the fault %s", k.Name)
		}
	}
}

// SM-3: whatever the page names as the player of a field scenario is there.
func TestTheFieldTableNamesWhatThereIs(t *testing.T) {
	raw, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	_, table, _ := strings.Cut(string(raw), "## What goes wrong")
	table, _, _ = strings.Cut(table, "\n## ")
	rows := 0
	for line := range strings.Lines(table) {
		cells := strings.Split(line, " | ")
		if len(cells) != 2 || !strings.HasPrefix(line, "| ") || strings.Contains(line, "---") {
			continue
		}
		rows++
		for _, name := range regexp.MustCompile("[a-z0-9]+(-[a-z0-9]+)+|`[a-z_]+\\.txt`").FindAllString(cells[1], -1) {
			if file, ok := strings.CutSuffix(strings.Trim(name, "`"), ".txt"); ok {
				if _, err := os.Stat("../../fsm/testdata/" + file + ".txt"); err != nil {
					t.Error(err)
				}
			} else if _, ok := Find(name); !ok {
				t.Errorf("there is no scenario %s: %s", name, line)
			}
		}
	}
	if rows < 30 {
		t.Errorf("%d rows", rows)
	}
}
