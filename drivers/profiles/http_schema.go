package profiles

import (
	"time"

	"hoistway/drivers/profiles/strict"
)

// wordName is a name that a site, a command or a message gives to a value.
func wordName() strict.Schema {
	return messageName()
}

func slotText() strict.Schema { return strict.Of(strict.Name).In(0, 400) }

func slotsSchema() strict.Schema { return strict.MapOf(strict.Name, slotText(), 0, 40) }

// whereSchema is a condition on a document: each place has one of its values.
func whereSchema() strict.Schema {
	return strict.MapOf(strict.Name, strict.ListOf(strict.Of(strict.Name).In(0, 100), 1, 40), 1, 10)
}

func within(fallback string) strict.Key {
	return strict.Key{Name: "within", Default: fallback, Doc: "the whole answer is there by then", Schema: strict.Of(strict.Duration).Within(100*time.Millisecond, 10*time.Minute)}
}

func reads() strict.Key {
	return strict.Key{Name: "reads", Default: "false", Doc: "it moves nothing, so a technician may ask it though no point is read from it", Schema: strict.Of(strict.Bool)}
}

// serviceKeys are what services over HTTP and over sockets have in common.
func serviceKeys(kinds ...string) []strict.Key {
	return []strict.Key{
		{Name: "params", Doc: "what the link of a lift must say after its ?; messages say it as $name", Schema: strict.MapOf(strict.Name, strict.Keys(
			strict.Key{Name: "doc", Required: true, Doc: "what it is and where the installer finds it", Schema: strict.Of(strict.Text).In(1, 200)},
			strict.Key{Name: "default", Doc: "where the link does not say it", Schema: strict.Of(strict.Name).In(0, 200)},
		), 0, 20)},
		{Name: "secrets", Doc: "what the link's file of secrets must hold; messages say it as $name", Schema: strict.MapOf(strict.Name, strict.Keys(
			strict.Key{Name: "doc", Required: true, Doc: "what it is and who gives it", Schema: strict.Of(strict.Text).In(1, 200)},
		), 0, 20)},
		{Name: "auth", Doc: "how we show who we are", Schema: authSchema(kinds...)},
		{Name: "signs", Doc: "signatures; messages say them as $name", Schema: strict.MapOf(strict.Name, signSchema(), 0, 10)},
	}
}

func authSchema(kinds ...string) strict.Schema {
	slot := slotText()
	return strict.Keys(
		strict.Key{Name: "kind", Required: true, Doc: "static: a header; bearer, basic: as HTTP has them; login: a token that a request gives; oauth2: client credentials", Schema: strict.OneOf(kinds...)},
		strict.Key{Name: "header", Default: "Authorization", Doc: "static: its name", Schema: strict.Of(strict.Name).Formed(headerForm, "the name of a header").In(1, 60)},
		strict.Key{Name: "value", Doc: "static, bearer: what it says", Schema: slot},
		strict.Key{Name: "user", Doc: "basic: the name; oauth2: the client's id", Schema: slot},
		strict.Key{Name: "password", Doc: "basic, oauth2: the secret", Schema: slot},
		strict.Key{Name: "url", Doc: "oauth2: where tokens are given, a path of the service or a whole https address", Schema: slot},
		strict.Key{Name: "scope", Doc: "oauth2: what the token is for", Schema: slot},
		strict.Key{Name: "request", Doc: "login: the request that gives the token", Schema: messageName()},
		strict.Key{Name: "token", Default: "access_token", Doc: "login: where the token stands in the answer", Schema: strict.Of(strict.Name).In(1, maxPlaceLen)},
		strict.Key{Name: "lasts", Doc: "login: where the answer says for how many seconds it is good", Schema: strict.Of(strict.Name).In(1, maxPlaceLen)},
		strict.Key{Name: "lifetime", Default: "1h", Doc: "how long a token is good, where the answer does not say", Schema: strict.Of(strict.Duration).Within(time.Minute, 90*24*time.Hour)},
		strict.Key{Name: "renew", Default: "1m", Doc: "so long before its end a new one is fetched", Schema: strict.Of(strict.Duration).Within(time.Second, 24*time.Hour)},
		strict.Key{Name: "bearer", Default: "true", Doc: "login, oauth2: the token goes along as a bearer; else only where a message says $token", Schema: strict.Of(strict.Bool)},
	)
}

func signSchema() strict.Schema {
	return strict.Keys(
		strict.Key{Name: "by", Required: true, Doc: "the digest", Schema: strict.OneOf("md5", "sha1", "sha256", "hmac_md5", "hmac_sha1", "hmac_sha256")},
		strict.Key{Name: "key", Doc: "of the hmac ones", Schema: slotText()},
		strict.Key{Name: "sorted", Doc: "the fields of the form or of the query come first, by their names, signatures left out", Schema: strict.OneOf("form", "query")},
		strict.Key{Name: "pair", Default: "=", Doc: "between a field's name and its value", Schema: strict.Of(strict.Name).In(0, 4)},
		strict.Key{Name: "between", Doc: "between the sorted fields, or else between the parts", Schema: strict.Of(strict.Name).In(0, 4)},
		strict.Key{Name: "over", Doc: "the parts in their order: a text, or $name; beside what messages have, $method, $path, $path_query, $body, $body_sha256, $body_md5", Schema: strict.ListOf(slotText(), 0, 20)},
		strict.Key{Name: "as", Default: "hex", Doc: "how the digest is written", Schema: strict.OneOf("hex", "hex_upper", "base64")},
	)
}

