package profiles

import (
	"maps"
	"slices"
	"time"

	"hoistway/drivers/profiles/strict"
)

// Protocols lists the words of the key protocol: modbus is a map of registers, the
// others speak by messages that the profile names.
func Protocols() []string {
	return append([]string{"modbus"}, slices.Sorted(maps.Keys(sections()))...)
}

// Schema is what a profile of a protocol may hold; an unknown protocol reads as the
// first.
func Schema(protocol string) strict.Schema {
	own := registerKeys
	if talks(protocol) {
		own = func() []strict.Key { return append(talkKeys(), sections()[protocol].keys()...) }
	}
	return strict.Keys(slices.Concat(headKeys(), own(), []strict.Key{
		{Name: "implied", Doc: "what follows from another value on this controller", Schema: strict.ListOf(strict.OneOf(openStopped), 0, 1)},
	})...)
}

func talks(protocol string) bool { _, ok := sections()[protocol]; return ok }

// section is what a protocol of messages adds to a profile: the keys that say how its
// messages are said and heard, and how they are read. read names each message in
// builder.messages.
type section struct {
	keys func() []strict.Key
	read func(b *builder, root *strict.Value)
}

func sections() map[string]section {
	return map[string]section{
		"http":   {httpKeys, (*builder).http},
		"opcua":  {nodesKeys, (*builder).nodes},
		"pubsub": {topicsKeys, (*builder).topics},
		"socket": {socketKeys, (*builder).socket},
		"frames": {framesKeys, (*builder).frameSection},
	}
}

func headKeys() []strict.Key {
	fact := strict.Of(strict.Text).In(1, 400)
	return []strict.Key{
		{
			Name: "id", Required: true, Doc: "maker and model, as a configuration names the profile",
			Schema: strict.Of(strict.Text).Formed(idForm, "an id such as maker/model in small letters").In(3, 64),
		},
		{Name: "title", Required: true, Doc: "what a person calls it", Schema: strict.Of(strict.Text).In(1, 120)},
		{Name: "notes", Doc: "where the facts come from, what is odd", Schema: strict.Of(strict.Text).In(0, 4000)},
		{Name: "maturity", Default: "draft", Doc: "draft: read only, never used for calls; bench: proven by frames from elsewhere; field: and on a real site", Schema: strict.OneOf("draft", "bench", "field")},
		{
			Name: "extends", Doc: "the profile that this one changes, by its id; mappings are joined key by key, what else stands here replaces what stands there",
			Schema: strict.Of(strict.Text).In(3, 64),
		},
		{Name: "remove", Doc: "what of the extended profile is not so here, as points.vendor or errors.7", Schema: strict.ListOf(strict.Of(strict.Text).In(1, 100), 1, 50)},
		{Name: "covers", Doc: "other names of the same equipment", Schema: strict.ListOf(strict.Of(strict.Text).In(1, 80), 1, 20)},
		{Name: "requires", Doc: "what the installer must have or set first", Schema: strict.ListOf(fact, 0, 20)},
		{Name: "caveats", Doc: "what is known not to work, or not sure", Schema: strict.ListOf(fact, 0, 40)},
		{Name: "protocol", Required: true, Doc: "how the controller is spoken to", Schema: strict.OneOf(Protocols()...)},
		{Name: "ride", Required: true, Doc: "what a ride must know", Schema: rideSchema()},
		{Name: "wire", Doc: "the controller's own numbers of landings", Schema: strict.Keys(
			strict.Key{Name: "lowest", Default: "0", Doc: "smallest number that it takes", Schema: strict.Of(strict.Int).In(-32768, 65535)},
			strict.Key{Name: "highest", Default: "65535", Doc: "largest number that it takes", Schema: strict.Of(strict.Int).In(-32768, 65535)},
		)},
		{Name: "poll", Doc: "how often points are read", Schema: strict.Keys(
			strict.Key{Name: "fast", Default: "200ms", Doc: "period of the fast points", Schema: strict.Of(strict.Duration).Within(50*time.Millisecond, 5*time.Second)},
			strict.Key{Name: "slow", Default: "2s", Doc: "period of the slow points", Schema: strict.Of(strict.Duration).Within(200*time.Millisecond, time.Minute)},
		)},
	}
}

