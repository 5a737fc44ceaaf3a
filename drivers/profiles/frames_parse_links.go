package profiles

import (
	"hoistway/drivers/profiles/strict"
)

// frameLinks looks whether messages that name others find them.
func (b *builder) frameLinks(root *strict.Value, f *Frames) {
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
