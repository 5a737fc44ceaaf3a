package shadow

import "encoding/json"

// sectionSize is the length of a section as [Encode] writes it; one without a field
// is not written.
func sectionSize(t Tree) int {
	if len(t) == 0 {
		return 0
	}
	if n, ok := sizeOf(t); ok {
		return n
	}
	return len(Encode(t))
}

// sizeOf counts without writing; ok is false where only writing can tell. Sections
// are measured at each change, and the order of their keys does not matter to that.
func sizeOf(v any) (n int, ok bool) {
	switch v := v.(type) {
	case nil:
		return len("null"), true
	case bool:
		if v {
			return len("true"), true
		}
		return len("false"), true
	case string:
		return len(v) + len(`""`), isPlainText(v)
	case json.Number:
		return len(v), isWhole(string(v))
	case Tree:
		return sizeOfTree(v)
	case []any:
		n = max(len("[]"), len("[")+len(v)*len(",")) // no comma behind the last, but a bracket
		for _, e := range v {
			size, ok := sizeOf(e)
			if !ok {
				return 0, false
			}
			n += size
		}
		return n, v != nil
	}
	return 0, false
}

func sizeOfTree(t Tree) (n int, ok bool) {
	n = max(len("{}"), len("{")+len(t)*len(`"":,`))
	for k, e := range t {
		size, ok := sizeOf(e)
		if !ok || !isPlainText(k) {
			return 0, false
		}
		n += len(k) + size
	}
	return n, t != nil
}
