package profiles

import (
	"bytes"
	"encoding/hex"
	"slices"
	"strconv"
	"strings"

	"hoistway/drivers/profiles/strict"
)

// frameSection reads how a controller is spoken to by frames.
func (b *builder) frameSection(root *strict.Value) {
	f := &Frames{messages: map[string]*message{}, params: map[string]param{}}
	b.p.frames = f
	b.shape(root.Get("frame"), f)
	for _, v := range root.Get("parameters").Items() {
		p := param{v.Get("default").Int(), v.Get("lowest").Int(), v.Get("highest").Int()}
		if v.OK() && (p.value < p.low || p.value > p.high) {
			b.fault(v, "its default is not within lowest and highest", "")
		}
		f.params[v.Key()] = p
	}
	if _, ok := f.params[f.unit]; !ok && f.unit != "" {
		b.fault(root.Get("frame").Get("unit"), "there is no parameter "+f.unit, "")
	}
	heads := root.Get("heads")
	f.asks, f.answers = b.fields(heads.Get("ask"), f, true, false), b.fields(heads.Get("answer"), f, false, false)
	for _, v := range root.Get("messages").Items() {
		b.messages[v.Key()] = true
		f.messages[v.Key()] = b.oneMessage(v, f)
	}
	for _, v := range root.Get("refusals").Items() {
		f.refusals = append(f.refusals, b.refusal(v, f))
	}
	b.links(root, f)
}

func (b *builder) shape(v *strict.Value, f *Frames) {
	s := &f.shape
	s.start, s.end = hexOf(v.Get("start")), hexOf(v.Get("end"))
	s.pad, s.padWith = v.Get("pad").Int(), byte(v.Get("pad_with").Int())
	s.fixed, s.most, s.gap = v.Get("size").Int(), v.Get("most").Int(), v.Get("gap").Duration()
	f.first, f.last = v.Get("sequence").Get("first").Int(), v.Get("sequence").Get("last").Int()
	f.silence, f.within = v.Get("silence").Duration(), v.Get("answer_within").Duration()
	if u := v.Get("unit"); u.Given() {
		f.unit = u.Text()
	}
	if f.last < f.first {
		b.fault(v.Get("sequence"), "last is below first", "")
		f.last = f.first
	}
	b.escapes(v.Get("escape"), s)
	s.restart = v.Get("restart").Bool() || len(s.start) == 1 && s.escape[s.start[0]] != nil
	if l := v.Get("length"); l.Given() && l.OK() {
		s.length = b.length(l, s)
	}
	if c := v.Get("check"); c.Given() && c.OK() {
		s.check = b.check(c, s)
	}
	if s.length != nil && len(s.escape) > 0 {
		b.fault(v.Get("escape"), "a frame has a length or escapes, not both", "")
	}
	if s.fixed > s.most {
		b.fault(v.Get("size"), "is more than most", "")
	}
}

func (b *builder) escapes(v *strict.Value, s *shape) {
	s.escape, s.back = map[byte][]byte{}, map[string]byte{}
	for _, e := range v.Items() {
		key, err := hex.DecodeString(e.Key())
		to := hexOf(e)
		if err != nil || len(key) != 1 || len(to) != 2 {
			b.fault(e, "an escape is one byte to two", `"02": 04 06`)
			continue
		}
		if _, twice := s.back[string(to)]; twice {
			b.fault(e, "these two bytes stand for another byte already", "")
		}
		s.escape[key[0]], s.back[string(to)] = to, key[0]
	}
	for two := range s.back {
		if s.escape[two[0]] == nil {
			b.fault(v, "the byte "+hex.EncodeToString([]byte{two[0]})+" begins an escape and is not escaped itself", "")
			return
		}
	}
	for _, edge := range [][]byte{s.start, s.end} {
		for two := range s.back {
			if len(edge) == 1 && strings.IndexByte(two, edge[0]) >= 0 {
				b.fault(v, "an escape holds the start or the end", "")
			}
		}
	}
}

