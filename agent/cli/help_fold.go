package cli

import (
	"strings"
	"unicode"
)

// fold breaks a text into indented lines of at most helpColumns columns. Chinese is
// written without blanks: a line may end before or after any of its letters, but no
// line begins with a mark that closes.
func fold(text string) string {
	const indent = "  "
	var b strings.Builder
	line := indent
	for _, p := range pieces(text) {
		if line != indent && width(line)+width(strings.TrimRight(p, " ")) > helpColumns {
			b.WriteString(strings.TrimRight(line, " ") + "\n")
			line = indent
		}
		line += p
	}
	b.WriteString(strings.TrimRight(line, " ") + "\n")
	return b.String()
}

// pieces cuts a text where a line may end. Each piece keeps the blank behind it.
func pieces(text string) (out []string) {
	rs := []rune(strings.Join(strings.Fields(text), " "))
	from := 0
	for i := 1; i < len(rs); i++ {
		if rs[i-1] == ' ' || mayBreak(rs[i-1], rs[i]) {
			out = append(out, string(rs[from:i]))
			from = i
		}
	}
	return append(out, string(rs[from:]))
}

// mayBreak reports that a line may end between two letters with no blank between.
func mayBreak(before, after rune) bool {
	return (wide(before) || wide(after)) && after != ' ' && !strings.ContainsRune(closing, after) && !strings.ContainsRune(opening, before)
}

const (
	closing = "，。、；：？！）》」』”%)"
	opening = "（《「『“(`"
)

func wide(r rune) bool {
	return unicode.Is(unicode.Han, r) || r >= 0x3000 && r <= 0x303F || r >= 0xFF01 && r <= 0xFF60
}
