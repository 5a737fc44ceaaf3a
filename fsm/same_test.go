package fsm

import (
	"reflect"
	"strings"
	"testing"
)

// RD-11: two rides that differ in any one field, however deep, are not the same, and equal
// texts in different places are.
func TestSame(t *testing.T) {
	r, c := keptRide(Boarding)
	r.Car, r.Why = c, "the door is open"
	twin := r
	if !Same(&r, &twin) {
		t.Error("a copy is another ride")
	}
	twin.Why = strings.Clone(r.Why)
	if !Same(&r, &twin) {
		t.Error("a copy with a copied text is another ride")
	}
	leaves := 0
	eachLeaf(reflect.ValueOf(&twin).Elem(), "Ride", func(name string, v reflect.Value) {
		leaves++
		was := reflect.New(v.Type()).Elem()
		was.Set(v)
		another(v)
		if Same(&r, &twin) || r == twin {
			t.Errorf("%s does not count", name)
		}
		v.Set(was)
	})
	if leaves < 150 || r != twin {
		t.Errorf("%d fields looked at", leaves)
	}
}

func eachLeaf(v reflect.Value, name string, see func(string, reflect.Value)) {
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			eachLeaf(v.Field(i), name+"."+v.Type().Field(i).Name, see)
		}
	case reflect.Array:
		for i := range v.Len() {
			eachLeaf(v.Index(i), name+"[]", see)
		}
	default:
		see(name, v)
	}
}

// another changes a value.
func another(v reflect.Value) {
	switch {
	case v.CanInt():
		v.SetInt(v.Int() + 1)
	case v.CanUint():
		v.SetUint(v.Uint() + 1)
	case v.CanFloat():
		v.SetFloat(v.Float() + 1)
	case v.Kind() == reflect.Bool:
		v.SetBool(!v.Bool())
	default:
		v.SetString(v.String() + "x")
	}
}
