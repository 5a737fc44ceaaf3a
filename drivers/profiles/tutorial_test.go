package profiles

import (
	"os"
	"strings"
	"testing"
)

// block is one fenced block of the README: its words behind the fence and its text.
type fenced struct{ kind, name, text string }

func fencedBlocks(t *testing.T, file string) (out []fenced) {
	t.Helper()
	page, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	parts := strings.Split(string(page), "```")
	for i := 1; i < len(parts); i += 2 {
		head, text, _ := strings.Cut(parts[i], "\n")
		kind, name, _ := strings.Cut(head, " ")
		out = append(out, fenced{kind, name, text})
	}
	return out
}

// Every step of the tutorial is carried out: each file is read as it stands there, each
// answer of the check is its answer, each case is played.
// DR-7
func TestTutorial(t *testing.T) {
	files := map[string][]byte{}
	did := map[string]int{}
	for _, b := range fencedBlocks(t, "README.md") {
		switch {
		case b.kind == "yaml" && b.name != "":
			for had, src := range files { // the next version of the same file
				if topKey(src, "id") == topKey([]byte(b.text), "id") {
					delete(files, had)
				}
			}
			files[b.name] = []byte(b.text)
		case b.kind == "text" && strings.HasPrefix(b.text, "$ hoistway profile check "):
			checked(t, files, b)
		case b.kind == "text" && strings.HasPrefix(b.name, "case "):
			_, file, _ := strings.Cut(b.name, " ")
			p := fromLibrary(t, files, file)
			for _, d := range play(p, b.text) {
				t.Errorf("%s: %s", file, d)
			}
		default:
			continue
		}
		did[b.kind]++
	}
	if did["yaml"] < 3 || did["text"] < 4 {
		t.Errorf("carried out %v: that is not the whole tutorial", did)
	}
}

// fromLibrary reads a file of the tutorial as if all of them were in the folder of
// local profiles.
func fromLibrary(t *testing.T, files map[string][]byte, file string) *Profile {
	t.Helper()
	l, faults := NewLibrary(files)
	if len(faults) > 0 {
		t.Fatal(faults)
	}
	p, faults := l.Parse(file, files[file])
	if p == nil {
		t.Fatal(faults)
	}
	return p
}

// checked holds what the page shows of profile check against the file: each fault, or
// the hash. The words around them are the command line's, which carries out the page too.
func checked(t *testing.T, files map[string][]byte, b fenced) {
	t.Helper()
	first, want, _ := strings.Cut(b.text, "\n")
	file, _, _ := strings.Cut(strings.TrimPrefix(first, "$ hoistway profile check "), " ")
	l, _ := NewLibrary(files)
	p, faults := l.Parse(file, files[file])
	var got strings.Builder
	for _, f := range faults {
		got.WriteString(f.Error() + "\n")
	}
	if !strings.HasPrefix(want, got.String()) {
		t.Errorf("%s: got\n%swant\n%s", file, &got, want)
	}
	if p != nil && !strings.Contains(want, p.ID+", ") || p != nil && !strings.HasSuffix(want, "sha256 "+p.Hash()+"\n") {
		t.Errorf("%s is %s, %s: the page says\n%s", file, p.ID, p.Hash(), want)
	}
}
