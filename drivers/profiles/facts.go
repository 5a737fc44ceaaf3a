package profiles

import (
	"encoding/json"

	"hoistway/drivers/profiles/strict"
	"hoistway/fsm/elevator"
)

// Facts are what a person wants to know before using a profile.
type Facts struct {
	Notes    string
	Requires []string
	Caveats  []string
	Covers   []string // other names of the same thing
	Match    []Match
}

// Match is what a device of this kind answers to a read, a hint only.
type Match struct {
	Table  Table
	Addr   uint16
	Equals []uint16
	Object int    // of the device identification, where Text is given
	Text   string // it begins with this; "" = a register is read
}

// Facts gives them.
func (p *Profile) Facts() Facts { return p.facts }

func (b *builder) facts(root *strict.Value) {
	f := Facts{Notes: root.Get("notes").Text()}
	for _, l := range []struct {
		key  string
		into *[]string
	}{{"requires", &f.Requires}, {"caveats", &f.Caveats}, {"covers", &f.Covers}} {
		for _, v := range root.Get(l.key).Items() {
			*l.into = append(*l.into, v.Text())
		}
	}
	for _, v := range root.Get("match").Items() {
		f.Match = append(f.Match, b.match(v))
	}
	b.p.facts = f
}

func (b *builder) match(v *strict.Value) Match {
	m := Match{Table: tableOf(v.Get("table").Text()), Text: v.Get("text").Text(), Object: v.Get("identity").Int()}
	m.Addr = uint16(b.address(v.Get("address"), m.Table))
	for _, e := range v.Get("equals").Items() {
		m.Equals = append(m.Equals, uint16(e.Int()))
	}
	reads, asks := v.Get("address").Given() && v.Get("equals").Given(), v.Get("identity").Given() && v.Get("text").Given()
	if v.OK() && reads == asks {
		b.fault(v, "is either address and equals, or identity and text", "")
	}
	return m
}

// JSONSchema is what a profile file may hold, for editors.
func JSONSchema() ([]byte, error) {
	var kinds []any
	for _, protocol := range Protocols() {
		s := Schema(protocol)
		whole, over := strict.JSONSchema(&s), strict.Loose(s)
		part := strict.JSONSchema(&over)
		part["required"] = []string{"id", "extends"}
		part["title"] = protocol + ", over another profile"
		whole["title"] = protocol
		for _, k := range []map[string]any{whole, part} {
			k["properties"].(map[string]any)["protocol"] = map[string]any{"const": protocol}
			kinds = append(kinds, k)
		}
	}
	return json.MarshalIndent(strict.Share(map[string]any{
		"$schema": "https://json-schema.org/draft/2020-12/schema",
		"title":   "A vendor profile of hoistway",
		"anyOf":   kinds,
	}), "", " ")
}

// Points lists what the profile reads: floor, door.front, …, in the order of the
// reference.
func (p *Profile) Points() []string {
	var out []string
	for i := range p.points {
		pt := &p.points[i]
		out = append(out, nameOf(pt.part, pt.side))
	}
	for i := range p.told {
		out = append(out, p.told[i].name)
	}
	return out
}

// PointsIn lists those that a read feeds.
func (p *Profile) PointsIn(b Block) []string {
	var out []string
	for i := range p.points {
		if pt := &p.points[i]; pt.within(b) {
			out = append(out, nameOf(pt.part, pt.side))
		}
	}
	return out
}

func nameOf(p part, side elevator.Side) string {
	for _, k := range pointKeys {
		if k.part == p && k.sided {
			return k.key + "." + side.String()
		}
		if k.part == p {
			return k.key
		}
	}
	return "unknown"
}