// registerKeys are those of a controller that is a map of registers.
func registerKeys() []strict.Key {
	return []strict.Key{
		{Name: "limits", Doc: "what the device can take", Schema: limitsSchema()},
		{Name: "base", Doc: "which number this file's addresses give to the first item of a table: 0 as on the wire, 1, or 40001 and its like as manuals print", Schema: baseSchema()},
		{Name: "order", Default: "ABCD", Doc: "how the bytes of a value follow each other, A is the highest: BADC swaps the bytes of each register, CDAB the two registers of 32 bits, DCBA both", Schema: orders()},
		{Name: "match", Doc: "what a device of this kind answers to reads; a hint for who looks for it", Schema: strict.ListOf(matchSchema(), 0, 8)},
		{Name: "points", Required: true, Doc: "what can be read", Schema: pointsSchema()},
		{Name: "commands", Doc: "what can be asked; absent is read only", Schema: commandsSchema(writesKey)},
		{Name: "errors", Doc: "the controller's own codes", Schema: strict.MapOf(strict.Int, errorSchema(), 0, 500)},
	}
}

// openStopped is the fact that a fully open door means a standing car.
const openStopped = "open_implies_stopped"

func rideSchema() strict.Schema {
	return strict.Keys(
		strict.Key{Name: "style", Required: true, Doc: "how calls are made", Schema: strict.OneOf("landing+car", "journey", "car-only", "level")},
		strict.Key{Name: "confirm", Required: true, Doc: "the strongest proof of a taken call", Schema: strict.OneOf("ack", "lamp", "state", "none")},
		strict.Key{Name: "toggles", Default: "false", Doc: "a second press cancels the first", Schema: strict.Of(strict.Bool)},
		strict.Key{Name: "accept_within", Default: "5s", Doc: "a call is confirmed by then or not at all", Schema: strict.Of(strict.Duration).Within(100*time.Millisecond, time.Minute)},
		strict.Key{Name: "blind", Default: "false", Doc: "nothing is told before a claim is granted: the car is claimed unread", Schema: strict.Of(strict.Bool)},
		strict.Key{Name: "claim_within", Default: "30s", Doc: "a claim is granted by then or not at all", Schema: strict.Of(strict.Duration).Within(100*time.Millisecond, 10*time.Minute)},
	)
}

func limitsSchema() strict.Schema {
	return strict.Keys(
		strict.Key{Name: "max_read", Default: "125", Doc: "registers in one read", Schema: strict.Of(strict.Int).In(1, 125)},
		strict.Key{Name: "max_read_bits", Default: "2000", Doc: "coils or inputs in one read", Schema: strict.Of(strict.Int).In(1, 2000)},
		strict.Key{Name: "holes", Default: "0", Doc: "unused items that a read may run over; 0 where the device refuses undefined addresses", Schema: strict.Of(strict.Int).In(0, 120)},
		strict.Key{Name: "max_write", Default: "123", Doc: "registers in one write", Schema: strict.Of(strict.Int).In(1, 123)},
		strict.Key{Name: "max_write_bits", Default: "1968", Doc: "coils in one write", Schema: strict.Of(strict.Int).In(1, 1968)},
		strict.Key{Name: "ranges", Doc: "what the device answers to: a point lies in one range, no read runs over the end of one", Schema: rangesSchema()},
		strict.Key{Name: "functions", Doc: "the function codes that the device has; a profile that needs another is refused", Schema: strict.ListOf(strict.Of(strict.Int).In(1, 127), 1, 20)},
		strict.Key{Name: "unit_echo", Default: "same", Doc: "any: over TCP an answer may carry another unit's number, as some gateways do", Schema: strict.OneOf("same", "any")},
		strict.Key{Name: "reply_timeout", Doc: "longest time to answer, where the link does not say it", Schema: strict.Of(strict.Duration).Within(10*time.Millisecond, 30*time.Second)},
		strict.Key{Name: "min_spacing", Doc: "least time between an answer and the next question to this device", Schema: strict.Of(strict.Duration).Within(time.Millisecond, time.Second)},
		strict.Key{Name: "turnaround", Doc: "how long the device rests after an answer; a question in that time is lost", Schema: strict.Of(strict.Duration).Within(time.Millisecond, time.Second)},
		strict.Key{Name: "connections", Doc: "how many connections it takes at once; never more than one is made", Schema: strict.Of(strict.Int).In(1, 64)},
		strict.Key{Name: "heartbeat", Doc: "a write that keeps the device's watchdog quiet", Schema: strict.Keys(
			strict.Key{Name: "table", Default: "holding", Doc: "Modbus table", Schema: strict.OneOf("holding", "coil")},
			strict.Key{Name: "address", Required: true, Doc: "counted from base", Schema: address()},
			strict.Key{Name: "value", Required: true, Doc: "what is written", Schema: strict.Of(strict.Int).In(0, 65535)},
			strict.Key{Name: "multi", Default: "false", Doc: "function 15 or 16", Schema: strict.Of(strict.Bool)},
			strict.Key{Name: "every", Required: true, Doc: "well below what the device waits", Schema: strict.Of(strict.Duration).Within(50*time.Millisecond, 10*time.Minute)},
		)},
		strict.Key{Name: "write_spacing", Default: "0s", Doc: "silence after each write", Schema: strict.Of(strict.Duration).Within(0, 5*time.Second)},
	)
}

