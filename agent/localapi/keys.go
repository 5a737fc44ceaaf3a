package localapi

import (
	"reflect"
	"slices"
	"strings"
)

// keysOf collects the JSON names of a shape by path: "sees_door/side". True: the
// key must be there, with a value, wherever the object around it is.
func keysOf(t reflect.Type) map[string]bool {
	keys := make(map[string]bool)
	collect(t, "", keys)
	return keys
}

func collect(t reflect.Type, prefix string, keys map[string]bool) {
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if t.Kind() != reflect.Struct {
		return
	}
	for i := range t.NumField() {
		f := t.Field(i)
		if !f.IsExported() {
			continue // it only carries words for the OpenAPI page
		}
		name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		keys[prefix+name] = options != "omitempty"
		collect(f.Type, prefix+name+"/", keys)
	}
}

// siblings are the keys that are known beside one another under a prefix, sorted.
func siblings(known map[string]bool, prefix string) []string {
	var names []string
	for key := range known {
		rest, under := strings.CutPrefix(key, prefix)
		if under && !strings.Contains(rest, "/") {
			names = append(names, rest)
		}
	}
	slices.Sort(names)
	return names
}

// lacking is the first key under a prefix that must be there and has no value, or "".
func lacking(known, told map[string]bool, prefix string) string {
	for _, name := range siblings(known, prefix) {
		if known[prefix+name] && !told[prefix+name] {
			return prefix + name
		}
	}
	return ""
}
