package profiles

import (
	"strings"
	"time"

	"hoistway/drivers/profiles/strict"
)

// pushes reads how a service brings messages; the requests are read before it.
func (b *builder) pushes(v *strict.Value, h *HTTP) {
	if !v.Given() {
		return
	}
	s := &h.Service
	p := &Push{
		Silence: v.Get("silence").Duration(), FailsWithin: v.Get("fails_within").Duration(), SuspendsAfter: v.Get("suspends_after").Duration(),
		Repair: v.Get("repair").Get("every").Duration(), Window: v.Get("repair").Get("window").Duration(),
		Failed: b.fetch(v.Get("repair").Get("failed"), h), Queue: b.fetch(v.Get("queue"), h),
		Enable: b.free(v.Get("enable"), h), Steps: texts(v.Get("steps")), Confirmed: texts(v.Get("confirmed")),
		types: texts(v.Get("types")), answer: Reply{200, v.Get("answer").Get("type").Text(), []byte(v.Get("answer").Get("text").Text())},
		id: b.pushPlace(v.Get("id"), s), event: b.pushPlace(v.Get("event"), s), seconds: v.Get("unit").Text() == "s",
		ours:   b.where(v.Get("ours"), s),
		attach: b.pushPlace(v.Get("attach").Get("at"), s), attached: b.known(v.Get("attach").Get("is"), s),
		messages: map[string]*pushMessage{}, service: s,
	}
	if p.Repair == 0 {
		p.Repair, p.Window = 5*time.Minute, 12*time.Hour
	}
	if p.types == nil {
		p.types = []string{"application/json"}
	}
	b.inDocument(v.Get("event"), p.event)
	b.inDocument(v.Get("attach").Get("at"), p.attach)
	p.verify = b.verify(v.Get("verify"), s)
	p.State = PushState{b.free(v.Get("state").Get("request"), h), v.Get("state").Get("every").Duration(), b.where(v.Get("state").Get("on"), s)}
	for _, e := range v.Get("check").Items() {
		p.checks = append(p.checks, b.check(e, s))
	}
	for _, e := range v.Get("subscribe").Items() {
		p.Subscribe = append(p.Subscribe, b.subscription(e, h))
	}
	if b.heard == nil {
		b.heard = map[string]bool{}
	}
	for _, e := range v.Get("messages").Items() {
		p.messages[e.Key()] = b.pushMessage(e, h)
	}
	h.push = p
}

func texts(v *strict.Value) (out []string) {
	for _, e := range v.Items() {
		out = append(out, e.Text())
	}
	return out
}

// pushPlace reads a place of a pushed message.
func (b *builder) pushPlace(v *strict.Value, s *Service) pushPlace {
	if !v.Given() || !v.OK() {
		return pushPlace{}
	}
	return b.pushPlaceText(v, v.Text(), s)
}

func (b *builder) pushPlaceText(v *strict.Value, text string, s *Service) pushPlace {
	for _, kind := range []string{"header", "query", "raw"} {
		if name, is := strings.CutPrefix(text, kind+":"); is {
			if name == "" || kind == "raw" && name != "body" {
				b.fault(v, "not a place of a message", "header:NAME, query:NAME, raw:body, or a.b[0].c of the document")
			}
			return pushPlace{kind: kind, name: name}
		}
	}
	return pushPlace{kind: "doc", path: b.pathText(v, text, s)}
}

// inDocument takes no place outside of it: of a message that waits only the document is
// kept, and one that was asked for is nothing else.
func (b *builder) inDocument(v *strict.Value, p pushPlace) {
	if p.given() && p.kind != "doc" {
		b.fault(v, "it must stand in the document", "a.b[0].c")
	}
}

func (b *builder) verify(v *strict.Value, s *Service) verify {
	out := verify{
		kind: v.Get("kind").Text(), secret: b.known(v.Get("secret"), s), signature: b.pushPlace(v.Get("signature"), s),
		as: v.Get("as").Text(), prefix: v.Get("prefix").Text(), fields: map[string]pushPlace{},
		token: b.pushPlace(v.Get("token").Get("at"), s), tokenIs: b.known(v.Get("token").Get("is"), s),
		time: b.pushPlace(v.Get("time").Get("at"), s), seconds: v.Get("time").Get("unit").Text() == "s", window: v.Get("time").Get("window").Duration(),
		nonce: b.pushPlace(v.Get("nonce"), s),
	}
	for _, e := range v.Get("fields").Items() {
		out.fields[e.Key()] = b.pushPlace(e, s)
	}
	for _, e := range v.Get("over").Items() {
		if text, is := strings.CutPrefix(e.Text(), "="); is {
			out.over = append(out.over, pushPart{text: text})
			continue
		}
		out.over = append(out.over, pushPart{at: b.pushPlace(e, s)})
	}
	b.proves(v, s)
	return out
}

