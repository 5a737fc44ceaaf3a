package profiles

import (
	"slices"
	"time"

	"hoistway/drivers/profiles/strict"
	"hoistway/fsm/elevator"
)

// place lists the keys that say where a point is.
func placeKeys() []strict.Key {
	return []strict.Key{
		{Name: "table", Default: "input", Doc: "Modbus table", Schema: tableWords()},
		{Name: "address", Required: true, Unless: "bits", Doc: "its address, counted from base", Schema: address()},
		{Name: "poll", Default: "fast", Doc: "how often", Schema: strict.OneOf("fast", "slow")},
		{Name: "max_age", Doc: "a value that is older is no longer believed", Schema: strict.Of(strict.Duration).Within(100*time.Millisecond, 10*time.Minute)},
	}
}

// fieldKeys adds the keys that cut a value out of registers.
func fieldKeys() []strict.Key {
	return append(placeKeys(),
		strict.Key{Name: "type", Default: "u16", Doc: "width and sign of the raw value", Schema: strict.OneOf("u16", "i16", "u32", "i32")},
		strict.Key{Name: "order", Doc: "of this point, where it differs from the profile's", Schema: orders()},
		strict.Key{Name: "sentinel", Doc: "raw values by which the device says that it does not know: a failed reading", Schema: strict.ListOf(strict.Of(strict.Int).In(-2147483648, 4294967295), 1, 16)},
		strict.Key{Name: "bits", Doc: "instead of address: the bits that the raw value is put together from, the first as bit 0, read at once", Schema: strict.ListOf(strict.Keys(
			strict.Key{Name: "address", Required: true, Doc: "counted from base", Schema: address()},
			strict.Key{Name: "bit", Doc: "of a register; without it the register is 0 or 1, and anything else a failed reading", Schema: strict.Of(strict.Int).In(0, 15)},
		), 2, 32)},
		strict.Key{Name: "mask", Doc: "bits that count; the value is shifted down to them", Schema: strict.Of(strict.Int).In(1, 0xFFFFFFFF)},
		strict.Key{Name: "bit", Doc: "the one bit that counts, from 0", Schema: strict.Of(strict.Int).In(0, 31)},
	)
}

func fieldPoint(more ...strict.Key) strict.Schema {
	return strict.Keys(append(fieldKeys(), more...)...)
}

// enumPoint takes raw values by name. A raw value without a name is unknown.
func enumPoint(required bool, words ...string) strict.Schema {
	known := slices.DeleteFunc(slices.Clone(words), func(w string) bool { return w == "unknown" })
	known = append(known, brokenWord)
	return fieldPoint(strict.Key{
		Name: "enum", Required: required, Doc: "raw value to word; a raw value that is not named is unknown, error is one that no working device gives: a failed reading",
		Schema: strict.MapOf(strict.Int, strict.OneOf(known...), 1, 256),
	}, strict.Key{Name: "else", Doc: "what a raw value that is not named means, instead of unknown", Schema: strict.OneOf(known...)})
}

// brokenWord names a raw value that cannot be.
const brokenWord = "error"

func triPoint() strict.Schema { return enumPoint(false, "no", "yes") }

func rangeKeys() []strict.Key {
	wide := strict.Of(strict.Int).In(-2147483648, 4294967295)
	return []strict.Key{
		{Name: "min", Doc: "smallest raw value that is believed", Schema: wide},
		{Name: "max", Doc: "largest raw value that is believed", Schema: wide},
	}
}

func numberPoint() strict.Schema {
	keys := append(rangeKeys(),
		strict.Key{Name: "scale", Default: "1", Doc: "raw value times this", Schema: strict.Of(strict.Float).In(-1e6, 1e6)},
		strict.Key{Name: "add", Default: "0", Doc: "plus this", Schema: strict.Of(strict.Float).In(-1e9, 1e9)},
	)
	return fieldPoint(keys...)
}

