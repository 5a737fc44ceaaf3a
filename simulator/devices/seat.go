package devices

import (
	"errors"
	"fmt"
)

// Seat is a lift's place on a wire.
type Seat struct {
	Car     string
	Unit    uint8 // 1 to 247 or 255, one a wire
	Manners Manners
	Face    Face  // nil: the map of the bench lift
	Wants   Wants // of the bench lift
}

// seated makes the units of a wire. A lift may sit on several wires, and even
// twice on one.
func seated(w *World, seats []Seat) ([]*Unit, error) {
	if len(seats) == 0 {
		return nil, errors.New("a wire without a lift")
	}
	var units []*Unit
	for _, s := range seats {
		if find(units, s.Unit) != nil {
			return nil, fmt.Errorf("lift %q: unit id %d is taken on this wire", s.Car, s.Unit)
		}
		u, err := newUnit(w, s)
		if err == nil {
			err = u.Behave(s.Manners)
		}
		if err != nil {
			return nil, err
		}
		units = append(units, u)
	}
	return units, nil
}

func find(units []*Unit, id uint8) *Unit {
	for _, u := range units {
		if u.id == id {
			return u
		}
	}
	return nil
}
