package profiles

import (
	"maps"
	"slices"
	"strings"
)

// Told is what pushes have told so far: of each place the newest value and when it was
// so, by the vendor's own clock. It is stored as JSON.
type Told struct {
	Values map[string]ToldValue `json:"values,omitempty"` // by source.place
	Life   ToldLife             `json:"life,omitzero"`
}

// ToldValue is one value.
type ToldValue struct {
	Event int64 `json:"event"` // ms
	Raw   Raw   `json:"raw"`
}

// ToldLife is what the service said last of the lift's connection.
type ToldLife struct {
	Event int64 `json:"event"`
	There bool  `json:"there"`
}

// Weighed is what one message changes.
type Weighed struct {
	Values   []Laid // newer than what was known
	Late     int    // values that were older
	Life     *ToldLife
	Failures []Failure
}

// Laid is a value for the place of a source.
type Laid struct {
	Source, Place string
	ToldValue
}

// Failure is a control that failed, as a message tells it.
type Failure struct {
	Ours       bool
	Event      int64
	Code, Text string
	Echoes     string // the value of the command that comes back; "" for none
	Echo       string
}

// Weigh lays a message over what was told; told is changed. places lists the places of a
// source, and pick gives the value at one of them.
func (p *Push) Weigh(told *Told, c *Came, site map[string]string, places func(source string) []string, pick func(doc any, place string) Raw) (w Weighed) {
	doc, err := Document(c.Body)
	if err != nil {
		return w
	}
	for _, m := range p.fitting(doc, site) {
		event := p.eventOf(m, c, doc, site)
		switch m.class {
		case "failures":
			w.Failures = append(w.Failures, m.failure(doc, event, site))
		case "life":
			m.living(told, event, &w)
		default:
			for _, place := range places(m.name) {
				told.weigh(&w, Laid{m.name, place, ToldValue{event, pick(doc, place)}})
			}
			for _, k := range slices.Sorted(maps.Keys(m.says)) {
				s := m.says[k]
				raw := s.at.Pick(doc, func(name string) string { return site[name] })
				told.weigh(&w, Laid{s.source, s.place, ToldValue{event, raw}})
			}
		}
	}
	return w
}

// weigh keeps a value that is not older than the one that is known. Of two of one time
// the one that came later counts.
func (t *Told) weigh(w *Weighed, l Laid) {
	if l.Raw.Kind == RawNone {
		return
	}
	key := keyOf(l.Source, l.Place)
	if l.Event < t.Values[key].Event {
		w.Late++
		return
	}
	if t.Values == nil {
		t.Values = map[string]ToldValue{}
	}
	t.Values[key] = l.ToldValue
	w.Values = append(w.Values, l)
}

func (m *pushMessage) living(told *Told, event int64, w *Weighed) {
	if m.means == "other" {
		return
	}
	if event < told.Life.Event {
		w.Late++
		return
	}
	told.Life = ToldLife{event, m.means == "online"}
	life := told.Life
	w.Life = &life
}

func (m *pushMessage) failure(doc any, event int64, site map[string]string) Failure {
	word := func(p Path) string {
		if len(p.steps) == 0 {
			return ""
		}
		t := p.Pick(doc, func(name string) string { return site[name] }).Word()
		return strings.ToValidUTF8(t[:min(len(t), maxID)], "")
	}
	return Failure{
		Ours: m.ours == nil || m.ours.holds(doc, site), Event: event, Code: word(m.code), Text: word(m.text),
		Echoes: m.echoes, Echo: word(m.echo),
	}
}

// All lists what is known, oldest first.
func (t *Told) All() []Laid {
	var out []Laid
	for _, key := range slices.Sorted(maps.Keys(t.Values)) {
		source, place, _ := strings.Cut(key, ".")
		out = append(out, Laid{source, place, t.Values[key]})
	}
	slices.SortStableFunc(out, func(a, b Laid) int { return int(max(-1, min(1, a.Event-b.Event))) })
	return out
}

// At gives the value at its own place, and nothing at others.
func (l Laid) At(place string) Raw {
	if place == l.Place {
		return l.Raw
	}
	return Raw{}
}
