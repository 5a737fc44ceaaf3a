package building

import (
	"fmt"

	"hoistway/fsm/elevator"
)

// SidesOf reads the words for the doors of a landing; none is a front door.
func SidesOf(words []string) ([]elevator.Side, error) {
	if len(words) == 0 {
		return []elevator.Side{elevator.Front}, nil
	}
	sides := make([]elevator.Side, len(words))
	for i, w := range words {
		s, ok := elevator.ParseSide(w)
		if !ok || s == elevator.SideUnknown {
			return nil, fmt.Errorf("%q is no side of a car: front, rear, left or right", w)
		}
		sides[i] = s
	}
	return sides, nil
}