// answerKeys say what counts as an answer.
func answerKeys() []strict.Key {
	status := func() strict.Schema { return strict.ListOf(strict.Of(strict.Int).In(100, 599), 1, 20) }
	return []strict.Key{
		{Name: "ok", Doc: "what a good answer is; all of it must hold", Schema: strict.Keys(
			strict.Key{Name: "status", Doc: "200 if nothing is said", Schema: status()},
			strict.Key{Name: "types", Doc: "content types; application/json if nothing is said", Schema: strict.ListOf(strict.Of(strict.Name).Formed(typeForm, "a content type").In(3, 80), 1, 8)},
			strict.Key{Name: "where", Doc: "places of the document, and the values of which each has one", Schema: whereSchema()},
		)},
		{Name: "sealed", Doc: "the document is encrypted within the answer", Schema: strict.Keys(
			strict.Key{Name: "by", Required: true, Doc: "as in encrypt", Schema: strict.OneOf("aes_ecb")},
			strict.Key{Name: "key", Required: true, Doc: "what it is encrypted with", Schema: slotText()},
			strict.Key{Name: "at", Required: true, Doc: "where it stands", Schema: strict.Of(strict.Name).In(1, maxPlaceLen)},
		)},
		{Name: "errors", Doc: "answers that are a clear no, tried in this order before ok", Schema: strict.ListOf(strict.Keys(
			strict.Key{Name: "status", Doc: "one of these", Schema: status()},
			strict.Key{Name: "where", Doc: "and the document so", Schema: whereSchema()},
			strict.Key{Name: "as", Required: true, Doc: "busy: later; config: never, as it is set up; device: a failure of its own; refused: a no; auth: who we are is not believed", Schema: strict.OneOf("busy", "config", "device", "refused", "auth")},
		), 1, 40)},
		{Name: "code", Doc: "where the vendor's own code stands in a bad answer", Schema: strict.Of(strict.Name).In(1, maxPlaceLen)},
		{Name: "text", Doc: "where it says for people what is wrong", Schema: strict.Of(strict.Name).In(1, maxPlaceLen)},
	}
}

// httpKeys are those of a service over HTTP.
func httpKeys() []strict.Key {
	return []strict.Key{{Name: "http", Required: true, Doc: "how the service is asked", Schema: strict.Keys(append(serviceKeys("none", "static", "bearer", "basic", "login", "oauth2"),
		strict.Key{Name: "headers", Doc: "of every request", Schema: slotsSchema()},
		strict.Key{Name: "answer", Doc: "what counts as an answer, where a request does not say it itself", Schema: strict.Keys(answerKeys()...)},
		strict.Key{Name: "rate", Doc: "what the service lets one account ask", Schema: strict.Keys(
			strict.Key{Name: "requests", Default: "600", Doc: "so many", Schema: strict.Of(strict.Int).In(1, 100_000)},
			strict.Key{Name: "per", Default: "1m", Doc: "in so long", Schema: strict.Of(strict.Duration).Within(time.Second, 24*time.Hour)},
			strict.Key{Name: "reserve", Default: "2", Doc: "of them polls leave so many to commands", Schema: strict.Of(strict.Int).In(0, 1000)},
		)},
		strict.Key{Name: "requests", Required: true, Doc: "each by its name", Schema: strict.MapOf(strict.Name, requestSchema(), 1, 60)},
		pushKey(),
	)...)}}
}

func requestSchema() strict.Schema {
	return strict.Keys(append([]strict.Key{
		{Name: "method", Doc: "POST where there is a body, else GET", Schema: strict.OneOf("GET", "POST", "PUT", "PATCH", "DELETE")},
		{Name: "path", Required: true, Doc: "below the link's own; a part of it may be $name", Schema: strict.Of(strict.Name).Formed(pathForm, "a path that begins with /").In(1, 300)},
		{Name: "query", Doc: "after the ?", Schema: slotsSchema()},
		{Name: "headers", Doc: "of this request", Schema: slotsSchema()},
		{Name: "form", Doc: "the body as a form", Schema: slotsSchema()},
		{Name: "json", Doc: "the body as a JSON document; a text $name in it stands for the value, $name:text and $name:int for it as a text or whole number", Schema: strict.Of(strict.Name).In(1, 4000)},
		{Name: "encrypt", Doc: "the document goes into the form, as $encrypted", Schema: strict.Keys(
			strict.Key{Name: "by", Required: true, Doc: "aes_ecb: AES, key filled up with zero bytes to 16 or 32, PKCS #7, base64", Schema: strict.OneOf("aes_ecb")},
			strict.Key{Name: "key", Required: true, Doc: "what it is encrypted with", Schema: slotText()},
		)},
		within("5s"), reads(),
	}, answerKeys()...)...)
}
