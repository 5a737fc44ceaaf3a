package conformance

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"hoistway/sync/shadow"
)

// names are the values that a case has named.
type names map[string]any

// Match holds a message against a pattern, JSON that is to be in it: members beside
// those named may be there. In the place of a value may stand
//
//	"$number" "$text" "$any"   a value of that kind
//	"$absent"                  no such member
//	"$NAME"                    any value, the same one in all places of the case
//	"$>NAME"                   a number greater than that one
//
// The answer is what is wrong, "" for nothing.
func (n names) Match(pattern, got any) string { return n.at("", pattern, got, true) }

func (n names) at(path string, pattern, got any, there bool) string {
	if word, ok := pattern.(string); ok && strings.HasPrefix(word, "$") {
		return n.word(path, word[1:], got, there)
	}
	if !there {
		return path + " is missing"
	}
	switch p := pattern.(type) {
	case shadow.Tree:
		g, ok := got.(shadow.Tree)
		if !ok {
			return differs(path, pattern, got)
		}
		for _, k := range slices.Sorted(maps.Keys(p)) {
			v, has := g[k]
			if wrong := n.at(strings.TrimPrefix(path+"."+k, "."), p[k], v, has); wrong != "" {
				return wrong
			}
		}
	case []any:
		g, ok := got.([]any)
		if !ok || len(g) != len(p) {
			return differs(path, pattern, got)
		}
		for i := range p {
			if wrong := n.at(fmt.Sprintf("%s[%d]", path, i), p[i], g[i], true); wrong != "" {
				return wrong
			}
		}
	default:
		if !shadow.Equal(pattern, got) {
			return differs(path, pattern, got)
		}
	}
	return ""
}

func (n names) word(path, word string, got any, there bool) string {
	if word == "absent" {
		if there {
			return differs(path, "nothing", got)
		}
		return ""
	}
	if !there {
		return path + " is missing"
	}
	_, isNumber := got.(json.Number)
	_, isText := got.(string)
	base, greater := strings.CutPrefix(word, ">")
	known, named := n[base]
	switch {
	case word == "any", word == "number" && isNumber, word == "text" && isText:
	case word == "number", word == "text":
		return differs(path, "a "+word, got)
	case greater && (!named || !isNumber || asFloat(got) <= asFloat(known)):
		return fmt.Sprintf("%s is %s, want more than %s", path, show(got), show(known))
	case greater:
	case !named:
		n[word] = got
	case !shadow.Equal(known, got):
		return differs(path, known, got)
	}
	return ""
}

// fill puts named values into what is to be sent.
func (n names) fill(v any) any {
	switch v := v.(type) {
	case string:
		if known, ok := n[strings.TrimPrefix(v, "$")]; ok && strings.HasPrefix(v, "$") {
			return known
		}
	case shadow.Tree:
		out := shadow.Tree{}
		for k, e := range v {
			out[k] = n.fill(e)
		}
		return out
	}
	return v
}

func asFloat(v any) float64 {
	number, _ := v.(json.Number)
	f, _ := number.Float64() // a number that a message had
	return f
}

func differs(path string, want, got any) string {
	if path == "" {
		path = "the message"
	}
	return fmt.Sprintf("%s is %s, want %s", path, show(got), show(want))
}

func show(v any) string {
	raw, err := json.Marshal(v)
	if err != nil {
		return fmt.Sprint(v)
	}
	if len(raw) > 200 {
		return string(raw[:200]) + "…"
	}
	return string(raw)
}
