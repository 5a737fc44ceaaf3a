package profiles

import (
	"time"

	"hoistway/drivers/profiles/strict"
)

// pushKey says how a service over HTTP brings messages by itself.
func pushKey() strict.Key {
	return strict.Key{Name: "push", Doc: "messages that the service brings by itself. A place is one of the document, or header:NAME, query:NAME, or raw:body for the bytes", Schema: strict.Keys(
		strict.Key{Name: "types", Doc: "content types; application/json if nothing is said", Schema: strict.ListOf(strict.Of(strict.Name).In(3, 80), 1, 8)},
		strict.Key{Name: "verify", Required: true, Doc: "how a message proves its sender", Schema: verifySchema()},
		strict.Key{Name: "check", Doc: "how the service checks the address; answered at the door, never kept", Schema: strict.ListOf(pushCheckSchema(), 1, 4)},
		strict.Key{Name: "answer", Doc: "what a message is answered, beside status 200", Schema: strict.Keys(
			strict.Key{Name: "type", Default: "application/json", Doc: "its content type", Schema: strict.Of(strict.Name).In(3, 80)},
			strict.Key{Name: "text", Default: "{}", Doc: "the whole answer", Schema: strict.Of(strict.Name).In(0, 400)},
		)},
		strict.Key{Name: "id", Doc: "place of the message's id, by which a second one is known", Schema: pathSchema()},
		strict.Key{Name: "event", Doc: "place of the time of what a message tells, not of its sending", Schema: pathSchema()},
		strict.Key{Name: "unit", Default: "ms", Doc: "of that time, since 1970", Schema: strict.OneOf("ms", "s")},
		strict.Key{Name: "ours", Doc: "a message of this lift: each place has one of its values; others are foreign", Schema: whereSchema()},
		strict.Key{Name: "attach", Doc: "the word that the subscription gave along and that comes back", Schema: strict.Keys(
			strict.Key{Name: "at", Required: true, Doc: "its place", Schema: pathSchema()},
			strict.Key{Name: "is", Required: true, Doc: "what it must be", Schema: slotText()},
		)},
		strict.Key{Name: "messages", Required: true, Doc: "the messages by their names; points may be taken from those of the class values", Schema: strict.MapOf(strict.Name, pushMessageSchema(), 1, 100)},
		strict.Key{Name: "silence", Default: "15m", Doc: "without a message or a reading for so long the lift counts as gone", Schema: strict.Of(strict.Duration).Within(5*time.Second, 24*time.Hour)},
		strict.Key{Name: "subscribe", Doc: "what is asked at each start so that messages come", Schema: strict.ListOf(strict.Keys(
			strict.Key{Name: "request", Required: true, Doc: "a request of the profile; it must name the site's own lift", Schema: messageName()},
			strict.Key{Name: "renew", Default: "24h", Doc: "and again after so long", Schema: strict.Of(strict.Duration).Within(time.Minute, 30*24*time.Hour)},
			strict.Key{Name: "check", Doc: "a request whose good answer shows that the subscription stands", Schema: messageName()},
		), 1, 10)},
		strict.Key{Name: "repair", Doc: "how what never came is made good", Schema: strict.Keys(
			strict.Key{Name: "every", Default: "5m", Doc: "every source is read anew so often", Schema: strict.Of(strict.Duration).Within(10*time.Second, 24*time.Hour)},
			strict.Key{Name: "failed", Doc: "the messages that could not be brought", Schema: fetchSchema()},
			strict.Key{Name: "window", Default: "12h", Doc: "how long the service keeps them; after a longer gap only a full read counts", Schema: strict.Of(strict.Duration).Within(time.Minute, 30*24*time.Hour)},
		)},
		strict.Key{Name: "queue", Doc: "a message queue of the service that is asked beside the pushes", Schema: fetchSchema()},
		strict.Key{Name: "state", Doc: "whether the service still pushes", Schema: strict.Keys(
			strict.Key{Name: "request", Required: true, Doc: "a request that tells", Schema: messageName()},
			strict.Key{Name: "on", Required: true, Doc: "its answer where it pushes", Schema: whereSchema()},
			strict.Key{Name: "every", Default: "2m", Doc: "it is asked so often", Schema: strict.Of(strict.Duration).Within(10*time.Second, 24*time.Hour)},
		)},
		strict.Key{Name: "enable", Doc: "a request that has a suspended push go on", Schema: messageName()},
		strict.Key{Name: "suspends_after", Default: "30m", Doc: "so long after its notice the service suspends the push", Schema: strict.Of(strict.Duration).Within(time.Minute, 24*time.Hour)},
		strict.Key{Name: "steps", Doc: "what a person does to have a suspended push go on", Schema: strict.ListOf(strict.Of(strict.Text).In(1, 200), 1, 20)},
		strict.Key{Name: "fails_within", Default: "3s", Doc: "a command that a message of the class failures refuses is refused by then", Schema: strict.Of(strict.Duration).Within(100*time.Millisecond, 8*time.Second)},
		strict.Key{Name: "confirmed", Doc: "what the vendor has confirmed of delivery, order, retries and limits", Schema: strict.ListOf(strict.Of(strict.Text).In(1, 300), 0, 40)},
	)}
}