// proves looks whether a proof has all its parts, and its secrets from the file of secrets.
func (b *builder) proves(v *strict.Value, s *Service) {
	needs := map[string][]string{"sorted_md5": {"secret", "signature", "fields"}, "hmac_sha256": {"secret", "signature", "over"}, "token": {"token"}}
	for _, need := range needs[v.Get("kind").Text()] {
		if !v.Get(need).Given() {
			b.fault(v, v.Get("kind").Text()+" needs "+need, "")
		}
	}
	for _, w := range []*strict.Value{v.Get("secret"), v.Get("token").Get("is")} {
		t := b.known(w, s)
		if w.Given() && w.OK() && (t.text != "" || !s.secret(t.name)) {
			b.fault(w, "a secret does not stand in a profile", "name it in secrets: $name")
		}
	}
}

func (s *Service) secret(name string) bool {
	for _, p := range s.Secrets {
		if p.Name == name {
			return true
		}
	}
	return false
}

func (b *builder) check(e *strict.Value, s *Service) pushCheck {
	k := pushCheck{method: e.Get("method").Text(), echo: b.pushPlace(e.Get("echo"), s), typ: e.Get("type").Text(), text: e.Get("text").Text()}
	for _, w := range e.Get("when").Items() {
		k.when = append(k.when, pushCondition{b.pushPlaceText(w, w.Key(), s), texts(w)})
	}
	return k
}

// free names a request that can be asked without a command.
func (b *builder) free(v *strict.Value, h *HTTP) string {
	if !v.Given() || !v.OK() {
		return ""
	}
	b.message(v, v.Text())
	if r := h.requests[v.Text()]; r != nil && len(r.Args) > 0 {
		b.fault(v, r.Name+" needs $"+r.Args[0]+" of a command", "")
	}
	return v.Text()
}

func (b *builder) fetch(v *strict.Value, h *HTTP) Fetch {
	if !v.Given() {
		return Fetch{}
	}
	return Fetch{
		Request: b.free(v.Get("request"), h), Taken: b.free(v.Get("taken"), h), Every: v.Get("every").Duration(),
		at: b.path(v.Get("at"), nil), message: b.path(v.Get("message"), nil),
	}
}

// subscription takes none that is for every lift of an account: it would flood the site
// with what is not its own.
func (b *builder) subscription(e *strict.Value, h *HTTP) Subscription {
	s := Subscription{b.free(e.Get("request"), h), e.Get("renew").Duration(), b.free(e.Get("check"), h)}
	if r := h.requests[s.Request]; r != nil && !r.says(h.param) {
		b.fault(e.Get("request"), s.Request+" does not name the site's own lift", "a word of params in it")
	}
	return s
}

// says reports whether a request says a word of those that is holds for.
func (r *Request) says(is func(name string) bool) bool {
	for part := range strings.SplitSeq(r.path, "/") {
		if t, err := parseSlot(part); err == nil && is(t.name) {
			return true
		}
	}
	for _, fs := range [][]formField{r.query, r.form, r.headers} {
		for _, f := range fs {
			if is(f.term.name) {
				return true
			}
		}
	}
	return r.json != nil && saysIn(r.json.doc, is)
}

func saysIn(v any, is func(string) bool) bool {
	switch v := v.(type) {
	case slot:
		return is(v.name)
	case []any:
		for _, e := range v {
			if saysIn(e, is) {
				return true
			}
		}
	case map[string]any:
		for _, e := range v {
			if saysIn(e, is) {
				return true
			}
		}
	}
	return false
}

func (b *builder) pushMessage(e *strict.Value, h *HTTP) *pushMessage {
	s := &h.Service
	m := &pushMessage{
		name: e.Key(), class: e.Get("class").Text(), where: b.where(e.Get("where"), s), event: b.pushPlace(e.Get("event"), s),
		says: map[string]pushSaid{}, ours: b.where(e.Get("ours"), s), means: e.Get("means").Text(),
		code: b.path(e.Get("code"), s), text: b.path(e.Get("text"), s), echo: b.path(e.Get("echo"), s), echoes: e.Get("echoes").Text(),
	}
	b.inDocument(e.Get("event"), m.event)
	switch {
	case !messageName().Match.MatchString(m.name):
		b.fault(e, "not a name in small letters", "")
	case h.requests[m.name] != nil:
		b.fault(e, "a request has this name", "another name")
	case m.class == "values":
		b.messages[m.name], b.heard[m.name] = true, true
	}
	if e.Get("echo").Given() != e.Get("echoes").Given() {
		b.fault(e, "echo and echoes go together", "")
	}
	for _, w := range e.Get("says").Items() {
		source, place, _ := strings.Cut(w.Key(), ".")
		if h.requests[source] == nil {
			b.fault(w, "the profile has no request "+source, "the place of a point, request.place")
		}
		m.says[w.Key()] = pushSaid{source, place, b.path(w, s)}
	}
	b.says = append(b.says, e.Get("says"))
	return m
}

// pushesFit looks whether what pushes say is what points are taken from.
func (b *builder) pushesFit() {
	for _, v := range b.says {
		for _, w := range v.Items() {
			source, place, _ := strings.Cut(w.Key(), ".")
			fits := false
			for _, have := range b.p.PlacesIn(source) {
				fits = fits || have == place
			}
			if !fits && b.messages[source] {
				b.fault(w, "no point is taken from "+w.Key(), "")
			}
		}
	}
}
