package cli

import (
	"os"
	"strings"
	"testing"

	"github.com/spf13/cobra"
)

// told finds the commands that a text tells its reader to type.
func told(text string) [][]string {
	var all [][]string
	for _, line := range strings.Split(text, "\n") {
		line, _, _ = strings.Cut(strings.ReplaceAll(line, "PORT", "1"), " #")
		for _, part := range strings.Split(strings.ReplaceAll(line, "`", "&&"), "&&") {
			words := strings.Fields(strings.Trim(strings.TrimSpace(part), "$ &"))
			if len(words) < 2 || words[0] != "./hoistway-sim" && words[0] != "hoistway-sim" {
				continue
			}
			for i, w := range words {
				if w == "|" || strings.HasPrefix(w, ">") {
					words = words[:i]
					break
				}
			}
			all = append(all, words[1:])
		}
	}
	return all
}

// SM-7: what the page for newcomers and the help tell people to type is there.
func TestWhatPeopleAreToldToTypeIsThere(t *testing.T) {
	page, err := os.ReadFile("../README.md")
	if err != nil {
		t.Fatal(err)
	}
	lines := told(string(page))
	if len(lines) < 12 {
		t.Errorf("only %d commands are found in the page", len(lines))
	}
	for _, c := range newRoot().Commands() {
		lines = append(lines, told(c.Example)...)
	}
	for _, words := range lines {
		c, rest, err := newRoot().Find(words)
		if err == nil {
			err = c.ParseFlags(rest)
		}
		if err == nil {
			err = arguments(c)
		}
		if err != nil {
			t.Errorf("hoistway-sim %s: %v", strings.Join(words, " "), err)
		}
	}
}

// arguments asks a command whether what was parsed may be its arguments.
func arguments(c *cobra.Command) error {
	if c.Args == nil {
		return nil
	}
	return c.Args(c, c.Flags().Args())
}
