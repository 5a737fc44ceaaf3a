package shadow

import (
	"encoding/json"
	"slices"
)

// Wish is a wish for the classic shadow that comes by another way than its document:
// a job, with some services. It is judged and put in force as an intent is, once for
// each ID, also across restarts; asked again, it is answered again. The answer goes
// to Beside/[BesideWish]/{ID} as {code, detail}.
type Wish struct {
	ID     string
	Values Tree  // by field
	At     int64 // epoch seconds of the wish, 0 = unknown
}

func (Wish) input() {}

// BesideWish is where a [Dialect] hears what became of a [Wish].
const BesideWish = "wish"

const (
	maxAsked   = 8  // that wait
	maxAnswers = 64 // that are remembered
)

// asked are the wishes beside the document.
type asked struct {
	waiting []Wish
	answers []answerOf // the oldest first
}

type answerOf struct {
	ID     string `json:"id"`
	Code   int    `json:"code"`
	Detail string `json:"detail,omitempty"`
}

func (a *asked) find(id string) int {
	return slices.IndexFunc(a.answers, func(e answerOf) bool { return e.ID == id })
}

func (s *Session) ask(w Wish) {
	t := s.twin("")
	if t == nil || !validID(w.ID) || len(w.Values) == 0 {
		s.note("malformed", "a wish %.64q that cannot be taken", w.ID)
		return
	}
	if i := s.asked.find(w.ID); i >= 0 {
		s.tellWisher(s.asked.answers[i])
		return
	}
	waits := slices.ContainsFunc(s.asked.waiting, func(e Wish) bool { return e.ID == w.ID })
	if waits {
		return
	}
	if len(s.asked.waiting) == maxAsked {
		s.note("refused", "wish %.64s: %d others wait", w.ID, maxAsked)
		return // whoever wishes will ask again
	}
	s.asked.waiting = append(s.asked.waiting, w)
	t.planned = false
}

// planAsked puts the wishes beside the document among those in it.
func (s *Session) planAsked(t *twin) {
	if t.name != "" {
		return
	}
	for _, w := range s.asked.waiting {
		var all []field
		for _, name := range sortedKeys(w.Values) {
			all = append(all, field{name: name, value: w.Values[name], at: w.At})
		}
		it := s.makeIntent(w.ID, nil, all)
		it.asked = true
		t.waiting = append(t.waiting, it)
	}
}

// answer records and tells what became of a wish: the worst of its fields speaks.
func (s *Session) answer(it intent, results []Result) {
	a := answerOf{ID: it.name}
	for _, f := range it.fields {
		if r := resultFor(results, f.name); r.Code > a.Code {
			a.Code, a.Detail = r.Code, cut(r.Detail, maxDetail)
		}
	}
	s.asked.waiting = slices.DeleteFunc(s.asked.waiting, func(w Wish) bool { return w.ID == it.name })
	s.remember(a)
}

func (s *Session) remember(a answerOf) {
	if i := s.asked.find(a.ID); i >= 0 {
		s.asked.answers = slices.Delete(s.asked.answers, i, i+1)
	}
	s.asked.answers = append(s.asked.answers, a)
	s.asked.answers = s.asked.answers[max(0, len(s.asked.answers)-maxAnswers):]
	s.dirty |= dirtAsked
	s.tellWisher(a)
}

// answeredLater takes what became of a wish that was pending; false when in is of none.
func (s *Session) answeredLater(t *twin, in Applied) bool {
	i := s.asked.find(in.Intent)
	if t.name != "" || i < 0 {
		return false
	}
	if a := s.asked.answers[i]; a.Code == ackPending && len(in.Results) > 0 {
		for _, r := range in.Results {
			s.inForce(t, r)
		}
		s.remember(answerOf{ID: a.ID, Code: in.Results[0].Code, Detail: cut(in.Results[0].Detail, maxDetail)})
	}
	return true
}

func (s *Session) tellWisher(a answerOf) {
	if !s.link.up {
		return // it is asked again after the next connection
	}
	s.publish(s.token(), s.cfg.Beside+"/"+BesideWish+"/"+a.ID, Encode(Tree{"code": num(a.Code), "detail": a.Detail}), 1, false)
}

func (s *Session) loadAsked(value []byte) error { return json.Unmarshal(value, &s.asked.answers) }
