package fsm

import (
	"reflect"
	"strings"
	"testing"
)

// RD-11: two rides that differ in any one field but the car, however deep, are not the same;
// equal texts in different places are, and what is known of the car counts for nothing.
func TestSame(t *testing.T) {
	r, c := keptRide(Boarding)
	r.Why = "the door is open"
	twin := r
	if !Same(&r, &twin) {
		t.Error("a copy is another ride")
	}
	twin.Why, twin.Car = strings.Clone(r.Why), c
	if !Same(&r, &twin) {
		t.Error("a copy with a copied text and another reading of the car is another ride")
	}
	twin.Car = r.Car
	leaves := 0
	eachLeaf(reflect.ValueOf(&twin).Elem(), "Ride", func(name string, v reflect.Value) {
		if strings.HasPrefix(name, "Ride.Car.") {
			return
		}
		leaves++
		was := reflect.New(v.Type()).Elem()
		was.Set(v)
		another(v)
		if Same(&r, &twin) || r == twin {
			t.Errorf("%s does not count", name)
		}
		v.Set(was)
	})
	if leaves < 120 || r != twin {
		t.Errorf("%d fields looked at", leaves)
	}
	if of := reflect.TypeFor[Ride](); of.Field(of.NumField()-1).Name != "Car" {
		t.Error("the car is not the last field: what follows it would not be compared")
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
