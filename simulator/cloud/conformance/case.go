package conformance

import (
	"embed"
	"fmt"
	"strings"
)

//go:embed cases/*.txt
var files embed.FS

// Case is a conversation. Its steps are lines of a verb and what belongs to it:
//
//	send TOPIC PAYLOAD   to the one who is judged
//	want TOPIC PATTERN   he must say this, within the limit
//	none TOPIC           he must not speak there for the quiet time
//
// and, where a device is judged, what its service does to it: desire SHADOW PATCH,
// lose TOPIC, repeat TOPIC, refuse CODE, forget. Topics are below X; S stands for a
// shadow of the case's own. See [Match] for patterns.
type Case struct {
	Name  string
	What  string // what is right, in a sentence
	Steps []Step
}

// Step is one line.
type Step struct {
	Line              int
	Verb, Topic, Body string
}

// Parse reads a file of cases. A blank line ends a case; # begins a remark.
func Parse(name, text string) ([]Case, error) {
	var out []Case
	for n, line := range strings.Split(text, "\n") {
		line = strings.TrimSpace(line)
		verb, rest, _ := strings.Cut(line, " ")
		switch {
		case line == "" || line[0] == '#':
		case verb == "case":
			title, what, _ := strings.Cut(rest, " ")
			out = append(out, Case{Name: title, What: strings.TrimSpace(what)})
		case len(out) == 0 || !verbs[verb]:
			return nil, fmt.Errorf("%s:%d: %q is no step", name, n+1, line)
		default:
			topic, body, _ := strings.Cut(rest, " ")
			c := &out[len(out)-1]
			c.Steps = append(c.Steps, Step{n + 1, verb, topic, strings.TrimSpace(body)})
		}
	}
	return out, nil
}

var verbs = map[string]bool{
	"send": true, "want": true, "none": true,
	"desire": true, "lose": true, "repeat": true, "refuse": true, "forget": true,
}

// own are the cases that ship with it: "service" or "device".
func own(side string) ([]Case, error) {
	name := "cases/" + side + ".txt"
	raw, err := files.ReadFile(name)
	if err != nil {
		return nil, err
	}
	return Parse(name, string(raw))
}
