package profiles

import (
	"time"

	"hoistway/drivers/profiles/strict"
)

// writeSchema is one write of a command.
func writeSchema() strict.Schema {
	wait := strict.Of(strict.Duration).Within(10*time.Millisecond, 10*time.Second)
	value := strict.Of(strict.Name).Formed(valueForm, "a number of 0 to 65535, wire, to_wire, wire_bit, to_wire_bit or seconds")
	return strict.Keys(
		strict.Key{Name: "table", Default: "holding", Doc: "Modbus table", Schema: strict.OneOf("holding", "coil")},
		strict.Key{Name: "address", Required: true, Doc: "counted from base", Schema: address()},
		strict.Key{Name: "plus", Doc: "added to the address: one output a landing", Schema: strict.OneOf("wire", "to_wire")},
		strict.Key{Name: "value", Required: true, Unless: "values", Doc: "what is written: a number, wire, to_wire, wire_bit (bit 0 is wire 1), to_wire_bit or seconds", Schema: value},
		strict.Key{Name: "values", Doc: "instead of value: several items from the address on, in one write", Schema: strict.ListOf(value, 2, 123)},
		strict.Key{Name: "multi", Default: "false", Doc: "function 15 or 16 even for one item", Schema: strict.Of(strict.Bool)},
		strict.Key{Name: "raw", Default: "false", Doc: "the value of a coil goes out as it is, for devices whose on is not 0xFF00 or whose value is a time", Schema: strict.Of(strict.Bool)},
		strict.Key{Name: "mask", Doc: "only these bits are the write's: the register is read, changed in them and written; the value counts from the lowest of them", Schema: strict.Of(strict.Int).In(1, 0xFFFF)},
		strict.Key{Name: "only_changed", Default: "false", Doc: "read first, and not written where it stands there already", Schema: strict.Of(strict.Bool)},
		strict.Key{Name: "pause", Doc: "silence after it", Schema: wait},
		strict.Key{Name: "pulse", Doc: "after so long the value of release is written, as a debt that outlives a lost line", Schema: wait},
		strict.Key{Name: "release", Default: "0", Doc: "what ends the pulse or the level", Schema: strict.Of(strict.Int).In(0, 65535)},
		strict.Key{Name: "owed", Default: "false", Doc: "the write ends what one before it began: a debt", Schema: strict.Of(strict.Bool)},
		strict.Key{Name: "may_close", Default: "false", Doc: "its release may start a door closing, so that it is never written by itself", Schema: strict.Of(strict.Bool)},
		strict.Key{Name: "level", Doc: "the value is held: written again and again, until another write of the same level, or for so long", Schema: strict.Keys(
			strict.Key{Name: "name", Required: true, Doc: "levels of one name end each other", Schema: strict.Of(strict.Name).In(1, 40)},
			strict.Key{Name: "refresh", Doc: "how often; without it this write only ends the level", Schema: strict.Of(strict.Duration).Within(100*time.Millisecond, time.Minute)},
			strict.Key{Name: "for", Doc: "how long at most", Schema: strict.Of(strict.Duration).Within(time.Second, time.Hour)},
		)},
		strict.Key{Name: "cleared", Doc: "a trigger that the device clears when it has taken it: read again until then", Schema: strict.Keys(
			strict.Key{Name: "within", Required: true, Doc: "by then or it is not known what became of it", Schema: strict.Of(strict.Duration).Within(50*time.Millisecond, 30*time.Second)},
			strict.Key{Name: "every", Default: "100ms", Doc: "how often it is read", Schema: strict.Of(strict.Duration).Within(20*time.Millisecond, 5*time.Second)},
			strict.Key{Name: "to", Default: "0", Doc: "what it then reads as", Schema: strict.Of(strict.Int).In(0, 65535)},
		)},
	)
}

// writesKey is how a command is said to a map of registers.
func writesKey() strict.Key {
	return strict.Key{Name: "writes", Required: true, Doc: "in this order", Schema: strict.ListOf(writeSchema(), 1, 8)}
}

