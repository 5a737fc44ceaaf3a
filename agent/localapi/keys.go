package localapi

import (
	"reflect"
	"slices"
	"strings"
)

// keysOf collects the JSON names of a shape by path: "sees_door/side".
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
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		keys[prefix+name] = true
		collect(f.Type, prefix+name+"/", keys)
	}
}

// siblings lists the keys that are known beside one another under a prefix.
func siblings(known map[string]bool, prefix string) string {
	var names []string
	for key := range known {
		rest, under := strings.CutPrefix(key, prefix)
		if under && !strings.Contains(rest, "/") {
			names = append(names, rest)
		}
	}
	slices.Sort(names)
	return strings.Join(names, ", ")
}
