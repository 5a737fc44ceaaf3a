package profiles

import (
	"mime"
	"slices"
	"strconv"
	"strings"
)

// AnswerKind is what an answer is.
type AnswerKind uint8

const (
	AnswerGarbage AnswerKind = iota // none that can be believed: it proves nothing
	AnswerGood
	AnswerBusy    // a no that may be a yes later
	AnswerConfig  // a no for good, as it is set up
	AnswerDevice  // a failure of the controller's own
	AnswerRefused // a no
	AnswerDenied  // who we are is not believed
)

// Judgement is an answer judged.
type Judgement struct {
	Kind AnswerKind
	Code string // the vendor's own code as it came, else the status; "" for none
	Text string
	Doc  any
}

// answering is what counts as an answer.
type answering struct {
	status []int
	types  []string
	where  where
	errors []naysay
	code   string
	text   string
	paths  map[string]Path

	sealed   bool // the document is encrypted within the answer
	key      slot
	sealedAt Path
}

type where []struct {
	at Path
	is []string
}

type naysay struct {
	status []int
	where  where
	as     AnswerKind
}

// holds reports whether each place has one of its values. $name is a word of the site,
// and * at the end of a value any end.
func (w where) holds(doc any, site map[string]string) bool {
	word := func(name string) string { return site[name] }
	for _, c := range w {
		r := c.at.Pick(doc, word)
		fits := func(is string) bool {
			if name, own := strings.CutPrefix(is, "$"); own {
				is = site[name]
			}
			if head, any := strings.CutSuffix(is, "*"); any {
				return strings.HasPrefix(r.Word(), head)
			}
			return r.Word() == is
		}
		if r.Kind == RawNone || !slices.ContainsFunc(c.is, fits) {
			return false
		}
	}
	return true
}

// Judge says what an answer is worth. What does not look as the profile says is
// garbage, whatever its status: a login page comes with 200.
func (r *Request) Judge(status int, contentType string, body []byte, g Given) Judgement {
	a := r.answer
	doc, err := a.open(body, &g)
	readable := err == nil && a.typed(contentType)
	if !readable {
		doc = nil
	}
	v := Judgement{Doc: doc}
	if readable {
		v.Code, v.Text = a.at(doc, a.code), a.at(doc, a.text)
	}
	v.Kind = a.kind(status, readable, doc, v.Code, g.Site)
	if v.Code == "" && v.Kind != AnswerGood && status != 200 {
		v.Code = strconv.Itoa(status)
	}
	return v
}

// open reads the document of an answer, which may be encrypted within another.
func (a *answering) open(body []byte, g *Given) (any, error) {
	doc, err := Document(body)
	if err != nil || !a.sealed {
		return doc, err
	}
	key, err := a.key.say(words{g: g})
	if err != nil {
		return nil, err
	}
	text, err := openECB(a.sealedAt.Pick(doc, nil).Word(), key)
	if err != nil {
		return nil, err
	}
	return Document(text)
}

func (a *answering) kind(status int, readable bool, doc any, code string, site map[string]string) AnswerKind {
	for _, n := range a.errors {
		if (n.status == nil || slices.Contains(n.status, status)) && (n.where == nil || readable && n.where.holds(doc, site)) {
			return n.as
		}
	}
	switch {
	case slices.Contains(a.status, status):
		if readable && a.where.holds(doc, site) {
			return AnswerGood
		}
		if readable && code != "" && len(a.where) > 0 {
			return AnswerRefused
		}
	case status == 401:
		return AnswerDenied
	case status == 429:
		return AnswerBusy
	case status >= 400 && status < 500 && status != 408:
		return AnswerRefused
	}
	return AnswerGarbage
}

func (a *answering) at(doc any, place string) string {
	if place == "" {
		return ""
	}
	const longest = 200
	t := a.paths[place].Pick(doc, nil).Word()
	if len(t) > longest {
		t = strings.ToValidUTF8(t[:longest], "")
	}
	return t
}

func (a *answering) typed(contentType string) bool { return typed(a.types, contentType) }

func typed(types []string, contentType string) bool {
	t, _, err := mime.ParseMediaType(contentType)
	if err != nil {
		return false
	}
	for _, want := range types {
		if t == want || want == "application/json" && strings.HasSuffix(t, "+json") {
			return true
		}
	}
	return false
}
