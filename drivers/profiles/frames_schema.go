package profiles

import (
	"time"

	"hoistway/drivers/profiles/strict"
)

// hexLooks is hexForm in words.
const hexLooks = "bytes in hex such as 02 1E"

func hexBytes() strict.Schema {
	return strict.Of(strict.Name).Formed(hexForm, hexLooks).In(2, 400)
}

func fieldWords() []string {
	return []string{
		"bytes", "text", "u8", "i8", "u16be", "u16le", "i16be", "i16le", "u32be", "u32le", "i32be", "i32le",
		"bcd", "dec", "hex", "letter", "below", "bitmap",
	}
}

// framesKeys are the keys of a controller that is spoken to by frames.
func framesKeys() []strict.Key {
	number := strict.Of(strict.Int).In(-65536, 65535)
	return []strict.Key{
		{Name: "frame", Required: true, Doc: "what all frames have in common", Schema: strict.Keys(shapeKeys()...)},
		{Name: "parameters", Doc: "numbers of the site, as addresses: the link sets them by name, and a frame with others is somebody else's", Schema: strict.MapOf(strict.Name, strict.Keys(
			strict.Key{Name: "default", Required: true, Doc: "where the link says nothing", Schema: number},
			strict.Key{Name: "lowest", Default: "0", Doc: "smallest", Schema: number},
			strict.Key{Name: "highest", Default: "255", Doc: "largest", Schema: number},
		), 0, 8)},
		{Name: "heads", Doc: "fields that stand before those of each message", Schema: strict.Keys(
			strict.Key{Name: "ask", Doc: "of what we say", Schema: fieldList(1)},
			strict.Key{Name: "answer", Doc: "of what comes", Schema: fieldList(1)},
		)},
		{Name: "messages", Required: true, Doc: "what is said and heard, by names that points and commands use", Schema: strict.MapOf(strict.Name, messageSchema(), 1, 60)},
		{Name: "refusals", Doc: "how the controller says no, whatever was asked", Schema: strict.MapOf(strict.Name, refusalSchema(), 0, 20)},
	}
}

func shapeKeys() []strict.Key {
	count := func(lo, hi float64) strict.Schema { return strict.Of(strict.Int).In(lo, hi) }
	return []strict.Key{
		{Name: "start", Doc: "bytes that begin a frame", Schema: hexBytes()},
		{Name: "end", Doc: "bytes that end it", Schema: hexBytes()},
		{Name: "restart", Default: "false", Doc: "a start within a frame begins another; so it is anyway where the start is escaped", Schema: strict.Of(strict.Bool)},
		{Name: "escape", Doc: "byte to the two bytes that stand for it in the body", Schema: strict.MapOf(strict.Name, hexBytes(), 0, 16)},
		{Name: "length", Doc: "the number that says how long the frame is", Schema: strict.Keys(
			strict.Key{Name: "at", Required: true, Doc: "its offset in the frame", Schema: count(0, 64)},
			strict.Key{Name: "as", Default: "u8", Doc: "how it is written", Schema: strict.OneOf("u8", "u16be", "u16le", "dec", "hex")},
			strict.Key{Name: "width", Doc: "digits of dec and hex", Schema: count(1, 8)},
			strict.Key{Name: "from", Required: true, Doc: "offset of the first byte that it counts", Schema: count(0, 64)},
			strict.Key{Name: "to", Default: "body", Doc: "it counts to the end of the body with its padding, or of the whole frame", Schema: strict.OneOf("body", "frame")},
			strict.Key{Name: "add", Default: "0", Doc: "it says so many more than that", Schema: count(-64, 64)},
		)},
		{Name: "check", Doc: "the checksum", Schema: checkSchema()},
		{Name: "pad", Doc: "the whole is filled up to a multiple of this many bytes", Schema: count(2, 64)},
		{Name: "pad_with", Default: "0", Doc: "by this byte", Schema: count(0, 255)},
		{Name: "size", Doc: "every frame has so many bytes", Schema: count(1, 1024)},
		{Name: "most", Default: "256", Doc: "no frame is longer", Schema: count(2, 1024)},
		{Name: "gap", Doc: "silence that the controller wants between frames", Schema: strict.Of(strict.Duration).Within(0, time.Second)},
		{Name: "sequence", Doc: "range of the number of a question, in fields named sequence; it wraps", Schema: strict.Keys(
			strict.Key{Name: "first", Default: "0", Doc: "smallest", Schema: count(0, 65535)},
			strict.Key{Name: "last", Default: "255", Doc: "largest", Schema: count(0, 65535)},
		)},
		{Name: "answer_within", Doc: "its longest time to answer, where the link says nothing", Schema: strict.Of(strict.Duration).Within(10*time.Millisecond, 30*time.Second)},
		{Name: "unit", Doc: "the parameter that tells the devices of one line apart", Schema: strict.Of(strict.Name).In(1, 40)},
		{Name: "silence", Default: "5s", Doc: "the controller counts as gone when nothing good came for so long", Schema: strict.Of(strict.Duration).Within(time.Second, time.Hour)},
	}
}

