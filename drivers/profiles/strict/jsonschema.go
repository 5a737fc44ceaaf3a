package strict

// JSONSchema is a schema in the words of JSON Schema, for editors: a tree that
// encoding/json writes. It says less than Read checks.
func JSONSchema(s *Schema) map[string]any {
	out := map[string]any{}
	switch s.Kind {
	case Object:
		jsonObject(out, s)
	case Map:
		out["type"], out["additionalProperties"] = "object", JSONSchema(s.Elem)
		if s.Index == Int {
			out["propertyNames"] = map[string]any{"pattern": "^-?(0|[1-9][0-9]*|0x[0-9a-fA-F]+)$"}
		}
		bounds(out, s, "minProperties", "maxProperties")
	case List:
		out["type"], out["items"] = "array", JSONSchema(s.Elem)
		bounds(out, s, "minItems", "maxItems")
	case Text:
		out["type"] = "string"
		bounds(out, s, "minLength", "maxLength")
	case Name:
		out["type"] = []string{"string", "number", "boolean"} // 7 and 3E1 are names too
	case Int:
		out["type"] = "integer"
		bounds(out, s, "minimum", "maximum")
	case Float:
		out["type"] = "number"
		bounds(out, s, "minimum", "maximum")
	case Bool:
		out["type"] = "boolean"
	case Duration:
		out["type"], out["pattern"] = "string", "^([0-9]+(\\.[0-9]+)?(ms|s|m|h))+$"
	case Word:
		out["enum"] = s.Words
	}
	if s.Match != nil && s.Kind == Text {
		out["pattern"] = s.Match.String()
	}
	return out
}

func jsonObject(out map[string]any, s *Schema) {
	properties, either := map[string]any{}, []any{}
	var required []string
	for i := range s.Keys {
		k := &s.Keys[i]
		if k.Refused != "" {
			continue
		}
		p := JSONSchema(&k.Schema)
		p["description"] = k.Doc
		properties[k.Name] = p
		switch {
		case k.Required && k.Unless != "":
			either = append(either, map[string]any{"anyOf": []any{
				map[string]any{"required": []string{k.Name}}, map[string]any{"required": []string{k.Unless}},
			}})
		case k.Required:
			required = append(required, k.Name)
		}
	}
	out["type"], out["properties"], out["additionalProperties"] = "object", properties, false
	if len(required) > 0 {
		out["required"] = required
	}
	if len(either) > 0 {
		out["allOf"] = either
	}
}

func bounds(out map[string]any, s *Schema, lo, hi string) {
	if s.Range != nil {
		out[lo], out[hi] = s.Range.Lo, s.Range.Hi
	}
}
