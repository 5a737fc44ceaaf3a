// Package strict reads YAML against a schema and finds every fault at once, each
// with its place and, where a word is nearly right, what was probably meant.
package strict

import "fmt"

// Fault is one thing wrong in a file.
type Fault struct {
	File string
	Line int    // from 1
	Col  int    // from 1
	Path string // lifts[0].floors[2].label
	Msg  string
	Hint string // what to do, "" for none
}

func (f Fault) Error() string {
	s := fmt.Sprintf("%s:%d:%d: %s: %s", f.File, f.Line, f.Col, f.Path, f.Msg)
	if f.Hint != "" {
		s += " (" + f.Hint + ")"
	}
	return s
}
