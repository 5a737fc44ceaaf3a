package profiles

import (
	"encoding/hex"
	"slices"
	"strconv"
	"strings"

	"hoistway/drivers/profiles/strict"
)

func (b *builder) oneMessage(v *strict.Value, f *Frames) *message {
	m := &message{
		name: v.Key(), silent: v.Get("unanswered").Bool(),
		unasked: v.Get("unsolicited").Bool(), unframed: v.Get("unframed").Bool(),
		ask: b.frameBody(v.Get("ask"), f, true), answer: b.frameBody(v.Get("answer"), f, false), reply: b.frameBody(v.Get("reply"), f, true),
	}
	for _, x := range v.Get("match").Items() {
		m.match = append(m.match, x.Text())
	}
	if t := v.Get("tells"); t.Given() {
		m.tells = t.Text()
	}
	if u := v.Get("until"); u.Given() && u.OK() {
		m.until = &Until{u.Get("read").Text(), u.Get("of").Text(), u.Get("is").Text(), u.Get("within").Duration(), u.Get("every").Duration()}
	}
	if e := v.Get("each"); e.Given() && e.OK() {
		m.each = &Each{e.Get("argument").Text(), e.Get("of").Text(), e.Get("lit").Text(), e.Get("dark").Text()}
	}
	if v.OK() {
		b.frameSense(v, m, f)
	}
	return m
}

// frameSense looks whether what a message has goes together.
func (b *builder) frameSense(v *strict.Value, m *message, f *Frames) {
	switch {
	case m.unasked && len(m.ask) > 0:
		b.fault(v.Get("ask"), "what comes unasked is not asked", "reply is what it is answered")
	case !m.unasked && len(m.ask) == 0:
		b.fault(v, "nothing is asked and nothing comes unasked", "ask, or unsolicited: true")
	case m.silent && len(m.answer) > 0:
		b.fault(v.Get("answer"), "a message that is never answered has an answer", "")
	case !m.silent && len(m.answer) == 0:
		b.fault(v, "what comes is not said", "answer, or unanswered: true")
	case !m.unasked && (m.tells != "" || len(m.reply) > 0):
		b.fault(v, "tells and reply are for what comes unasked", "")
	case m.unasked && f.shape.free():
		b.fault(v.Get("unsolicited"), "a frame with no end and no length cannot be told unasked", "")
	}
	for _, x := range v.Get("match").Items() {
		if x.OK() && (!named(m.ask, x.Text()) || !named(m.answer, x.Text())) {
			b.fault(x, "question and answer do not both have "+x.Text(), "")
		}
	}
	if m.unframed && open(m.answer) {
		b.fault(v.Get("unframed"), "the answer has no end of its own", "give its last field a width")
	}
	if m.each != nil && (!named(m.ask, m.each.Argument) || !named(m.answer, m.each.Of)) {
		b.fault(v.Get("each"), "argument is a field of the question, of one of the answer", "")
	}
}

func named(fields []field, name string) bool {
	for _, x := range fields {
		if x.name == name && name != "" {
			return true
		}
	}
	return false
}

// open reports whether the last field takes all that is left.
func open(fields []field) bool {
	return len(fields) > 0 && fields[len(fields)-1].size() == 0 && fields[len(fields)-1].until == 0
}

func (b *builder) frameRefusal(v *strict.Value, f *Frames) *message {
	m := &message{name: v.Key(), unframed: v.Get("unframed").Bool(), busy: v.Get("busy").Bool(), code: v.Get("code").Text()}
	if m.unframed {
		m.answer = b.frameFields(v.Get("answer"), f, false, true) // no head either
	} else {
		m.answer = b.frameBody(v.Get("answer"), f, false)
	}
	if m.unframed && open(m.answer) {
		b.fault(v.Get("unframed"), "the answer has no end of its own", "give its last field a width")
	}
	if m.unframed && (f.shape.length != nil || f.shape.fixed > 0) {
		b.fault(v.Get("unframed"), "within a frame that is spoilt it would be taken for a no", "only frames with an end can have it")
	}
	m.fixed = !named(m.answer, m.code)
	if t := v.Get("tells"); t.Given() {
		m.tells = t.Text()
	}
	for _, x := range v.Get("match").Items() {
		m.match = append(m.match, x.Text())
	}
	return m
}

