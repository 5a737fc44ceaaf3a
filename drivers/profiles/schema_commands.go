package profiles

import (
	"time"

	"hoistway/drivers/profiles/strict"
)

// writeSchema is one write of a command.
func writeSchema() strict.Schema {
	wait := strict.Of(strict.Duration).Within(10*time.Millisecond, 10*time.Second)
	return strict.Keys(
		strict.Key{Name: "table", Default: "holding", Doc: "Modbus table", Schema: strict.OneOf("holding", "coil")},
		strict.Key{Name: "address", Required: true, Doc: "protocol address, from 0", Schema: strict.Of(strict.Int).In(0, 65535)},
		strict.Key{Name: "plus", Doc: "added to the address: one output a landing", Schema: strict.OneOf("wire", "to_wire")},
		strict.Key{
			Name: "value", Required: true, Doc: "what is written: a number, wire, to_wire, wire_bit (bit 0 is wire 1) or seconds",
			Schema: strict.Of(strict.Name).Matching(`^(wire|to_wire|wire_bit|seconds|0|[1-9][0-9]{0,4}|0x[0-9a-fA-F]{1,4})$`, "a number of 0 to 65535, wire, to_wire, wire_bit or seconds"),
		},
		strict.Key{Name: "multi", Default: "false", Doc: "function 15 or 16 even for one item", Schema: strict.Of(strict.Bool)},
		strict.Key{Name: "pause", Doc: "silence after it", Schema: wait},
		strict.Key{Name: "pulse", Doc: "after so long the value of release is written, as a debt that outlives a lost line", Schema: wait},
		strict.Key{Name: "release", Default: "0", Doc: "what ends the pulse", Schema: strict.Of(strict.Int).In(0, 65535)},
		strict.Key{Name: "owed", Default: "false", Doc: "the write ends what one before it began: a debt", Schema: strict.Of(strict.Bool)},
	)
}

// writesKey is how a command is said to a map of registers.
func writesKey() strict.Key {
	return strict.Key{Name: "writes", Required: true, Doc: "in this order", Schema: strict.ListOf(writeSchema(), 1, 8)}
}

func commandKeys(how strict.Key) []strict.Key {
	return []strict.Key{
		how,
		{Name: "may_close", Default: "false", Doc: "it can start a door closing", Schema: strict.Of(strict.Bool)},
	}
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
	c := func() strict.Schema { return strict.Keys(commandKeys(how())...) }
	h := func() strict.Schema { return holdSchema(how()) }
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
