package profiles

import (
	"slices"

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
	return path != "" && slices.Contains(placesOf(fields), path)
}

// frameUses says what points and commands may want of the messages.
func (b *builder) frameUses(f *Frames) {
	b.needs, b.may = map[string][]string{}, map[string][]string{}
	b.heard, b.tells = map[string]bool{}, map[string]bool{}
	for name, m := range f.messages {
		b.heard[name], b.tells[name] = m.unasked, true
		b.needs[name] = nil
		for _, x := range m.ask {
			switch {
			case f.needs(x):
				b.needs[name] = append(b.needs[name], x.name)
			case x.name != "":
				b.may[name] = append(b.may[name], x.name)
			}
		}
	}
	b.place = func(v *strict.Value, message, place string) {
		m := f.messages[message]
		if m == nil || m.each != nil && place == "lit" || tellsOf(m.answer, place) {
			return
		}
		b.fault(v, message+" says no "+place, strict.DidYouMean(place, placesOf(m.answer)))
	}
}

func placesOf(fields []field) (names []string) {
	for _, x := range fields {
		names = append(names, x.name)
		for _, p := range x.parts {
			names = append(names, x.name+"."+p.name)
		}
	}
	return names
}
