package strict

import (
	"regexp"
	"time"
)

// Kind is the kind of a value.
type Kind uint8

const (
	Object   Kind = iota + 1 // a mapping with the keys that the schema lists
	Map                      // a mapping with keys of the file's own choice
	List                     // a sequence
	Text                     // a string
	Name                     // a string whose plain form may look like a number: 1, 007, 3E1
	Int                      // a whole number, decimal or 0x
	Float                    // a number
	Bool                     // true or false
	Duration                 // 250ms, 90s, 1m30s
	Word                     // one of a closed set
)

// Schema says what a value may be. It is data; build it once and only read it.
type Schema struct {
	Kind   Kind
	Keys   []Key    // of an Object
	Elem   *Schema  // of a List or a Map
	Index  Kind     // of a Map: what its keys are, Int or Name
	Words  []string // of a Word
	Range  *Range   // of Int, Float, Duration (ns); items of a List or Map; characters of a Text or Name
	Match  *regexp.Regexp
	Looks  string // Match in words
	Secret bool   // never repeated in a message
}

// Range is inclusive at both ends.
type Range struct{ Lo, Hi float64 }

// Key is one key of an Object.
type Key struct {
	Name     string
	Doc      string // one sentence for the reference page
	Schema   Schema
	Required bool
	Unless   string // Required, but not where this other key of the object stands
	Default  string // scalars only, as it would stand in the file; "" is none
	Refused  string // why this version takes no such key, "" when it does
}

// Keys makes an object.
func Keys(keys ...Key) Schema { return Schema{Kind: Object, Keys: keys} }

// Of makes a scalar of a kind.
func Of(k Kind) Schema { return Schema{Kind: k} }

// ListOf makes a list of lo to hi elements.
func ListOf(elem Schema, lo, hi int) Schema {
	return Schema{Kind: List, Elem: &elem, Range: &Range{float64(lo), float64(hi)}}
}

// MapOf makes a mapping of free keys, Int or Name, with lo to hi entries.
func MapOf(index Kind, elem Schema, lo, hi int) Schema {
	return Schema{Kind: Map, Index: index, Elem: &elem, Range: &Range{float64(lo), float64(hi)}}
}

// OneOf makes a word of a closed set.
func OneOf(words ...string) Schema { return Schema{Kind: Word, Words: words} }

// In bounds a number, or the length of a text.
func (s Schema) In(lo, hi float64) Schema {
	s.Range = &Range{lo, hi}
	return s
}

// Within bounds a duration.
func (s Schema) Within(lo, hi time.Duration) Schema { return s.In(float64(lo), float64(hi)) }

// Matching holds a text to a pattern, which looks says in words.
func (s Schema) Matching(pattern, looks string) Schema {
	return s.Formed(regexp.MustCompile(pattern), looks)
}

// Formed is Matching for a schema that is built often: the form is compiled once.
func (s Schema) Formed(form *regexp.Regexp, looks string) Schema {
	s.Match, s.Looks = form, looks
	return s
}

// Hidden keeps the value out of messages.
func (s Schema) Hidden() Schema {
	s.Secret = true
	return s
}

func (s *Schema) key(name string) *Key {
	for i := range s.Keys {
		if s.Keys[i].Name == name {
			return &s.Keys[i]
		}
	}
	return nil
}

func (s *Schema) names() []string {
	out := make([]string, len(s.Keys))
	for i := range s.Keys {
		out[i] = s.Keys[i].Name
	}
	return out
}

func (k Kind) String() string {
	names := [...]string{
		Object: "a mapping", Map: "a mapping", List: "a list", Text: "text", Name: "text", Int: "a whole number",
		Float: "a number", Bool: "true or false", Duration: "a duration such as 90s", Word: "a word",
	}
	if int(k) < len(names) && names[k] != "" {
		return names[k]
	}
	return "nothing"
}