func (b *builder) length(v *strict.Value, s *shape) *lengthField {
	l := &lengthField{
		at: v.Get("at").Int(), from: v.Get("from").Int(), whole: v.Get("to").Text() == "frame", add: v.Get("add").Int(),
		field: field{name: "length", as: v.Get("as").Text(), width: v.Get("width").Int()},
	}
	digits := l.field.as == "dec" || l.field.as == "hex"
	if digits != v.Get("width").Given() {
		b.fault(v, "width is for dec and hex, and they need it", "")
	}
	if l.field.size() == 0 {
		l.field.width = 1
	}
	if l.at < len(s.start) {
		b.fault(v.Get("at"), "lies within the start", "")
	}
	return l
}

func (b *builder) check(v *strict.Value, s *shape) *checksum {
	c := &checksum{
		algo: v.Get("algo").Text(), form: v.Get("form").Text(), mod: v.Get("mod").Int(),
		poly: uint16(v.Get("poly").Int()), first: uint16(v.Get("init").Int()), to: uint16(v.Get("xorout").Int()),
		reflect: v.Get("reflect").Bool(), lowFirst: v.Get("order").Text() == "le",
		from: len(s.start), withEnd: v.Get("to").Text() == "end", plain: v.Get("over").Text() == "plain",
	}
	if at := v.Get("from"); at.Given() {
		c.from = at.Int()
	}
	switch {
	case c.form == "decimal" && c.algo != "sum":
		b.fault(v.Get("form"), "decimal digits are for sum", "")
	case c.algo == "sum" && c.form != "decimal":
		b.fault(v.Get("algo"), "sum is written in decimal digits", "sum8, or form: decimal")
	case c.withEnd && len(s.end) == 0:
		b.fault(v.Get("to"), "the frame has no end bytes", "")
	case c.withEnd && c.plain:
		b.fault(v.Get("over"), "plain goes with to: body", "")
	}
	proof := v.Get("proof")
	if of, is := hexOf(proof.Get("of")), hexOf(proof.Get("is")); proof.OK() && len(of) > 0 && !bytes.Equal(c.of(of), is) {
		b.fault(proof.Get("is"), "the checksum of these bytes is "+hex.EncodeToString(c.of(of)), "one of the parameters is wrong, or the proof")
	}
	return c
}

func hexOf(v *strict.Value) []byte {
	if !v.Given() || !v.OK() {
		return nil
	}
	out, err := hex.DecodeString(strings.ReplaceAll(v.Text(), " ", ""))
	if err != nil {
		return nil
	}
	return out
}

func (b *builder) oneMessage(v *strict.Value, f *Frames) *message {
	m := &message{
		name: v.Key(), silent: v.Get("unanswered").Bool(),
		unasked: v.Get("unsolicited").Bool(), unframed: v.Get("unframed").Bool(),
		ask: b.body(v.Get("ask"), f, true), answer: b.body(v.Get("answer"), f, false), reply: b.body(v.Get("reply"), f, true),
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
		b.sense(v, m, f)
	}
	return m
}

