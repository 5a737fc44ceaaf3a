package fsm

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

var rewrite = flag.Bool("rewrite", false, "write down anew what the machine says in testdata")

// RD-1, RD-2, RD-6, RD-17, IL-2: every transcript says word for word what it said before.
func TestTranscripts(t *testing.T) {
	for _, file := range transcripts(t) {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txt"), func(t *testing.T) {
			src, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			got, _ := replay(t, string(src))
			if *rewrite {
				if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
				return
			}
			if got != string(src) {
				t.Errorf("%s says something else now:\n%s", file, firstDifference(string(src), got))
			}
		})
	}
}

func transcripts(t *testing.T) []string {
	files, err := filepath.Glob("testdata/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatalf("no transcripts: %v", err)
	}
	return files
}

// replay plays a transcript. A block is lines, "----", what was said, a blank line;
// lines that start with # are for the reader.
func replay(t *testing.T, src string) (string, []walkedMove) {
	var out strings.Builder
	p := newPlayer(t)
	saying := false
	for _, line := range strings.Split(strings.TrimRight(src, "\n"), "\n") {
		switch {
		case line == "----":
			saying = true
			out.WriteString("----\n" + p.out.String())
			p.out.Reset()
		case line == "":
			saying = false
			out.WriteString("\n")
		case saying:
		case strings.HasPrefix(line, "#"):
			out.WriteString(line + "\n")
		default:
			out.WriteString(line + "\n")
			p.line(line)
		}
	}
	if p.out.Len() > 0 {
		t.Fatalf("the last block has no ----: %s", p.out.String())
	}
	return out.String(), p.walked
}

func firstDifference(want, got string) string {
	w, g := strings.Split(want, "\n"), strings.Split(got, "\n")
	for i := range w {
		if i >= len(g) || w[i] != g[i] {
			have := "(end)"
			if i < len(g) {
				have = g[i]
			}
			return "want " + w[i] + "\nhave " + have
		}
	}
	return "have more: " + g[len(w)]
}