func commandKeys(how strict.Key) []strict.Key {
	return []strict.Key{
		how,
		{Name: "gate", Doc: "states that must be seen, all of them, or the command is refused before a byte is sent", Schema: strict.ListOf(conditionSchema(), 1, 8)},
		{Name: "confirm", Doc: "states that prove that it was taken, where the answer leaves that open", Schema: strict.Keys(
			strict.Key{Name: "seen", Required: true, Doc: "all of them, read after it was sent", Schema: strict.ListOf(conditionSchema(), 1, 8)},
			strict.Key{Name: "within", Default: "2s", Doc: "how long it is waited for", Schema: strict.Of(strict.Duration).Within(100*time.Millisecond, time.Minute)},
		)},
		{Name: "ttl", Doc: "never sent later than this after it was asked for", Schema: strict.Of(strict.Duration).Within(100*time.Millisecond, 10*time.Minute)},
		{Name: "may_close", Default: "false", Doc: "it can start a door closing", Schema: strict.Of(strict.Bool)},
	}
}

// conditionSchema is a state of the lift that a command needs or brings.
func conditionSchema() strict.Schema {
	return strict.Keys(
		strict.Key{Name: "point", Required: true, Doc: "of the profile; door is the door of the command's side", Schema: strict.OneOf(conditionNames()...)},
		strict.Key{Name: "is", Required: true, Doc: "one of these: words of the point; for a floor or calls wire and to_wire, the command's landings, or controller's numbers", Schema: strict.ListOf(strict.Of(strict.Name).In(1, 40), 1, 16)},
		strict.Key{Name: "max_age", Default: "2s", Doc: "seen no longer ago", Schema: strict.Of(strict.Duration).Within(100*time.Millisecond, time.Minute)},
	)
}

func holdSchema(how strict.Key) strict.Schema {
	return strict.Keys(append(commandKeys(how),
		strict.Key{Name: "longest", Doc: "most that one hold may ask; needed where seconds are written", Schema: strict.Of(strict.Duration).Within(time.Second, 10*time.Minute)},
		strict.Key{Name: "dies_after", Doc: "the device ends a hold by itself after at most this", Schema: strict.Of(strict.Duration).Within(time.Second, 10*time.Minute)},
		strict.Key{Name: "no_end", Default: "false", Doc: "the device never ends a hold by itself; the site must say why it accepts that", Schema: strict.Of(strict.Bool)},
	)...)
}

// commandsSchema lists what can be asked; how is the key that says a command.
func commandsSchema(how func() strict.Key) strict.Schema {
	said := how() // one for all: a schema is only read
	c := func() strict.Schema { return strict.Keys(commandKeys(said)...) }
	h := func() strict.Schema { return holdSchema(said) }
	return strict.Keys(
		strict.Key{Name: "landing_call", Doc: "the buttons at a landing", Schema: strict.Keys(
			strict.Key{Name: "up", Doc: "upwards", Schema: c()},
			strict.Key{Name: "down", Doc: "downwards", Schema: c()},
		)},
		strict.Key{Name: "car_call", Doc: "the buttons in the car", Schema: c()},
		strict.Key{Name: "journey", Doc: "one call from a landing to another", Schema: c()},
		strict.Key{Name: "cancel_landing_call", Doc: "takes the calls at a landing back", Schema: c()},
		strict.Key{Name: "cancel_car_call", Doc: "takes a car call back", Schema: c()},
		strict.Key{Name: "cancel_journey", Doc: "takes a journey call back", Schema: c()},
		strict.Key{Name: "hold", Doc: "keeps a door open", Schema: sides(h, "door")},
		strict.Key{Name: "lapse", Doc: "ends a hold now", Schema: sides(c, "door")},
		strict.Key{Name: "claim", Doc: "asks for the car", Schema: c()},
		strict.Key{Name: "give_back", Doc: "returns the car", Schema: c()},
		strict.Key{Name: "notify", Doc: "tells what the robot did", Schema: strict.Keys(
			strict.Key{Name: "entered", Doc: "it is in", Schema: c()},
			strict.Key{Name: "left", Doc: "it is out", Schema: c()},
			strict.Key{Name: "gave_up_entering", Doc: "it stays out", Schema: c()},
			strict.Key{Name: "gave_up_leaving", Doc: "it stays in", Schema: c()},
		)},
	)
}