// sense looks whether what a message has goes together.
func (b *builder) sense(v *strict.Value, m *message, f *Frames) {
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

func (b *builder) refusal(v *strict.Value, f *Frames) *message {
	m := &message{name: v.Key(), unframed: v.Get("unframed").Bool(), busy: v.Get("busy").Bool(), code: v.Get("code").Text()}
	if m.unframed {
		m.answer = b.fields(v.Get("answer"), f, false, true) // no head either
	} else {
		m.answer = b.body(v.Get("answer"), f, false)
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

// body reads the fields of a message behind its head.
func (b *builder) body(list *strict.Value, f *Frames, ours bool) []field {
	if !list.Given() {
		return nil
	}
	head := f.answers
	if ours {
		head = f.asks
	}
	return append(slices.Clone(head), b.fields(list, f, ours, true)...)
}

func (b *builder) fields(list *strict.Value, f *Frames, ours, last bool) (out []field) {
	items := list.Items()
	for i, v := range items {
		if !v.OK() {
			continue
		}
		x := b.field(v)
		if x.size() == 0 && x.until == 0 && (!last || i < len(items)-1 || f.shape.free() && !ours) {
			b.fault(v, "only the last field of a frame with an end can take all that is left", "give it a width, or until")
		}
		out = append(out, x)
	}
	return out
}

func (b *builder) field(v *strict.Value) field {
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
			*to = b.constant(w, x)
		}
	}
	b.wide(v, x)
	for _, p := range v.Get("parts").Items() {
		x.parts = append(x.parts, b.part(p, x))
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

func (b *builder) constant(v *strict.Value, x field) Raw {
	if x.as == "text" {
		return RawOfText(v.Text())
	}
	n, err := strconv.ParseInt(v.Text(), 0, 64)
	if err != nil {
		b.fault(v, "is not a whole number", "")
	}
	return RawOfInt(n)
}

// wide looks whether a field's width goes with how it is written.
func (b *builder) wide(v *strict.Value, x field) {
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

func (b *builder) part(v *strict.Value, x field) bitPart {
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

// links looks whether messages that name others find them.
func (b *builder) links(root *strict.Value, f *Frames) {
	for _, v := range root.Get("messages").Items() {
		m := f.messages[v.Key()]
		if m.tells != "" {
			b.message(v.Get("tells"), m.tells)
		}
		if m.until == nil {
			continue
		}
		read := f.messages[m.until.Read]
		b.message(v.Get("until").Get("read"), m.until.Read)
		if read != nil && (!f.Polled(m.until.Read) || !tellsOf(read.answer, m.until.Of)) {
			b.fault(v.Get("until"), "of is no value of a message that can be read", "")
		}
	}
	for i, v := range root.Get("refusals").Items() {
		if m := f.refusals[i]; m.tells != "" {
			b.message(v.Get("tells"), m.tells)
		}
	}
	if f.shape.free() {
		return
	}
	if f.shape.length == nil && f.shape.fixed == 0 && len(f.shape.start) == 0 {
		b.fault(root.Get("frame"), "a frame that is known by its end needs a start", "")
	}
}

// tellsOf reports whether fields have a value of this path.
func tellsOf(fields []field, path string) bool {
	for _, x := range fields {
		if x.name == path && path != "" {
			return true
		}
		for _, p := range x.parts {
			if x.name+"."+p.name == path {
				return true
			}
		}
	}
	return false
}

// pathFits looks whether a point is a value of its message.
func (b *builder) pathFits(v *strict.Value, t told) {
	m := b.p.frames.messages[t.source]
	if m == nil {
		return
	}
	if m.each != nil && t.path == "lit" || tellsOf(m.answer, t.path) {
		return
	}
	var names []string
	for _, x := range m.answer {
		names = append(names, x.name)
		for _, p := range x.parts {
			names = append(names, x.name+"."+p.name)
		}
	}
	b.fault(v, "the message says no "+t.path, strict.DidYouMean(t.path, names))
}

// sendFits looks whether a message takes the values that a command gives it, and gets
// all that it needs.
func (b *builder) sendFits(v *strict.Value, s sending) {
	f := b.p.frames
	m := f.messages[s.message]
	if m == nil {
		return
	}
	if len(m.ask) == 0 {
		b.fault(v.Get("message"), "it comes unasked", "")
	}
	for _, a := range v.Get("with").Items() {
		if !named(m.ask, a.Key()) {
			b.fault(a, "the message has no field "+a.Key(), "")
		}
	}
	for _, x := range m.ask {
		if _, given := s.args[x.name]; !given && f.needs(x) {
			b.fault(v, "the message needs "+x.name, "with: {"+x.name+": …}")
		}
	}
}