func checkSchema() strict.Schema {
	word := strict.Of(strict.Int).In(0, 65535)
	return strict.Keys(
		strict.Key{Name: "algo", Required: true, Doc: "sum8 drops the carry, sum takes the remainder by mod, lrc is minus sum8", Schema: strict.OneOf("sum8", "sum", "xor", "lrc", "crc16")},
		strict.Key{Name: "form", Default: "bin", Doc: "bytes, two hex digits a byte, or decimal digits", Schema: strict.OneOf("bin", "hexascii", "decimal")},
		strict.Key{Name: "mod", Default: "256", Doc: "of sum", Schema: strict.Of(strict.Int).In(2, 65536)},
		strict.Key{Name: "poly", Default: "32773", Doc: "of crc16: the polynomial, not reflected", Schema: word},
		strict.Key{Name: "init", Default: "65535", Doc: "of crc16: what it begins with", Schema: word},
		strict.Key{Name: "xorout", Default: "0", Doc: "of crc16: what is laid over the result", Schema: word},
		strict.Key{Name: "reflect", Default: "true", Doc: "of crc16: bits are taken lowest first", Schema: strict.Of(strict.Bool)},
		strict.Key{Name: "order", Default: "le", Doc: "of crc16 in bin and hexascii: which byte comes first", Schema: strict.OneOf("le", "be")},
		strict.Key{Name: "from", Doc: "offset of the first byte that it covers; left out, the first behind the start", Schema: strict.Of(strict.Int).In(0, 64)},
		strict.Key{Name: "to", Default: "body", Doc: "it covers up to the end of the body and stands there, or covers the end bytes too and stands behind them", Schema: strict.OneOf("body", "end")},
		strict.Key{Name: "over", Default: "escaped", Doc: "it covers the bytes as they are sent, or as they were before bytes were escaped", Schema: strict.OneOf("escaped", "plain")},
		strict.Key{Name: "proof", Required: true, Doc: "what it is of given bytes, from elsewhere", Schema: strict.Keys(
			strict.Key{Name: "of", Required: true, Doc: "the bytes that are covered", Schema: hexBytes()},
			strict.Key{Name: "is", Required: true, Doc: "the checksum as it is sent", Schema: hexBytes()},
		)},
	)
}

func fieldSchema() strict.Schema {
	value := func() strict.Schema { return strict.Of(strict.Name).In(0, 200) }
	return strict.Keys(
		strict.Key{Name: "name", Doc: "what points, commands and match call it; sequence is the number of the question", Schema: strict.Of(strict.Name).Formed(nameForm, "a name in small letters").In(1, 40)},
		strict.Key{Name: "as", Default: "bytes", Doc: "how it is written; letter is A to Z for 0 to 25, below is a landing as A02 for -2, bitmap has a bit a landing", Schema: strict.OneOf(fieldWords()...)},
		strict.Key{Name: "width", Doc: "bytes; a text or decimal number without width and until is all that is left", Schema: strict.Of(strict.Int).In(1, 512)},
		strict.Key{Name: "until", Doc: "the character behind a text or number, which is no part of it", Schema: strict.Of(strict.Name).In(1, 1)},
		strict.Key{Name: "is", Doc: "what is always said, and must always come: bytes in hex, a number, a text", Schema: value()},
		strict.Key{Name: "not", Doc: "what may not come: then it is another message", Schema: value()},
		strict.Key{Name: "default", Doc: "what is said where nothing is given", Schema: value()},
		strict.Key{Name: "bits_per_landing", Default: "1", Doc: "of a bitmap: the lowest of them is the landing's", Schema: strict.Of(strict.Int).In(1, 8)},
		strict.Key{Name: "parts", Doc: "bits of a number by name, as a bit 4 or a range 0-1", Schema: strict.MapOf(strict.Name, strict.Of(strict.Name).Formed(bitsForm, "a bit such as 4 or a range such as 0-1"), 0, 32)},
	)
}

