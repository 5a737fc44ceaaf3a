package shadow

import (
	"crypto/ed25519"
	"encoding/base64"
	"slices"
)

// maxSigned is how long an operator's signature may be good for, in seconds.
const maxSigned = 60

// Operator is a person or a desk whose signature releases what only a signature may.
type Operator struct {
	Name string
	Key  ed25519.PublicKey // 32 bytes
}

// SignedBytes is what an operator signs, with Ed25519: the canonical JSON of these five
// members, keys sorted and without spaces. path is shadow/field of a desired value (name
// empty for the classic shadow: /field) or commands/{cmd} of a command; value is the
// field's value or the command's args; exp is in epoch seconds.
func SignedBytes(serial, id, path string, value any, exp int64) []byte {
	return Encode(Tree{"exp": num(exp), "id": id, "path": path, "serial": serial, "value": value})
}

// Signature is one as it came: the operator's name, the end of its time in epoch
// seconds, and the signature itself.
type Signature struct {
	Key string
	Exp int64
	Sig []byte
}

// ParseSignature reads {"key", "exp", "sig"} with sig in standard base64; ok is false when
// a member is missing or is no such value. exp may stand elsewhere, as it does in a
// command: then it is left 0 here.
func ParseSignature(v any) (s Signature, ok bool) {
	t, _ := v.(Tree)
	s.Key, _ = t["key"].(string)
	text, _ := t["sig"].(string)
	sig, err := base64.StdEncoding.Strict().DecodeString(text)
	s.Sig = sig
	if exp, there := t["exp"]; there {
		if s.Exp, ok = intOf(exp); !ok {
			return s, false
		}
	}
	return s, err == nil && s.Key != "" && len(sig) == ed25519.SignatureSize
}

// text is the signature as JSON can hold it.
func (s Signature) text() string { return base64.StdEncoding.EncodeToString(s.Sig) }

// Wrong says what is wrong with a signature over signed at the proven server time now, in
// epoch seconds; "" when nothing is. It may end at most a minute ahead.
func (s Signature) Wrong(operators []Operator, signed []byte, now int64) string {
	i := slices.IndexFunc(operators, func(o Operator) bool { return o.Name == s.Key })
	switch {
	case i < 0:
		return "no operator of that name has a key here"
	case !verified(operators[i].Key, signed, s.Sig):
		return "the signature does not belong to this value, id, path, serial and end"
	case now >= s.Exp:
		return "the signature's time is over"
	case s.Exp-now > maxSigned:
		return "the signature is good for more than 60 s"
	}
	return ""
}

// verified does not trust the length of a key: the library panics at a wrong one.
func verified(key ed25519.PublicKey, signed, sig []byte) bool {
	return len(key) == ed25519.PublicKeySize && ed25519.Verify(key, signed, sig)
}
