package shadow

import (
	"crypto/ed25519"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"testing"
)

// SE-4: what is signed is fixed to the byte. The bytes are written by hand, the key and
// signature of the empty message are test 1 of RFC 8032, 7.1.
func TestSignedBytes(t *testing.T) {
	got := string(SignedBytes("GW-1", "i-1", "L1/reset", Tree{"ride": "r", "fault_no": json.Number("2")}, 1_700_000_030))
	if want := `{"exp":1700000030,"id":"i-1","path":"L1/reset","serial":"GW-1","value":{"fault_no":2,"ride":"r"}}`; got != want {
		t.Errorf("signed %s\nwant   %s", got, want)
	}
	key := unhex(t, "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a")
	sig := unhex(t, "e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e065224901555fb8821590a33bacc61e39701cf9b46bd25bf5f0595bbe24655141438e7a100b")
	ops := []Operator{{Name: "ops-1", Key: key}, {Name: "short", Key: key[:7]}}
	for _, c := range []struct {
		name, key, signed string
		exp               int64
		good              bool
	}{
		{"as it is", "ops-1", "", 1060, true},
		{"another message", "ops-1", "x", 1060, false},
		{"another operator", "ops-2", "", 1060, false},
		{"a key of no length that there is", "short", "", 1060, false},
		{"over", "ops-1", "", 1000, false},
		{"too long", "ops-1", "", 1061, false},
	} {
		why := Signature{Key: c.key, Exp: c.exp, Sig: sig}.Wrong(ops, []byte(c.signed), 1000)
		if (why == "") != c.good {
			t.Errorf("%s: %q", c.name, why)
		}
	}
}

func TestParseSignature(t *testing.T) {
	sig := base64.StdEncoding.EncodeToString(make([]byte, ed25519.SignatureSize))
	for _, c := range []struct {
		raw  string
		good bool
	}{
		{`{"key":"ops-1","exp":7,"sig":"` + sig + `"}`, true},
		{`{"key":"ops-1","sig":"` + sig + `"}`, true},
		{`{"key":"","exp":7,"sig":"` + sig + `"}`, false},
		{`{"key":"ops-1","exp":"7","sig":"` + sig + `"}`, false},
		{`{"key":"ops-1","exp":7,"sig":"` + sig[:40] + `"}`, false},
		{`{"key":"ops-1","exp":7,"sig":"*"}`, false},
		{`{}`, false},
	} {
		tree, err := Decode([]byte(c.raw))
		if err != nil {
			t.Fatal(err)
		}
		if _, ok := ParseSignature(tree); ok != c.good {
			t.Errorf("%s: %v", c.raw, ok)
		}
	}
	if _, ok := ParseSignature("text"); ok {
		t.Error("a text is no signature")
	}
}

func unhex(t *testing.T, s string) []byte {
	b, err := hex.DecodeString(s)
	if err != nil {
		t.Fatal(err)
	}
	return b
}
