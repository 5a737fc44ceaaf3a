package daemon

import (
	"reflect"
	"testing"

	"hoistway/agent/config"
	"hoistway/sync/shadow"
)

// SH-19, OP-7: which lifts stand in for each other is a static fact, told at registration.
func TestGroupsAreTold(t *testing.T) {
	got := groups([]config.Lift{{ID: "L1", Group: "G1"}, {ID: "L2", Group: "G1"}, {ID: "L3", Group: "L3"}})
	if want := (shadow.Tree{"G1": []any{"L1", "L2"}, "L3": []any{"L3"}}); !reflect.DeepEqual(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}
