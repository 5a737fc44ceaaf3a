package profiles

import (
	"slices"
	"time"

	"hoistway/drivers/profiles/strict"
	"hoistway/fsm/elevator"
)

// talkKeys are those of a controller that is spoken to by messages with names.
func talkKeys() []strict.Key {
	value := strict.Of(strict.Name).In(0, 100)
	return []strict.Key{
		{Name: "sides", Doc: "the controller's own words for the doors, as $side says them", Schema: sides(func() strict.Schema { return value }, "word for")},
		{Name: "directions", Doc: "the controller's own words for the directions, as $direction says them", Schema: strict.Keys(
			strict.Key{Name: "up", Doc: "upwards", Schema: value},
			strict.Key{Name: "down", Doc: "downwards", Schema: value},
		)},
		{Name: "points", Required: true, Doc: "what can be read", Schema: toldSchema()},
		{Name: "commands", Doc: "what can be asked; absent is read only", Schema: commandsSchema(sendKey)},
		{Name: "errors", Doc: "the controller's own codes, as they come", Schema: strict.MapOf(strict.Name, errorSchema(), 0, 500)},
	}
}

// sendKey is how a command is said by messages.
func sendKey() strict.Key {
	wait := strict.Of(strict.Duration).Within(10*time.Millisecond, 10*time.Second)
	return strict.Key{Name: "send", Required: true, Doc: "in this order", Schema: strict.ListOf(strict.Keys(
		strict.Key{Name: "message", Required: true, Doc: "a message of the profile, by its name", Schema: messageName()},
		strict.Key{
			Name: "with", Doc: "its arguments: a value, or one of the command: $wire, $to_wire, $label, $to_label, $seconds, $side, $to_side, $direction, $ride, $id, $n",
			Schema: strict.MapOf(strict.Name, strict.Of(strict.Name).In(0, 200), 0, 30),
		},
		strict.Key{Name: "pause", Doc: "silence after it", Schema: wait},
		strict.Key{Name: "owed", Default: "false", Doc: "it ends what one before it began: a debt", Schema: strict.Of(strict.Bool)},
		strict.Key{Name: "may_close", Default: "false", Doc: "it may start a door closing, so that it is never owed: said in its turn, or not at all", Schema: strict.Of(strict.Bool)},
	), 1, 8)}
}

func messageName() strict.Schema {
	return strict.Of(strict.Name).Formed(nameForm, "a name in small letters").In(1, 40)
}

// fromKeys say where a value comes from.
func fromKeys() []strict.Key {
	return []strict.Key{
		{
			Name: "from", Required: true, Doc: "the message, by its name, and after a dot the place in it",
			Schema: strict.Of(strict.Name).Formed(fromForm, "message.place").In(1, 200),
		},
		{Name: "poll", Default: "fast", Doc: "how often", Schema: strict.OneOf("fast", "slow")},
	}
}

func toldPoint(more ...strict.Key) strict.Schema { return strict.Keys(append(fromKeys(), more...)...) }

func toldEnum(required bool, words ...string) strict.Schema {
	known := slices.DeleteFunc(slices.Clone(words), func(w string) bool { return w == "unknown" })
	return toldPoint(strict.Key{
		Name: "enum", Required: required, Doc: "value as it comes to word; a value that is not named is unknown",
		Schema: strict.MapOf(strict.Name, strict.OneOf(known...), 1, 256),
	})
}

func toldNumber() strict.Schema {
	wide := strict.Of(strict.Float).In(-1e9, 1e9)
	return toldPoint(
		strict.Key{Name: "min", Doc: "smallest value as it comes that is believed", Schema: wide},
		strict.Key{Name: "max", Doc: "largest value as it comes that is believed", Schema: wide},
		strict.Key{Name: "scale", Default: "1", Doc: "value times this", Schema: strict.Of(strict.Float).In(-1e6, 1e6)},
		strict.Key{Name: "add", Default: "0", Doc: "plus this", Schema: wide},
	)
}

func floorsAs() strict.Key {
	return strict.Key{Name: "as", Default: "wire", Doc: "landings come as the controller's numbers, or as the labels of the floor table", Schema: strict.OneOf("wire", "label")}
}

func toldSchema() strict.Schema {
	calls := func() strict.Schema {
		return toldPoint(floorsAs(), strict.Key{Name: "first", Default: "1", Doc: "controller's number of the landing of bit 0, where they come as bits of a number; else they are a list", Schema: strict.Of(strict.Int).In(-32768, 65535)})
	}
	alarm := func() strict.Schema { return toldEnum(false, "no", "yes") }
	doors := func() strict.Schema { return toldEnum(true, elevator.DoorNames()...) }
	return strict.Keys(
		strict.Key{Name: "floor", Doc: "the landing; what is outside the floor table is unknown", Schema: toldPoint(floorsAs())},
		strict.Key{Name: "motion", Doc: "what the car does", Schema: toldEnum(true, elevator.MotionNames()...)},
		strict.Key{Name: "door", Doc: "state of the doors by side", Schema: sides(doors, "door")},
		strict.Key{Name: "mode", Doc: "operating mode", Schema: toldEnum(true, elevator.ModeNames()...)},
		strict.Key{Name: "position", Doc: "mm above the lowest landing", Schema: toldNumber()},
		strict.Key{Name: "load", Doc: "kg in the car", Schema: toldNumber()},
		strict.Key{Name: "vendor", Doc: "controller's own error code, a number, kept as it comes", Schema: toldNumber()},
		strict.Key{Name: "overload", Doc: "too much in the car", Schema: alarm()},
		strict.Key{Name: "nudging", Doc: "door closes by force", Schema: alarm()},
		strict.Key{Name: "obstruction", Doc: "something stands in the door", Schema: alarm()},
		strict.Key{Name: "emergency_stop", Doc: "stopped by hand", Schema: alarm()},
		strict.Key{Name: "may_enter", Doc: "the controller lets a robot in now", Schema: alarm()},
		strict.Key{Name: "may_leave", Doc: "the controller lets a robot out now", Schema: alarm()},
		strict.Key{Name: "claimed", Doc: "the car is in the robots' hand", Schema: alarm()},
		strict.Key{Name: "up_calls", Doc: "landing calls upwards that are registered", Schema: calls()},
		strict.Key{Name: "down_calls", Doc: "landing calls downwards that are registered", Schema: calls()},
		strict.Key{Name: "car_calls", Doc: "car calls that are registered", Schema: calls()},
		strict.Key{Name: "hold_left", Doc: "seconds left of a door hold, as the device counts them", Schema: sides(toldNumber, "hold")},
	)
}