// frameBody reads the fields of a message behind its head.
func (b *builder) frameBody(list *strict.Value, f *Frames, ours bool) []field {
	if !list.Given() {
		return nil
	}
	head := f.answers
	if ours {
		head = f.asks
	}
	return append(slices.Clone(head), b.frameFields(list, f, ours, true)...)
}

func (b *builder) frameFields(list *strict.Value, f *Frames, ours, last bool) (out []field) {
	items := list.Items()
	for i, v := range items {
		if !v.OK() {
			continue
		}
		x := b.frameField(v)
		if x.size() == 0 && x.until == 0 && (!last || i < len(items)-1 || f.shape.free() && !ours) {
			b.fault(v, "only the last field of a frame with an end can take all that is left", "give it a width, or until")
		}
		out = append(out, x)
	}
	return out
}

func (b *builder) frameField(v *strict.Value) field {
	x := field{name: v.Get("name").Text(), as: v.Get("as").Text(), width: v.Get("width").Int(), perFloor: v.Get("bits_per_landing").Int()}
	if !v.Get("name").Given() {
		x.name = ""
	}
	if u := v.Get("until"); u.Given() && u.OK() {
		x.until = u.Text()[0]
	}
	if x.as == "bytes" {
		return b.bytesField(v, x)
	}
	for key, to := range map[string]*Raw{"is": &x.is, "not": &x.not, "default": &x.def} {
		if w := v.Get(key); w.Given() && w.OK() {
			*to = b.frameConstant(w, x)
		}
	}
	b.frameWide(v, x)
	for _, p := range v.Get("parts").Items() {
		x.parts = append(x.parts, b.framePart(p, x))
	}
	return x
}

// bytesField is a run of bytes: a constant, or some that do not matter.
func (b *builder) bytesField(v *strict.Value, x field) field {
	for _, key := range []string{"is", "default"} {
		w := v.Get(key)
		if !w.Given() || !w.OK() {
			continue
		}
		raw, err := hex.DecodeString(strings.ReplaceAll(w.Text(), " ", ""))
		if err != nil || len(raw) == 0 {
			b.fault(w, "is not "+hexLooks, "")
		}
		x.raw = raw
	}
	if x.raw != nil && x.width != 0 || x.raw == nil && x.width == 0 && x.until == 0 || v.Get("not").Given() {
		b.fault(v, "bytes have either a value or a width", "")
	}
	return x
}

func (b *builder) frameConstant(v *strict.Value, x field) Raw {
	if x.as == "text" {
		return RawOfText(v.Text())
	}
	n, err := strconv.ParseInt(v.Text(), 0, 64)
	if err != nil {
		b.fault(v, "is not a whole number", "")
	}
	return RawOfInt(n)
}

// frameWide looks whether a field's width goes with how it is written.
func (b *builder) frameWide(v *strict.Value, x field) {
	digits := map[string]bool{"dec": true, "hex": true, "text": true}
	needs := map[string]bool{"bcd": true, "below": true, "bitmap": true}
	switch {
	case widths[x.as] > 0 && (x.width > 0 || x.until != 0):
		b.fault(v, x.as+" has a width of its own", "leave out width and until")
	case needs[x.as] && x.width == 0:
		b.fault(v, x.as+" needs a width", "")
	case digits[x.as] && x.width > 0 && x.until != 0:
		b.fault(v.Get("until"), "width and until exclude each other", "")
	case x.as == "bcd" && x.width > 8, (x.as == "dec" || x.as == "hex") && x.width > 15:
		b.fault(v.Get("width"), "is too wide for a number", "")
	}
}

func (b *builder) framePart(v *strict.Value, x field) bitPart {
	lo, hi, both := strings.Cut(v.Text(), "-")
	if !both {
		hi = lo
	}
	p := bitPart{name: v.Key()}
	p.from, _ = strconv.Atoi(lo)
	p.to, _ = strconv.Atoi(hi)
	if n := widths[x.as] * 8; v.OK() && (p.from > p.to || p.to >= n) {
		b.fault(v, "is not within the number's "+strconv.Itoa(n)+" bits", "")
	}
	return p
}
