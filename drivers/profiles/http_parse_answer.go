package profiles

import (
	"slices"
	"strings"

	"hoistway/drivers/profiles/strict"
)

// placed reads the place of a point.
func (b *builder) placed(v *strict.Value, place string, s *Service) {
	expr, jq := strings.CutPrefix(place, "jq:")
	if !jq {
		s.places[place] = b.pathText(v, place, s)
		return
	}
	var words []string
	for _, p := range s.Params {
		words = append(words, p.Name)
	}
	if err := checkJQ(expr, words); err != nil {
		b.fault(v, "jq: "+err.Error(), "")
		return
	}
	if !slices.Contains(s.queries, place) {
		s.queries = append(s.queries, place)
	}
}

// answering reads what counts as an answer; what is not said is as in common.
func (b *builder) answering(v *strict.Value, common *answering, sv *Service) *answering {
	a := &answering{status: []int{200}, types: []string{"application/json"}, paths: map[string]Path{}}
	if common != nil {
		*a = *common
		a.paths = map[string]Path{common.code: common.paths[common.code], common.text: common.paths[common.text]}
	}
	ok := v.Get("ok")
	if s := ints(ok.Get("status")); s != nil {
		a.status = s
	}
	if t := ok.Get("types").Items(); len(t) > 0 {
		a.types = nil
		for _, e := range t {
			a.types = append(a.types, e.Text())
		}
	}
	if w := b.where(ok.Get("where"), sv); w != nil {
		a.where = w
	}
	if e := v.Get("sealed"); e.Given() {
		a.sealed, a.key, a.sealedAt = true, b.known(e.Get("key"), sv), b.path(e.Get("at"), sv)
	}
	if list := v.Get("errors").Items(); len(list) > 0 {
		a.errors = nil
		for _, e := range list {
			a.errors = append(a.errors, b.naysay(e, sv))
		}
	}
	for key, into := range map[string]*string{"code": &a.code, "text": &a.text} {
		if p := v.Get(key); p.Given() && p.OK() {
			*into = p.Text()
			a.paths[p.Text()] = b.path(p, nil)
		}
	}
	return a
}

func (b *builder) naysay(e *strict.Value, sv *Service) naysay {
	if e.OK() && len(e.Get("status").Items()) == 0 && !e.Get("where").Given() {
		b.fault(e, "it fits every answer", "say status, or where")
	}
	as := map[string]AnswerKind{"busy": AnswerBusy, "config": AnswerConfig, "device": AnswerDevice, "refused": AnswerRefused, "auth": AnswerDenied}
	return naysay{ints(e.Get("status")), b.where(e.Get("where"), sv), as[e.Get("as").Text()]}
}

func (b *builder) where(v *strict.Value, s *Service) (w where) {
	for _, e := range v.Items() {
		var is []string
		for _, i := range e.Items() {
			is = append(is, i.Text())
			if name, own := strings.CutPrefix(i.Text(), "$"); own && !s.param(name) {
				b.fault(i, "the link has no word "+name, "name it in params")
			}
		}
		at := b.pathText(e, e.Key(), s)
		w = append(w, struct {
			at Path
			is []string
		}{at, is})
	}
	return w
}

func ints(v *strict.Value) (out []int) {
	for _, e := range v.Items() {
		out = append(out, e.Int())
	}
	return out
}
