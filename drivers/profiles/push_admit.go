package profiles

import (
	"encoding/json"
	"slices"
	"strings"
)

// Fate is what becomes of a message.
type Fate uint8

const (
	FateRefused Fate = iota // not believed, or not to be understood
	FateKept
	FateChecked // a check of the address: answered and forgotten
	FateForeign // of another lift, or with another word than we gave along
	FateOther   // ours, of a kind that tells nothing that we use
)

// Admission is the judgement on a message.
type Admission struct {
	Fate   Fate
	Reply  Reply
	ID     string
	Nonce  string
	Event  int64 // ms; 0 where it has none
	Sent   int64 // when it was signed, ms; 0 where it does not say
	Signed bool  // its proof was right
	Why    string
}

// Admit judges a message from its bytes. With unsigned one without a signature is
// taken; one with a wrong signature never is.
func (p *Push) Admit(c *Came, g Given, unsigned bool) Admission {
	doc, bad := Document(c.Body)
	if c.Fetched {
		if bad != nil {
			return refusedPush(400, bad.Error())
		}
		return p.classed(c, doc, g)
	}
	if a, is := p.checked(c, doc, g.Site); is {
		return a
	}
	if c.Method != "POST" {
		return refusedPush(405, "messages come by POST")
	}
	if !typed(p.types, c.Header("Content-Type")) {
		return refusedPush(415, "not one of the profile's content types")
	}
	signed, why := p.verify.proof(c, doc, g, unsigned)
	if why != "" {
		return refusedPush(401, why)
	}
	if bad != nil {
		return refusedPush(400, bad.Error())
	}
	a := p.classed(c, doc, g)
	a.Signed = signed
	return a
}

func refusedPush(status int, why string) Admission {
	return Admission{Reply: Reply{Status: status, Type: "text/plain; charset=utf-8", Body: []byte("refused\n")}, Why: why}
}

// classed sorts a message whose sender is proven.
func (p *Push) classed(c *Came, doc any, g Given) Admission {
	a := Admission{Reply: p.answer, ID: p.id.pick(c, doc, g.Site).Word()}
	if !c.Fetched {
		a.Nonce, a.Sent = p.verify.nonce.pick(c, doc, g.Site).Word(), p.verify.sent(c, doc, g.Site)
	}
	if len(a.ID) > maxID || len(a.Nonce) > maxID {
		return refusedPush(400, "its id is too long")
	}
	word, err := p.attached.say(words{g: &g})
	if p.attach.given() && (err != nil || p.attach.pick(c, doc, g.Site).Word() != word) {
		a.Fate, a.Why = FateForeign, "its attached word is not ours"
		return a
	}
	if p.ours != nil && !p.ours.holds(doc, g.Site) {
		a.Fate, a.Why = FateForeign, "of another lift"
		return a
	}
	ms := p.fitting(doc, g.Site)
	if len(ms) == 0 {
		a.Fate, a.Why = FateOther, "no message of the profile"
		return a
	}
	a.Fate, a.Event = FateKept, p.eventOf(ms[0], c, doc, g.Site)
	return a
}

// maxID bounds what a message is known by.
const maxID = 200

func (p *Push) fitting(doc any, site map[string]string) (out []*pushMessage) {
	for _, name := range p.Messages() {
		if m := p.messages[name]; m.where.holds(doc, site) {
			out = append(out, m)
		}
	}
	return out
}

// ahead is how far the vendor's clock may run before ours. A time beyond it would
// shut out all that follows, so it counts as the arrival.
const ahead = 5 * 60 * 1000

// eventOf is the inner time of a message, in ms; its arrival where it has none that can be.
func (p *Push) eventOf(m *pushMessage, c *Came, doc any, site map[string]string) int64 {
	at := p.event
	if m.event.given() {
		at = m.event
	}
	n, ok := at.pick(c, doc, site).Whole()
	if p.seconds && n < 1<<40 {
		n *= 1000
	}
	if !ok || n <= 0 || n > c.Wall+ahead {
		return c.Wall
	}
	return n
}

// checked answers a check of the address.
func (p *Push) checked(c *Came, doc any, site map[string]string) (Admission, bool) {
	for _, k := range p.checks {
		if k.method != c.Method || !k.holds(c, doc, site) {
			continue
		}
		word := k.echo.pick(c, doc, site).Word()
		if len(word) > maxID || strings.ContainsFunc(word, unprintable) {
			return refusedPush(400, "the word of the check can not be answered"), true
		}
		if k.typ == "application/json" {
			quoted, _ := json.Marshal(word) // a text always can be
			word = string(quoted)
		}
		body := strings.ReplaceAll(k.text, "$echo", word)
		return Admission{Fate: FateChecked, Reply: Reply{Status: 200, Type: k.typ + "; charset=utf-8", Body: []byte(body)}}, true
	}
	return Admission{}, false
}

func unprintable(r rune) bool { return r < ' ' || r == 0x7f || r > '~' }

func (k *pushCheck) holds(c *Came, doc any, site map[string]string) bool {
	for _, w := range k.when {
		got := w.at.pick(c, doc, site)
		if got.Kind == RawNone || !slices.ContainsFunc(w.is, func(is string) bool { return is == "*" || is == got.Word() }) {
			return false
		}
	}
	return true
}
