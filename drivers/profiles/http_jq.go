package profiles

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/itchyny/gojq"
)

// errJQ is an expression that could grow, loop, or look outside of the document.
var errJQ = errors.New("not taken in a profile")

// jqFunctions are what an expression may call, by name and number of arguments: none
// of them makes more than it was given.
var jqFunctions = map[string][]int{
	"select": {1}, "map": {1}, "not": {0}, "empty": {0}, "length": {0}, "type": {0},
	"tonumber": {0}, "floor": {0}, "round": {0}, "ascii_downcase": {0}, "ascii_upcase": {0},
	"startswith": {1}, "endswith": {1}, "ltrimstr": {1}, "rtrimstr": {1}, "split": {1},
	"first": {0, 1}, "last": {0, 1}, "has": {1}, "any": {0, 1}, "all": {0, 1}, "fromjson": {0},
}

// checkJQ reads an expression and walks its tree: what is not listed is refused, so
// that a vendor's answer can neither make it run on nor make it fill the memory.
func checkJQ(src string, words []string) error {
	q, err := gojq.Parse(src)
	if err == nil && strings.TrimSpace(src) == "" {
		err = fmt.Errorf("nothing is %w", errJQ)
	}
	if err != nil {
		return err
	}
	w := jqWalk{words: words}
	w.query(q)
	return w.err
}

type jqWalk struct {
	words []string
	err   error
}

func (w *jqWalk) refuse(what string) {
	if w.err == nil {
		w.err = fmt.Errorf("%s is %w", what, errJQ)
	}
}

func (w *jqWalk) query(q *gojq.Query) {
	if q == nil {
		return
	}
	if q.Meta != nil || len(q.Imports) > 0 || len(q.FuncDefs) > 0 || len(q.Patterns) > 0 {
		w.refuse("a definition")
	}
	switch q.Op {
	case 0, gojq.OpPipe, gojq.OpEq, gojq.OpNe, gojq.OpGt, gojq.OpLt, gojq.OpGe, gojq.OpLe, gojq.OpAnd, gojq.OpOr, gojq.OpAlt:
	case gojq.OpAdd, gojq.OpSub, gojq.OpDiv, gojq.OpMod:
		// With a number on one side it cannot join texts or lists.
		if !numeral(q.Left) && !numeral(q.Right) {
			w.refuse(q.Op.String() + " of two values, neither of them a plain number,")
		}
	default:
		w.refuse(q.Op.String())
	}
	w.query(q.Left)
	w.query(q.Right)
	w.term(q.Term)
}

func numeral(q *gojq.Query) bool {
	return q != nil && q.Term != nil && q.Term.Type == gojq.TermTypeNumber && len(q.Term.SuffixList) == 0
}

func (w *jqWalk) term(t *gojq.Term) {
	if t == nil {
		return
	}
	switch t.Type {
	case gojq.TermTypeIdentity, gojq.TermTypeNull, gojq.TermTypeTrue, gojq.TermTypeFalse, gojq.TermTypeNumber:
	case gojq.TermTypeIndex:
		w.index(t.Index)
	case gojq.TermTypeFunc:
		w.function(t.Func)
	case gojq.TermTypeString:
		w.text(t.Str)
	case gojq.TermTypeArray:
		w.query(t.Array.Query)
	case gojq.TermTypeQuery:
		w.query(t.Query)
	case gojq.TermTypeUnary:
		w.term(t.Unary.Term)
	case gojq.TermTypeIf:
		w.branches(t.If)
	default:
		w.refuse(t.String())
	}
	for _, s := range t.SuffixList {
		w.index(s.Index)
	}
}

func (w *jqWalk) branches(i *gojq.If) {
	w.query(i.Cond)
	w.query(i.Then)
	w.query(i.Else)
	for _, e := range i.Elif {
		w.query(e.Cond)
		w.query(e.Then)
	}
}

func (w *jqWalk) index(i *gojq.Index) {
	if i == nil {
		return
	}
	w.text(i.Str)
	w.query(i.Start)
	w.query(i.End)
}

func (w *jqWalk) text(s *gojq.String) {
	if s != nil && len(s.Queries) > 0 {
		w.refuse("a text with values in it")
	}
}

func (w *jqWalk) function(f *gojq.Func) {
	if name, own := strings.CutPrefix(f.Name, "$"); own {
		if !slices.Contains(w.words, name) {
			w.refuse("$" + name)
		}
		return
	}
	if !slices.Contains(jqFunctions[f.Name], len(f.Args)) {
		w.refuse(fmt.Sprintf("%s/%d", f.Name, len(f.Args)))
	}
	for _, a := range f.Args {
		w.query(a)
	}
}
