package strict

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// word is a scalar as it stands in the file.
type word struct {
	text   string
	quoted bool // quoted or a block: always text
	null   bool
	number bool // YAML reads the plain form as a number
	truth  bool // as true or false
}

// misfit says why a scalar does not fit.
type misfit struct{ msg, hint string }

// plain is an unquoted scalar.
func plain(s string) word {
	return word{text: s, number: numeric(s), truth: s == "true" || s == "false"}
}

func numeric(s string) bool {
	if s == "" || strings.IndexByte("+-.0123456789", s[0]) < 0 {
		return false // inf and nan are names of people and floors
	}
	_, whole := parseInt(s)
	_, err := strconv.ParseFloat(s, 64)
	return whole || err == nil
}

// scalar reads w by the value's schema and stores it, or says why not.
func (v *Value) scalar(w word) *misfit {
	if w.null {
		return &misfit{"has no value", "give " + v.schema.Kind.String() + " or leave the key out"}
	}
	switch v.schema.Kind {
	case Text, Name:
		return v.readText(w)
	case Int:
		return v.readInt(w)
	case Float:
		return v.readFloat(w)
	case Bool:
		return v.readBool(w)
	case Duration:
		return v.readDuration(w)
	case Word:
		return v.readWord(w)
	}
	return v.wrong(w, "")
}

func (v *Value) readText(w word) *misfit {
	bare := !w.quoted && (w.truth || w.number && v.schema.Kind == Text)
	if bare {
		return v.wrong(w, "put it in quotes if text is meant")
	}
	if m := v.between(float64(utf8.RuneCountInString(w.text))); m != nil {
		return m
	}
	if re := v.schema.Match; re != nil && !re.MatchString(w.text) {
		return &misfit{v.shown(w) + " is not " + v.schema.Looks, ""}
	}
	v.text = w.text
	return nil
}

func (v *Value) readInt(w word) *misfit {
	n, ok := parseInt(w.text)
	if !ok || w.quoted {
		hint := ""
		switch {
		case ok:
			hint = "leave out the quotes"
		case w.number && !strings.ContainsAny(w.text, ".eExX"):
			hint = "no leading zero and no _"
		}
		return v.wrong(w, hint)
	}
	v.num = n
	return v.between(float64(n))
}

func (v *Value) readFloat(w word) *misfit {
	f, err := strconv.ParseFloat(w.text, 64)
	if err != nil || w.quoted || math.IsInf(f, 0) || math.IsNaN(f) || strings.ContainsAny(w.text, "_xX") {
		hint := ""
		if err == nil && w.quoted {
			hint = "leave out the quotes"
		}
		return v.wrong(w, hint)
	}
	v.float = f
	return v.between(f)
}

func (v *Value) readBool(w word) *misfit {
	if w.quoted || !w.truth {
		hint := ""
		switch strings.ToLower(w.text) {
		case "yes", "on", "true":
			hint = "write true"
		case "no", "off", "false":
			hint = "write false"
		}
		return v.wrong(w, hint)
	}
	v.flag = strings.EqualFold(w.text, "true")
	return nil
}

func (v *Value) readDuration(w word) *misfit {
	d, err := time.ParseDuration(w.text)
	if err != nil || w.number {
		hint := "such as 250ms, 90s or 1m30s"
		if w.number && !w.quoted {
			hint = "say the unit: " + w.text + "s"
		}
		return v.wrong(w, hint)
	}
	v.num = int64(d)
	return v.between(float64(d))
}

func (v *Value) readWord(w word) *misfit {
	if !slices.Contains(v.schema.Words, w.text) {
		return &misfit{v.shown(w) + " is none of " + strings.Join(v.schema.Words, ", "), DidYouMean(w.text, v.schema.Words)}
	}
	v.text = w.text
	return nil
}

func (v *Value) wrong(w word, hint string) *misfit {
	is := "the text"
	switch {
	case w.quoted:
	case w.number:
		is = "the number"
	case w.truth:
		is = "the truth value"
	}
	return &misfit{"wants " + v.schema.Kind.String() + ", is " + is + " " + v.shown(w), hint}
}

// shown repeats a value in a message, bounded, and never a secret.
func (v *Value) shown(w word) string {
	if v.schema.Secret {
		return "(hidden)"
	}
	return quote(w.text)
}

func quote(s string) string {
	const most = 40
	if r := []rune(s); len(r) > most {
		s = string(r[:most]) + "…"
	}
	return strconv.Quote(s)
}

// between holds a number, a length or a count to the schema's range.
func (v *Value) between(n float64) *misfit {
	r, k := v.schema.Range, v.schema.Kind
	if r == nil || n >= r.Lo && n <= r.Hi {
		return nil
	}
	unit := map[Kind]string{Text: "character", Name: "character", List: "element", Map: "entry"}[k]
	switch {
	case v.schema.Secret:
		return &misfit{"has a wrong length", ""}
	case unit == "":
		return &misfit{fmt.Sprintf("is %s, must be %s", amount(k, n), r.text(k)), ""}
	}
	if n != 1 {
		unit = strings.Replace(unit+"s", "ys", "ies", 1)
	}
	return &misfit{fmt.Sprintf("has %s %s, must have %s", amount(k, n), unit, r.text(k)), ""}
}

func amount(k Kind, n float64) string {
	if k == Duration {
		return clock(time.Duration(n))
	}
	return strconv.FormatFloat(n, 'f', -1, 64)
}

func (r Range) text(k Kind) string {
	if r.Lo == r.Hi {
		return amount(k, r.Lo)
	}
	return amount(k, r.Lo) + " to " + amount(k, r.Hi)
}

// clock writes a duration without the zero parts that String leaves.
func clock(d time.Duration) string {
	s := d.String()
	s = strings.TrimSuffix(s, "0s")
	if strings.HasSuffix(s, "h0m") {
		s = strings.TrimSuffix(s, "0m")
	}
	if s == "" || s != d.String() && strings.IndexByte("hm", s[len(s)-1]) < 0 {
		return d.String()
	}
	return s
}

// parseInt takes decimal without leading zeros, and 0x. YAML's other forms (octal
// by a leading zero, underscores) are traps in a register map.
func parseInt(s string) (int64, bool) {
	digits, neg := strings.CutPrefix(s, "-")
	base := 10
	if hex, ok := strings.CutPrefix(digits, "0x"); ok {
		digits, base = hex, 16
	} else if len(digits) > 1 && digits[0] == '0' {
		return 0, false
	}
	if digits == "" || strings.ContainsAny(digits, "+-_") {
		return 0, false
	}
	n, err := strconv.ParseInt(digits, base, 64)
	if neg {
		n = -n
	}
	return n, err == nil
}
