package strict

import (
	"encoding/json"
	"strings"
	"testing"
)

// What stands twice is told once, whatever it is described as; what stands once stays.
func TestShare(t *testing.T) {
	door := func(doc string) map[string]any {
		return map[string]any{"type": "object", "description": doc, "properties": map[string]any{
			"open":  map[string]any{"type": "string", "pattern": strings.Repeat("a", 80)},
			"close": map[string]any{"type": "string", "pattern": strings.Repeat("b", 80)},
		}}
	}
	got := Share(map[string]any{"title": "t", "anyOf": []any{
		map[string]any{"type": "object", "properties": map[string]any{"front": door("one"), "rear": door("two"), "n": map[string]any{"type": "integer"}}},
		map[string]any{"type": "array", "items": door("three")},
	}})
	b, err := json.Marshal(got)
	if err != nil {
		t.Fatal(err)
	}
	text := string(b)
	if strings.Count(text, strings.Repeat("a", 80)) != 1 || strings.Count(text, `"$ref":"#/$defs/s1"`) != 3 {
		t.Error(text)
	}
	for _, want := range []string{`"front":{"$ref":"#/$defs/s1","description":"one"}`, `"description":"three"`, `"n":{"type":"integer"}`, `"title":"t"`} {
		if !strings.Contains(text, want) {
			t.Errorf("no %s in %s", want, text)
		}
	}
}