func pathSchema() strict.Schema { return strict.Of(strict.Name).In(1, maxPlaceLen) }

func verifySchema() strict.Schema {
	window := strict.Of(strict.Duration).Within(time.Second, 24*time.Hour)
	return strict.Keys(
		strict.Key{Name: "kind", Required: true, Doc: "sorted_md5: the fields by their names, a=1&b=2, the secret behind them, in small letters, MD5; hmac_sha256: over declared parts; token: a word that only the service knows; none: only where the link says unsigned=accepted", Schema: strict.OneOf("sorted_md5", "hmac_sha256", "token", "none")},
		strict.Key{Name: "secret", Doc: "of the signature", Schema: slotText()},
		strict.Key{Name: "signature", Doc: "its place", Schema: pathSchema()},
		strict.Key{Name: "fields", Doc: "sorted_md5: what is signed, by name, with its place", Schema: strict.MapOf(strict.Name, pathSchema(), 1, 20)},
		strict.Key{Name: "over", Doc: "hmac_sha256: the parts in their order: places, or =TEXT", Schema: strict.ListOf(strict.Of(strict.Name).In(1, maxPlaceLen), 1, 20)},
		strict.Key{Name: "as", Default: "hex", Doc: "hmac_sha256: how the digest is written", Schema: strict.OneOf("hex", "base64")},
		strict.Key{Name: "prefix", Doc: "hmac_sha256: what stands before the digest", Schema: strict.Of(strict.Name).In(1, 40)},
		strict.Key{Name: "token", Doc: "a word that must be right", Schema: strict.Keys(
			strict.Key{Name: "at", Required: true, Doc: "its place", Schema: pathSchema()},
			strict.Key{Name: "is", Required: true, Doc: "what it must be, a secret", Schema: slotText()},
		)},
		strict.Key{Name: "time", Doc: "when it was signed", Schema: strict.Keys(
			strict.Key{Name: "at", Required: true, Doc: "its place", Schema: pathSchema()},
			strict.Key{Name: "unit", Default: "ms", Doc: "since 1970", Schema: strict.OneOf("ms", "s")},
			strict.Key{Name: "window", Default: "5m", Doc: "farther from our clock it is refused", Schema: window},
		)},
		strict.Key{Name: "nonce", Doc: "place of a word that does not come twice", Schema: pathSchema()},
	)
}

func pushCheckSchema() strict.Schema {
	return strict.Keys(
		strict.Key{Name: "method", Default: "POST", Doc: "how it comes", Schema: strict.OneOf("GET", "POST")},
		strict.Key{Name: "when", Required: true, Doc: "it is a check where each place has one of its values; * is any", Schema: whereSchema()},
		strict.Key{Name: "echo", Doc: "place of a word that is answered", Schema: pathSchema()},
		strict.Key{Name: "type", Default: "text/plain", Doc: "content type of the answer", Schema: strict.OneOf("text/plain", "application/json")},
		strict.Key{Name: "text", Default: "$echo", Doc: "the answer; $echo in it is the word, in a document written as JSON has it", Schema: strict.Of(strict.Name).In(0, 400)},
	)
}

func fetchSchema() strict.Schema {
	return strict.Keys(
		strict.Key{Name: "request", Required: true, Doc: "a request that brings messages; it needs nothing of a command", Schema: messageName()},
		strict.Key{Name: "at", Required: true, Doc: "place of their list in its answer", Schema: pathSchema()},
		strict.Key{Name: "every", Default: "1m", Doc: "a queue is asked so often", Schema: strict.Of(strict.Duration).Within(100*time.Millisecond, time.Hour)},
		strict.Key{Name: "message", Doc: "place of the message in an element; it may be a text that holds a document", Schema: pathSchema()},
		strict.Key{Name: "taken", Doc: "a request that says they are taken, once they are kept", Schema: messageName()},
	)
}

func pushMessageSchema() strict.Schema {
	return strict.Keys(
		strict.Key{Name: "class", Required: true, Doc: "values; failures: a control that failed; life: what the service says of the lift's connection", Schema: strict.OneOf("values", "failures", "life")},
		strict.Key{Name: "where", Required: true, Doc: "it is this message where each place has one of its values", Schema: whereSchema()},
		strict.Key{Name: "event", Doc: "place of its inner time, where it is another than of the others", Schema: pathSchema()},
		strict.Key{Name: "says", Doc: "values: place of a source that a point is taken from, and the place here of the same value", Schema: strict.MapOf(strict.Name, pathSchema(), 1, 40)},
		strict.Key{Name: "ours", Doc: "failures: where the control was ours", Schema: whereSchema()},
		strict.Key{Name: "code", Doc: "failures: place of the vendor's code", Schema: pathSchema()},
		strict.Key{Name: "text", Doc: "failures: place of what it says for people", Schema: pathSchema()},
		strict.Key{Name: "echo", Doc: "failures: place of what a value of the command was", Schema: pathSchema()},
		strict.Key{Name: "echoes", Doc: "failures: the value's name", Schema: wordName()},
		strict.Key{Name: "means", Default: "other", Doc: "life: whether the lift is there", Schema: strict.OneOf("offline", "online", "other")},
	)
}