func orders() strict.Schema { return strict.OneOf("ABCD", "BADC", "CDAB", "DCBA") }

// address is a number as the manual counts it; base says from where.
func address() strict.Schema { return strict.Of(strict.Int).In(0, 400001+65535) }

func baseSchema() strict.Schema {
	first := strict.Of(strict.Name).Formed(baseForm, "0, 1, 10001, 30001, 40001, 100001, 300001 or 400001")
	var keys []strict.Key
	for _, t := range allTables() {
		keys = append(keys, strict.Key{Name: t.String(), Default: "0", Doc: "first number of the table " + t.String(), Schema: first})
	}
	return strict.Keys(keys...)
}

func matchSchema() strict.Schema {
	return strict.Keys(
		strict.Key{Name: "table", Default: "holding", Doc: "Modbus table", Schema: tableWords()},
		strict.Key{Name: "address", Doc: "the item that is read", Schema: address()},
		strict.Key{Name: "equals", Doc: "one of these values", Schema: strict.ListOf(strict.Of(strict.Int).In(0, 65535), 1, 32)},
		strict.Key{Name: "identity", Doc: "instead: an object of the device identification, 0 maker, 1 product, 2 version", Schema: strict.Of(strict.Int).In(0, 255)},
		strict.Key{Name: "text", Doc: "the object's text begins with it", Schema: strict.Of(strict.Text).In(1, 80)},
	)
}

func tableWords() strict.Schema { return strict.OneOf("input", "holding", "discrete", "coil") }

func errorSchema() strict.Schema {
	return strict.Keys(
		strict.Key{Name: "advice", Required: true, Doc: "what the code means for a ride", Schema: strict.OneOf("none", "retry", "wait", "config")},
		strict.Key{Name: "text", Required: true, Doc: "what the code means for a person", Schema: strict.Of(strict.Text).In(1, 200)},
		strict.Key{
			Name: "refuses_call", Default: "never", Schema: strict.OneOf("never", "new", "last"),
			Doc: "whether it refuses an acknowledged call of which the next reading shows the lamp dark: never; new, if that code did not stand there before the write; last, even if it did, where a taken call clears it",
		},
	)
}

func rangesSchema() strict.Schema {
	var keys []strict.Key
	for _, t := range allTables() {
		keys = append(keys, strict.Key{
			Name: t.String(), Doc: "first and last address of each range",
			Schema: strict.ListOf(strict.ListOf(address(), 2, 2), 1, 100),
		})
	}
	return strict.Keys(keys...)
}
