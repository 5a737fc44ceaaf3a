// Package strict reads YAML against a schema and finds every fault at once, each
// with its place and, where a word is nearly right, what was probably meant.
//
// [Read] gives a tree of [Value] beside the faults, so that the caller can go on
// and report what only it can know (two lifts of one id) with the same places,
// even in a file that has other faults. A value that did not fit its schema says
// so by OK and reads as its zero.
//
// The files come from people and from the field, so what YAML can do beyond plain
// data is refused rather than followed: anchors, aliases, tags, merge keys,
// directives, a second document, more than [MaxBytes] and
// [MaxKeys], or deeper than [MaxDepth].
// A syntax error hides what comes after it; it is then the only fault told.
package strict

import (
	"cmp"
	"fmt"
	"slices"
)

// Limits of a file.
const (
	MaxBytes  = 1 << 20
	MaxDepth  = 32
	MaxKeys   = 10_000
	MaxFaults = 100 // told; the last one then counts the others
)

// Fault is one thing wrong in a file.
type Fault struct {
	File string
	Line int    // from 1
	Col  int    // from 1, in characters
	Path string // lifts[0].floors[2].label; "" is the whole file
	Msg  string
	Hint string // what to do, "" for none
}

func (f Fault) Error() string {
	s := fmt.Sprintf("%s:%d:%d: ", f.File, f.Line, f.Col)
	if f.Path != "" {
		s += f.Path + ": "
	}
	s += f.Msg
	if f.Hint != "" {
		s += " (" + f.Hint + ")"
	}
	return s
}

// Sort orders faults by file and place and keeps at most [MaxFaults].
func Sort(fs []Fault) []Fault {
	slices.SortStableFunc(fs, func(a, b Fault) int {
		return cmp.Or(cmp.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line), cmp.Compare(a.Col, b.Col))
	})
	if len(fs) <= MaxFaults {
		return fs
	}
	last := fs[MaxFaults-1]
	last.Path, last.Hint = "", ""
	last.Msg = fmt.Sprintf("%d more faults from here on", len(fs)-MaxFaults+1)
	return append(fs[:MaxFaults-1:MaxFaults-1], last)
}