// setPoint takes calls as bits: in registers by type, in coils and inputs by count.
func setPoint() strict.Schema {
	return strict.Keys(append(placeKeys(),
		strict.Key{Name: "type", Default: "u16", Doc: "width of the set in registers", Schema: strict.OneOf("u16", "u32")},
		strict.Key{Name: "order", Doc: "of this point, where it differs from the profile's", Schema: orders()},
		strict.Key{Name: "active", Default: "high", Doc: "low: a bit that is 0 is a call", Schema: strict.OneOf("high", "low")},
		strict.Key{Name: "count", Default: "16", Doc: "width of the set in coils or inputs", Schema: strict.Of(strict.Int).In(1, elevator.MaxFloors)},
		strict.Key{Name: "first", Default: "1", Doc: "controller's number of the landing of bit 0", Schema: strict.Of(strict.Int).In(-32768, 65535)},
	)...)
}

func sides(s func() strict.Schema, what string) strict.Schema {
	var keys []strict.Key
	for _, n := range elevator.SideNames()[1:] {
		keys = append(keys, strict.Key{Name: n, Doc: what + " " + n, Schema: s()})
	}
	return strict.Keys(keys...)
}

// floorPoint takes the landing as a number, or one signal for each.
func floorPoint() strict.Schema {
	modes := slices.DeleteFunc(slices.Clone(elevator.ModeNames()), func(w string) bool { return w == "unknown" })
	return fieldPoint(
		strict.Key{Name: "one_hot", Doc: "each bit is a landing, and one of them is set; two at once are a failed reading", Schema: strict.Keys(
			strict.Key{Name: "none", Default: "unknown", Doc: "what no bit at all means", Schema: strict.OneOf("unknown", brokenWord)},
			strict.Key{Name: "none_in", Doc: "modes in which the controller shows no landing, so that none is no error", Schema: strict.ListOf(strict.OneOf(modes...), 1, 16)},
		)},
		strict.Key{Name: "count", Default: "16", Doc: "one_hot in coils or inputs: how many", Schema: strict.Of(strict.Int).In(2, elevator.MaxFloors)},
		strict.Key{Name: "first", Default: "1", Doc: "one_hot: controller's number of the landing of bit 0", Schema: strict.Of(strict.Int).In(-32768, 65535)},
		strict.Key{Name: "active", Default: "high", Doc: "one_hot, low: a bit that is 0 is the landing", Schema: strict.OneOf("high", "low")},
	)
}

func pointsSchema() strict.Schema {
	door := func() strict.Schema { return enumPoint(true, elevator.DoorNames()...) }
	left := func() strict.Schema { return fieldPoint(rangeKeys()...) }
	return strict.Keys(
		strict.Key{Name: "floor", Doc: "controller's number of the landing; a number outside the floor table is unknown", Schema: floorPoint()},
		strict.Key{Name: "motion", Doc: "what the car does", Schema: enumPoint(true, elevator.MotionNames()...)},
		strict.Key{Name: "door", Doc: "state of the doors by side", Schema: sides(door, "door")},
		strict.Key{Name: "mode", Doc: "operating mode", Schema: enumPoint(true, elevator.ModeNames()...)},
		strict.Key{Name: "position", Doc: "mm above the lowest landing", Schema: numberPoint()},
		strict.Key{Name: "load", Doc: "kg in the car", Schema: numberPoint()},
		strict.Key{Name: "vendor", Doc: "controller's own error code, kept as it comes", Schema: fieldPoint()},
		strict.Key{Name: "overload", Doc: "too much in the car", Schema: triPoint()},
		strict.Key{Name: "nudging", Doc: "door closes by force", Schema: triPoint()},
		strict.Key{Name: "obstruction", Doc: "something stands in the door", Schema: triPoint()},
		strict.Key{Name: "emergency_stop", Doc: "stopped by hand", Schema: triPoint()},
		strict.Key{Name: "may_enter", Doc: "the controller lets a robot in now", Schema: triPoint()},
		strict.Key{Name: "may_leave", Doc: "the controller lets a robot out now", Schema: triPoint()},
		strict.Key{Name: "claimed", Doc: "the car is in the robots' hand", Schema: triPoint()},
		strict.Key{Name: "up_calls", Doc: "landing calls upwards that are registered", Schema: setPoint()},
		strict.Key{Name: "down_calls", Doc: "landing calls downwards that are registered", Schema: setPoint()},
		strict.Key{Name: "car_calls", Doc: "car calls that are registered", Schema: setPoint()},
		strict.Key{Name: "hold_left", Doc: "seconds left of a door hold, as the device counts them; more than the longest hold is not believed", Schema: sides(left, "hold")},
	)
}
