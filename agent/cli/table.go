package cli

import (
	"io"
	"strings"
	"unicode"
)

// table prints rows in aligned columns, two blanks apart. The first row is the head.
type table struct{ rows [][]string }

func (t *table) row(cells ...string) {
	for i, c := range cells {
		cells[i] = cell(c)
	}
	t.rows = append(t.rows, cells)
}

func (t *table) print(w io.Writer) error {
	var widths []int
	for _, r := range t.rows {
		for i, c := range r {
			if i == len(widths) {
				widths = append(widths, 0)
			}
			if i < len(r)-1 { // the last cell of a row needs no room behind it
				widths[i] = max(widths[i], width(c))
			}
		}
	}
	var b strings.Builder
	for _, r := range t.rows {
		var line strings.Builder
		for i, c := range r {
			line.WriteString(c)
			line.WriteString(strings.Repeat(" ", max(0, widths[i]-width(c))+2))
		}
		b.WriteString(strings.TrimRight(line.String(), " "))
		b.WriteByte('\n')
	}
	_, err := io.WriteString(w, b.String())
	return output(err)
}

// cell makes a value safe for a terminal: nothing in it can move the cursor.
func cell(s string) string {
	if s == "" {
		return "-"
	}
	return strings.Map(func(r rune) rune {
		if isControl(r) {
			return '?'
		}
		return r
	}, s)
}

func isControl(r rune) bool {
	return unicode.IsControl(r) || unicode.Is(unicode.Cf, r) || r == '\u2028' || r == '\u2029'
}

// width counts terminal columns: Chinese, Japanese and Korean letters take two.
func width(s string) int {
	n := 0
	for _, r := range s {
		n++
		if wide(r) || unicode.In(r, unicode.Hiragana, unicode.Katakana, unicode.Hangul) {
			n++
		}
	}
	return n
}
