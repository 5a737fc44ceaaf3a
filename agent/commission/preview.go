package commission

import (
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"hoistway/drivers"
	"hoistway/drivers/modbus"
	"hoistway/drivers/profiles"
	"hoistway/fsm/elevator"
)

// Preview gives what a command says as raw questions, and the frames of each. What
// cannot be shown says so in the place of its frame: whoever agrees to it must know.
func (s *Session) Preview(c elevator.Command) (questions, frames []string, err error) {
	if !IsModbus(s.Target.Link) {
		return s.previewMessages(c)
	}
	act, err := s.Profile.Encode(c, s.Floors, s.Now())
	if err != nil {
		return nil, nil, fmt.Errorf("%w: %w", drivers.ErrNotCapable, err)
	}
	for _, w := range act.Writes {
		q := modbus.WriteQuestion(w)
		f, err := s.Prober.Preview(q)
		if err != nil {
			return nil, nil, err
		}
		if w.Owed {
			q += " (released by itself)"
		}
		questions, frames = append(questions, q), append(frames, Hex(f)...)
	}
	return questions, frames, nil
}

func (s *Session) previewMessages(c elevator.Command) (questions, frames []string, err error) {
	act, err := s.Profile.Ask(c, s.Floors, s.Now())
	if err != nil {
		return nil, nil, fmt.Errorf("%w: %w", drivers.ErrNotCapable, err)
	}
	for _, m := range act.Sends {
		q := question(m, strings.HasPrefix(s.Target.Link.Scheme, "serial"))
		shown := "its bytes cannot be shown here"
		if s.Prober != nil {
			if f, err := s.Prober.Preview(q); err == nil && len(f) > 0 {
				shown = strings.Join(Shown(s.Target.Link, f), " / ")
			}
		}
		if m.Owed {
			q += " (released by itself)"
		}
		questions, frames = append(questions, q), append(frames, shown)
	}
	return questions, frames, nil
}

// question is a message as a raw question says it; bare has no quotes around texts.
func question(m profiles.Send, bare bool) string {
	q := m.Message
	for _, name := range slices.Sorted(maps.Keys(m.Args)) {
		v := m.Args[name]
		text := v.Word()
		if v.Kind == profiles.RawText && !bare {
			text = strconv.Quote(text)
		}
		q += " " + name + "=" + text
	}
	return q
}

// Shown words frames for people: as hex, or as the text that services speak.
func Shown(u *url.URL, frames [][]byte) []string {
	if !slices.Contains(slices.Concat(speaks["http"], speaks["socket"]), u.Scheme) {
		return Hex(frames)
	}
	var out []string
	for _, f := range frames {
		q := strconv.Quote(string(f))
		out = append(out, strings.ReplaceAll(q[1:len(q)-1], `\"`, `"`))
	}
	return out
}
