package fsm

import (
	"reflect"
	"testing"

	"hoistway/fsm/elevator"
)

// RD-11: a ride of another process keeps every time left; none is forgotten.
func TestRebaseMovesEveryInstant(t *testing.T) {
	var r Ride
	n := instants(reflect.ValueOf(&r).Elem(), func(at *elevator.Instant) { *at = 100 })
	if n < 20 {
		t.Fatalf("only %d instants found", n)
	}
	moved := Rebase(r, -40)
	instants(reflect.ValueOf(&moved).Elem(), func(at *elevator.Instant) {
		if *at != 60 {
			t.Errorf("an instant is %d after the move, want 60", *at)
		}
	})
}

func TestRebaseKeepsNeverAndPassed(t *testing.T) {
	r := Ride{Deadline: 7, Since: 3}
	moved := Rebase(r, -7)
	if moved.Expires != 0 {
		t.Errorf("never became %d", moved.Expires)
	}
	if moved.Deadline == 0 || !moved.Deadline.Reached(1) || !moved.Since.Reached(1) {
		t.Errorf("deadline %d, since %d: what has passed must stay passed", moved.Deadline, moved.Since)
	}
}

// instants visits every instant of a ride but those of its reading, which is never
// stored.
func instants(v reflect.Value, visit func(*elevator.Instant)) int {
	if at, ok := v.Addr().Interface().(*elevator.Instant); ok {
		visit(at)
		return 1
	}
	n := 0
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Type().Field(i).Name != "Car" {
				n += instants(v.Field(i), visit)
			}
		}
	case reflect.Array:
		for i := range v.Len() {
			n += instants(v.Index(i), visit)
		}
	}
	return n
}
