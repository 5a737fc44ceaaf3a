package strict

import (
	"fmt"
	"strings"
)

// Reference writes a schema as a Markdown table of keys, in the schema's order.
func Reference(s *Schema) string {
	var b strings.Builder
	b.WriteString("| key | takes | default | what |\n| --- | --- | --- | --- |\n")
	rows(&b, "", s)
	return b.String()
}

// rows writes the keys of an object and what is below them. A key with the same
// parts as those before it (a door at another side) is told in one row.
func rows(b *strings.Builder, path string, s *Schema) {
	first, shape := "", ""
	for i := range s.Keys {
		k := &s.Keys[i]
		at := join(path, k.Name)
		if parts := below("", &k.Schema); parts == "" || parts != shape {
			first, shape = at, parts
		}
		if first != at {
			fmt.Fprintf(b, "| `%s` | as `%s` | | %s |\n", at, first, cell(k.Doc))
			continue
		}
		fmt.Fprintf(b, "| `%s` | %s | %s | %s |\n", at, cell(takes(&k.Schema)), cell(fallback(k)), cell(k.Doc))
		b.WriteString(below(at, &k.Schema))
	}
}

func fallback(k *Key) string {
	switch {
	case k.Refused != "":
		return "not taken: " + k.Refused
	case k.Required && k.Unless != "":
		return "**required**, or " + "`" + k.Unless + "`"
	case k.Required:
		return "**required**"
	}
	return k.Default
}

// below is the rows of everything under a path.
func below(path string, s *Schema) string {
	var b strings.Builder
	switch s.Kind {
	case Object:
		rows(&b, path, s)
	case List:
		b.WriteString(below(path+"[]", s.Elem))
	case Map:
		b.WriteString(below(path+".*", s.Elem))
	}
	return b.String()
}

// takes says in a few words what a value may be.
func takes(s *Schema) string {
	switch s.Kind {
	case List:
		return "list of " + s.Range.text(List) + ": " + takes(s.Elem)
	case Map:
		return "mapping of " + s.Range.text(Map) + ": " + s.Index.String() + " to " + takes(s.Elem)
	case Word:
		return strings.Join(s.Words, ", ")
	case Text, Name:
		if s.Looks != "" {
			return s.Looks
		}
		if s.Range != nil {
			return "text of " + s.Range.text(Text) + " characters"
		}
	case Int, Float, Duration:
		if s.Range != nil {
			return strings.TrimSuffix(s.Kind.String(), " such as 90s") + ", " + s.Range.text(s.Kind)
		}
	}
	return s.Kind.String()
}

func cell(s string) string { return strings.ReplaceAll(s, "|", `\|`) }
