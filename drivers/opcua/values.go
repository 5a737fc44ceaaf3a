package opcua

import (
	"fmt"
	"math"
	"reflect"

	"github.com/gopcua/opcua/ua"

	"hoistway/drivers"
	"hoistway/drivers/profiles"
)

// plain turns a value of a node into what a profile's place is looked up in.
func plain(v any) any {
	switch v := v.(type) {
	case nil:
		return nil
	case bool, string:
		return v
	case *ua.LocalizedText:
		return v.Text
	case float32:
		return float64(v)
	case float64:
		return v
	}
	r := reflect.ValueOf(v)
	switch {
	case r.CanInt():
		return int(r.Int())
	case r.CanUint() && r.Uint() <= math.MaxInt64:
		return int(r.Uint())
	case r.CanUint():
		return float64(r.Uint())
	case r.Kind() == reflect.Slice && r.Len() <= 4096:
		out := make([]any, r.Len())
		for i := range out {
			out[i] = plain(r.Index(i).Interface())
		}
		return out
	}
	return struct{}{} // no value that a profile could name
}

// typeNames are the words of profiles for the built-in types.
func typeNames() map[string]ua.TypeID {
	return map[string]ua.TypeID{
		"bool": ua.TypeIDBoolean, "sbyte": ua.TypeIDSByte, "byte": ua.TypeIDByte, "int16": ua.TypeIDInt16, "uint16": ua.TypeIDUint16,
		"int32": ua.TypeIDInt32, "uint32": ua.TypeIDUint32, "int64": ua.TypeIDInt64, "uint64": ua.TypeIDUint64,
		"float": ua.TypeIDFloat, "double": ua.TypeIDDouble, "string": ua.TypeIDString,
	}
}

// fits reports whether a value is of the type that the profile says.
func fits(v *ua.Variant, want string) bool {
	return want == "" || v.Type() == typeNames()[want]
}

// variant makes a value of a type to be written.
func variant(kind string, r profiles.Raw) (*ua.Variant, error) {
	v, err := typed(kind, r)
	if err != nil {
		return nil, err
	}
	return ua.NewVariant(v)
}

func typed(kind string, r profiles.Raw) (any, error) {
	switch kind {
	case "string":
		return r.Word(), nil
	case "bool":
		if n, ok := r.Whole(); r.Kind == profiles.RawBool || ok && (n == 0 || n == 1) {
			return r.Int == 1 || n == 1, nil
		}
	case "float", "double":
		if f, ok := r.Number(); ok && kind == "double" {
			return f, nil
		} else if ok && math.Abs(f) <= math.MaxFloat32 {
			return float32(f), nil
		}
	default:
		if n, ok := r.Whole(); ok {
			return whole(kind, n)
		}
	}
	return nil, fmt.Errorf("%w: %q is no %s", drivers.ErrConfig, r.Word(), kind)
}

func whole(kind string, n int64) (any, error) {
	bounds := map[string][2]int64{
		"sbyte": {math.MinInt8, math.MaxInt8}, "byte": {0, math.MaxUint8}, "int16": {math.MinInt16, math.MaxInt16},
		"uint16": {0, math.MaxUint16}, "int32": {math.MinInt32, math.MaxInt32}, "uint32": {0, math.MaxUint32},
		"int64": {math.MinInt64, math.MaxInt64}, "uint64": {0, math.MaxInt64},
	}
	b, ok := bounds[kind]
	if !ok || n < b[0] || n > b[1] {
		return nil, fmt.Errorf("%w: %d is no %s", drivers.ErrConfig, n, kind)
	}
	switch kind {
	case "sbyte":
		return int8(n), nil
	case "byte":
		return uint8(n), nil
	case "int16":
		return int16(n), nil
	case "uint16":
		return uint16(n), nil
	case "int32":
		return int32(n), nil
	case "uint32":
		return uint32(n), nil
	case "uint64":
		return uint64(n), nil
	}
	return n, nil
}
