package scenarios

import (
	"strings"
	"unicode/utf8"
)

// token is one word of a line: bare, quoted, or a comma.
type token struct {
	text   string
	col    int // of its first character, from 1
	quoted bool
}

func (t token) is(word string) bool { return !t.quoted && t.text == word }

// show is the token as a message quotes it.
func (t token) show() string {
	if t.text == "" && !t.quoted {
		return "the end of the line"
	}
	return `"` + t.text + `"`
}

// lexer reads one line. It stops at the first thing that it cannot read.
type lexer struct {
	rest string
	col  int // characters read
	toks []token
	bad  string // what cannot be read, at badCol; "" for nothing
	at   int
}

// lexLine cuts a line into words. What it cannot read it tells with its column.
func lexLine(line string) (toks []token, badCol int, bad string) {
	l := &lexer{rest: line}
	for l.rest != "" && l.rest[0] != '#' && l.bad == "" {
		switch l.rest[0] {
		case ' ', '\t':
			l.skip(1)
		case ',':
			l.put(",", false)
			l.skip(1)
		case '"':
			l.quote()
		default:
			l.word()
		}
	}
	return l.toks, l.at, l.bad
}

// skip passes over bytes, and counts the characters that they are.
func (l *lexer) skip(n int) {
	l.col += utf8.RuneCountInString(l.rest[:n])
	l.rest = l.rest[n:]
}

func (l *lexer) put(text string, quoted bool) {
	l.toks = append(l.toks, token{text: text, col: l.col + 1, quoted: quoted})
}

func (l *lexer) fail(ahead int, what string) { l.at, l.bad = l.col+1+ahead, what }

func (l *lexer) quote() {
	end := strings.IndexByte(l.rest[1:], '"')
	if end < 0 {
		l.fail(0, "the quote is not closed")
		return
	}
	text := l.rest[1 : 1+end]
	if at, what := unfit(text); what != "" {
		l.fail(1+at, what)
		return
	}
	l.put(text, true)
	l.skip(end + 2)
}

func (l *lexer) word() {
	end := strings.IndexAny(l.rest, " \t,\"")
	if end < 0 {
		end = len(l.rest)
	}
	text := l.rest[:end]
	if at, what := unfit(text); what != "" {
		l.fail(at, what)
		return
	}
	l.put(text, false)
	l.skip(end)
}

// unfit finds the first character that no word may have, counted from 0.
func unfit(word string) (at int, what string) {
	for i := 0; i < len(word); {
		r, n := utf8.DecodeRuneInString(word[i:])
		switch {
		case r == utf8.RuneError && n == 1:
			return at, "this is not UTF-8 text"
		case r < ' ' || r == 0x7f:
			return at, "there is a control character here"
		}
		i, at = i+n, at+1
	}
	return 0, ""
}

// written is the line as a failure shows it, without its comment.
func written(toks []token) string {
	var b strings.Builder
	for i, t := range toks {
		if i > 0 && !t.is(",") {
			b.WriteByte(' ')
		}
		if t.quoted {
			b.WriteString(`"` + t.text + `"`)
		} else {
			b.WriteString(t.text)
		}
	}
	return b.String()
}
