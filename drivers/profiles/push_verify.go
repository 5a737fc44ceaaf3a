package profiles

import (
	"crypto/md5"
	"crypto/subtle"
	"encoding/hex"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
)

// verify is how a message proves its sender.
type verify struct {
	kind      string
	secret    slot
	signature pushPlace
	fields    map[string]pushPlace
	over      []pushPart
	as        string
	prefix    string
	token     pushPlace
	tokenIs   slot
	time      pushPlace
	seconds   bool
	window    time.Duration
	nonce     pushPlace
}

// pushPart is a text or a place of what is signed.
type pushPart struct {
	text string
	at   pushPlace
}

// NonceWindow is how long a nonce must not come again: as long as a message of its time
// could be taken, on both sides of our clock.
func (p *Push) NonceWindow() time.Duration {
	return max(2*p.verify.window, 10*time.Minute)
}

// proof looks at everything that a message must prove. why is "" where it is believed;
// signed is false where it brought no signature and the site takes that.
func (v *verify) proof(c *Came, doc any, g Given, unsigned bool) (signed bool, why string) {
	if why := v.tokenProof(c, doc, g); why != "" {
		return false, why
	}
	signed, why = v.signatureProof(c, doc, g)
	if why != "" {
		return false, why
	}
	if !signed && v.kind != "token" && !unsigned {
		return false, "it is not signed, and the site's link does not say unsigned=accepted"
	}
	if signed || v.time.pick(c, doc, g.Site).Kind != RawNone {
		if why := v.timeProof(c, doc, g.Site); why != "" {
			return false, why
		}
	}
	if signed && v.nonce.given() && v.nonce.pick(c, doc, g.Site).Word() == "" {
		return false, "it has no nonce"
	}
	return signed || v.kind == "token", ""
}

func (v *verify) tokenProof(c *Came, doc any, g Given) string {
	if !v.token.given() {
		return ""
	}
	want, err := v.tokenIs.say(words{g: &g})
	if err != nil || want == "" || !alike(v.token.pick(c, doc, g.Site).Word(), want) {
		return "its token is not right"
	}
	return ""
}

// signatureProof is signed only where there is a signature and it is right; a wrong one
// is a reason in any case.
func (v *verify) signatureProof(c *Came, doc any, g Given) (signed bool, why string) {
	got := v.signature.pick(c, doc, g.Site).Word()
	if v.kind == "none" || v.kind == "token" || got == "" {
		return false, ""
	}
	secret, err := v.secret.say(words{g: &g})
	if err != nil || secret == "" {
		return false, "there is no secret to prove it by"
	}
	want := v.sum(c, doc, g.Site, secret)
	if v.as != "base64" {
		got = strings.ToLower(got)
	}
	if !alike(got, want) {
		return false, "its signature is not right"
	}
	return true, ""
}

func (v *verify) sum(c *Came, doc any, site map[string]string, secret string) string {
	if v.kind == "sorted_md5" {
		var parts []string
		for _, name := range slices.Sorted(maps.Keys(v.fields)) {
			parts = append(parts, name+"="+v.fields[name].pick(c, doc, site).Word())
		}
		sum := md5.Sum([]byte(strings.ToLower(strings.Join(parts, "&") + secret)))
		return hex.EncodeToString(sum[:])
	}
	var text strings.Builder
	for _, part := range v.over {
		text.WriteString(part.text)
		text.WriteString(part.at.pick(c, doc, site).Word())
	}
	s := Signature{By: "hmac_sha256", As: v.as}
	return v.prefix + s.Sum(text.String(), secret)
}

func (v *verify) timeProof(c *Came, doc any, site map[string]string) string {
	if !v.time.given() {
		return ""
	}
	n := v.sent(c, doc, site)
	if n == 0 {
		return "it does not say when it was sent"
	}
	if off := time.Duration(c.Wall-n) * time.Millisecond; off.Abs() > v.window {
		return fmt.Sprintf("its time is %s off our clock, %s is taken", off.Round(time.Second).Abs(), v.window)
	}
	return ""
}

// sent is when a message was signed, in ms; 0 where it does not say, or nothing that can be.
func (v *verify) sent(c *Came, doc any, site map[string]string) int64 {
	n, ok := v.time.pick(c, doc, site).Whole()
	const most = 1 << 42 // of ms: beyond it a product would not fit
	if !ok || n <= 0 || n > most {
		return 0
	}
	if v.seconds {
		n *= 1000
	}
	return n
}

// same compares in a time that tells nothing of where they differ.
func alike(a, b string) bool { return subtle.ConstantTimeCompare([]byte(a), []byte(b)) == 1 }
