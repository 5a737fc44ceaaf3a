package profiles

import (
	"bytes"
	"encoding/hex"
	"strings"

	"hoistway/drivers/profiles/strict"
)

// frameSection reads how a controller is spoken to by frames.
func (b *builder) frameSection(root *strict.Value) {
	f := &Frames{messages: map[string]*message{}, params: map[string]param{}}
	b.p.frames = f
	b.frameShape(root.Get("frame"), f)
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
	f.asks, f.answers = b.frameFields(heads.Get("ask"), f, true, false), b.frameFields(heads.Get("answer"), f, false, false)
	for _, v := range root.Get("messages").Items() {
		b.messages[v.Key()] = true
		f.messages[v.Key()] = b.oneMessage(v, f)
	}
	for _, v := range root.Get("refusals").Items() {
		f.refusals = append(f.refusals, b.frameRefusal(v, f))
	}
	b.frameLinks(root, f)
	b.frameUses(f)
}

func (b *builder) frameShape(v *strict.Value, f *Frames) {
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
	b.frameEscapes(v.Get("escape"), s)
	s.restart = v.Get("restart").Bool() || len(s.start) == 1 && s.escape[s.start[0]] != nil
	if l := v.Get("length"); l.Given() && l.OK() {
		s.length = b.frameLength(l, s)
	}
	if c := v.Get("check"); c.Given() && c.OK() {
		s.check = b.frameCheck(c, s)
	}
	if s.length != nil && len(s.escape) > 0 {
		b.fault(v.Get("escape"), "a frame has a length or escapes, not both", "")
	}
	if s.fixed > s.most {
		b.fault(v.Get("size"), "is more than most", "")
	}
	if s.most <= s.head()+s.tail() {
		b.fault(v.Get("most"), "leaves no room between start and end", "")
	}
}

func (b *builder) frameEscapes(v *strict.Value, s *shape) {
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

func (b *builder) frameLength(v *strict.Value, s *shape) *lengthField {
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

func (b *builder) frameCheck(v *strict.Value, s *shape) *checksum {
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
