package building

import (
	"slices"
	"testing"

	"hoistway/fsm/elevator"
)

// RD-14
func TestSidesOf(t *testing.T) {
	for _, c := range []struct {
		words []string
		want  []elevator.Side
	}{
		{nil, []elevator.Side{elevator.Front}},
		{[]string{"front", "rear"}, []elevator.Side{elevator.Front, elevator.Rear}},
	} {
		if got, err := SidesOf(c.words); err != nil || !slices.Equal(got, c.want) {
			t.Errorf("%v: %v, %v", c.words, got, err)
		}
	}
	for _, bad := range []string{"back", "", "unknown"} {
		if _, err := SidesOf([]string{"front", bad}); err == nil {
			t.Errorf("%q is taken for a side", bad)
		}
	}
}