func fieldList(least int) strict.Schema { return strict.ListOf(fieldSchema(), least, 64) }

func messageSchema() strict.Schema {
	word := strict.Of(strict.Name).In(0, 100)
	names := strict.ListOf(strict.Of(strict.Name).In(1, 40), 0, 8)
	return strict.Keys(
		strict.Key{Name: "ask", Doc: "our question; absent where it comes unasked", Schema: fieldList(1)},
		strict.Key{Name: "answer", Doc: "what comes", Schema: fieldList(1)},
		strict.Key{Name: "match", Doc: "fields that the answer repeats from the question", Schema: names},
		strict.Key{Name: "unanswered", Default: "false", Doc: "the controller never answers it: what becomes of it stays unknown", Schema: strict.Of(strict.Bool)},
		strict.Key{Name: "unframed", Default: "false", Doc: "the answer may come as its fields alone, without start, checksum and end", Schema: strict.Of(strict.Bool)},
		strict.Key{Name: "unsolicited", Default: "false", Doc: "it comes unasked", Schema: strict.Of(strict.Bool)},
		strict.Key{Name: "tells", Doc: "an unsolicited message: the message whose points it feeds too, by fields of the same names", Schema: messageName()},
		strict.Key{Name: "reply", Doc: "what an unsolicited message is answered", Schema: fieldList(1)},
		strict.Key{Name: "until", Doc: "it is taken when a value that is read says so, as a bit that the device clears", Schema: strict.Keys(
			strict.Key{Name: "read", Required: true, Doc: "the message that asks for it", Schema: messageName()},
			strict.Key{Name: "of", Required: true, Doc: "its value", Schema: word},
			strict.Key{Name: "is", Required: true, Doc: "what it is in the end", Schema: word},
			strict.Key{Name: "within", Required: true, Doc: "then the command is unknown, and what it owes is paid", Schema: strict.Of(strict.Duration).Within(100*time.Millisecond, 5*time.Minute)},
			strict.Key{Name: "every", Default: "500ms", Doc: "how often it is read", Schema: strict.Of(strict.Duration).Within(50*time.Millisecond, 10*time.Second)},
		)},
		strict.Key{Name: "each", Doc: "it is asked for one landing at a time; its value lit lists those of which the lamp is lit", Schema: strict.Keys(
			strict.Key{Name: "argument", Required: true, Doc: "takes the controller's number of the landing", Schema: word},
			strict.Key{Name: "of", Required: true, Doc: "the value of the answer", Schema: word},
			strict.Key{Name: "lit", Required: true, Doc: "what it is where the lamp is lit", Schema: word},
			strict.Key{Name: "dark", Required: true, Doc: "what it is where the lamp is dark; anything else is unknown", Schema: word},
		)},
	)
}

func refusalSchema() strict.Schema {
	return strict.Keys(
		strict.Key{Name: "answer", Required: true, Doc: "what comes", Schema: fieldList(1)},
		strict.Key{Name: "match", Doc: "fields that it repeats from the question", Schema: strict.ListOf(strict.Of(strict.Name).In(1, 40), 0, 8)},
		strict.Key{Name: "unframed", Default: "false", Doc: "it comes as its fields alone, as a lone NAK", Schema: strict.Of(strict.Bool)},
		strict.Key{Name: "busy", Default: "false", Doc: "it says: not now", Schema: strict.Of(strict.Bool)},
		strict.Key{Name: "tells", Doc: "the message whose points it feeds all the same, by fields of the same names", Schema: messageName()},
		strict.Key{Name: "code", Required: true, Doc: "the field that says why, or the code itself where no field does", Schema: strict.Of(strict.Name).In(1, 40)},
	)
}
