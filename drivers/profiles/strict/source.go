package strict

import (
	"bytes"
	"errors"
	"fmt"
	"unicode"
	"unicode/utf8"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/lexer"
	"github.com/goccy/go-yaml/parser"
	"github.com/goccy/go-yaml/token"
)

// parse turns bytes into the root node; nil is an empty file. Whatever could make
// the parser work without bounds is refused on the bytes or on the tokens.
func parse(file string, src []byte) (root ast.Node, faults []Fault) {
	at := place{file: file, line: 1, col: 1}
	if len(src) > MaxBytes {
		return nil, []Fault{at.fault(fmt.Sprintf("the file has %d bytes, at most %d are read", len(src), MaxBytes), "")}
	}
	src = bytes.TrimPrefix(src, []byte("\xef\xbb\xbf"))
	if fs := characters(at, src); len(fs) > 0 {
		return nil, fs
	}
	// The parser is not ours; a file must not end the program by a fault of it.
	defer func() {
		if e := recover(); e != nil {
			root, faults = nil, []Fault{at.fault("this is not readable YAML", "")}
		}
	}()
	tokens := lexer.Tokenize(string(bytes.ReplaceAll(src, []byte("\r\n"), []byte("\n"))))
	if fs := tooMuch(at, tokens); len(fs) > 0 {
		return nil, fs
	}
	tree, err := parser.Parse(tokens, 0, parser.AllowDuplicateMapKey())
	if err != nil {
		return nil, []Fault{syntax(at, err)}
	}
	return single(at, tree)
}

// characters refuses what an editor does not show.
func characters(at place, src []byte) []Fault {
	for len(src) > 0 {
		r, n := utf8.DecodeRune(src)
		switch {
		case r == utf8.RuneError && n == 1:
			return []Fault{at.fault(fmt.Sprintf("byte 0x%02x is not UTF-8", src[0]), "save the file as UTF-8")}
		case r == '\r' && !bytes.HasPrefix(src, []byte("\r\n")), invisible(r):
			return []Fault{at.fault(fmt.Sprintf("the character %U cannot be seen and is not allowed", r), "delete it")}
		}
		src = src[n:]
		at.col++
		if r == '\n' {
			at.line, at.col = at.line+1, 1
		}
	}
	return nil
}

// invisible reports what shows nothing, or shows as a space and is none: a key copied
// from a web page with one of them looks right and means another key.
func invisible(r rune) bool {
	switch {
	case r == '\t', r == '\n', r == '\r', r == ' ':
		return false
	case unicode.IsControl(r), unicode.Is(unicode.Cf, r):
		return true // soft hyphen, zero width, bidirectional overrides, tags
	case unicode.In(r, unicode.Zl, unicode.Zp, unicode.Zs):
		return true
	}
	return unicode.Is(unicode.Other_Default_Ignorable_Code_Point, r) || unicode.Is(unicode.Variation_Selector, r) || r == '\u2800'
}

// unseen is the first character of a key that shows nothing, written as an escape
// perhaps.
func unseen(key string) (r rune, found bool) {
	for _, r := range key {
		if invisible(r) || r < ' ' {
			return r, true
		}
	}
	return 0, false
}

// tooMuch refuses what YAML can do beyond plain data, depth, and masses of keys,
// with which the parser's time grows by the square.
func tooMuch(at place, tokens token.Tokens) []Fault {
	var out []Fault
	var d nesting
	keys, content := 0, false
	for _, t := range tokens {
		if t.Type == token.CommentType {
			continue
		}
		if t.Type == token.MappingValueType {
			keys++
		}
		if what := refused(t.Type); what != "" {
			out = append(out, where(at, t).fault(what+" not taken here", "write it out, or put it in quotes if text is meant"))
		}
		switch {
		case content && t.Type == token.DocumentHeaderType:
			return append(out, second(where(at, t)))
		case d.add(t) > MaxDepth:
			return append(out, where(at, t).fault(fmt.Sprintf("nested deeper than %d", MaxDepth), ""))
		case keys > MaxKeys:
			return append(out, where(at, t).fault(fmt.Sprintf("more than %d keys", MaxKeys), ""))
		}
		content = true
	}
	return out
}

// refused says what is not taken, "" for a token that is.
func refused(t token.Type) string {
	switch t {
	case token.AnchorType, token.AliasType:
		return "anchors and aliases are"
	case token.TagType:
		return "tags are"
	case token.MergeKeyType:
		return "merge keys are"
	case token.DirectiveType:
		return "directives are"
	case token.MappingKeyType:
		return "keys with ? are"
	}
	return ""
}

func second(at place) Fault {
	return at.fault("a second document starts here", "one file holds one document")
}

// nesting reckons depth from tokens alone, before anything recurses over them: a
// block collection starts at a column, a flow collection with its bracket.
type nesting struct {
	flow  int
	block []start
}

type start struct {
	col  int
	kind token.Type
}

func (n *nesting) add(t *token.Token) int {
	switch t.Type {
	case token.MappingStartType, token.SequenceStartType:
		n.flow++
	case token.MappingEndType, token.SequenceEndType:
		n.flow = max(0, n.flow-1)
	case token.SequenceEntryType:
		n.open(t.Position.Column, t.Type)
	case token.MappingValueType:
		if key := t.Prev; n.flow == 0 && key != nil && key.Position != nil {
			n.open(key.Position.Column, t.Type)
		}
	}
	return n.flow + len(n.block)
}

func (n *nesting) open(col int, kind token.Type) {
	for len(n.block) > 0 && n.block[len(n.block)-1].col > col {
		n.block = n.block[:len(n.block)-1]
	}
	// A key ends a sequence that stands at its own column.
	if i := len(n.block) - 1; i >= 0 && kind == token.MappingValueType && n.block[i] == (start{col, token.SequenceEntryType}) {
		n.block = n.block[:i]
	}
	if i := len(n.block) - 1; i < 0 || n.block[i] != (start{col, kind}) {
		n.block = append(n.block, start{col, kind})
	}
}

// single takes the one document of a file.
func single(at place, tree *ast.File) (ast.Node, []Fault) {
	var root ast.Node
	for i, d := range tree.Docs {
		if i > 0 {
			return nil, []Fault{second(begin(at, d.Body))}
		}
		root = d.Body
	}
	return root, nil
}

func syntax(at place, err error) Fault {
	var e yaml.Error
	if errors.As(err, &e) {
		return where(at, e.GetToken()).fault("YAML: "+e.GetMessage(), "")
	}
	return at.fault("this is not readable YAML", "")
}

// where moves a place to a token, as far as the token knows.
func where(at place, t *token.Token) place {
	if t != nil && t.Position != nil && t.Position.Line > 0 {
		at.line, at.col = t.Position.Line, max(1, t.Position.Column)
	}
	return at
}
