package profiles

import (
	"encoding/base64"
	"slices"
	"strings"

	"hoistway/drivers/profiles/strict"
)

func base64Of(s string) string { return base64.StdEncoding.EncodeToString([]byte(s)) }

// http reads the section of a service over HTTP.
func (b *builder) http(root *strict.Value) {
	v := root.Get("http")
	h := &HTTP{requests: map[string]*Request{}}
	b.p.http = h
	b.service(v, &h.Service)
	rate := v.Get("rate")
	h.Rate = Rate{Requests: rate.Get("requests").Int(), Per: rate.Get("per").Duration(), Reserve: rate.Get("reserve").Int()}
	if h.Rate.Requests > 0 && h.Rate.Reserve >= h.Rate.Requests {
		b.fault(rate.Get("reserve"), "nothing is left for polls", "less than requests")
	}
	common := b.answering(v.Get("answer"), nil, &h.Service)
	shared := b.slots(v.Get("headers"), &h.Service, nil)
	for _, rv := range v.Get("requests").Items() {
		r := b.request(rv, h, shared, common)
		h.requests[r.Name] = r
		b.messages[r.Name], b.needs[r.Name] = true, r.Args
	}
	b.login(v.Get("auth"), h)
	b.pushes(v.Get("push"), h)
}

// service reads what all services have.
func (b *builder) service(v *strict.Value, s *Service) {
	s.signs, s.places = map[string]*Signature{}, map[string]Path{}
	b.needs = map[string][]string{}
	b.place = func(v *strict.Value, _, place string) { b.placed(v, place, s) }
	for _, e := range v.Get("params").Items() {
		p := Param{Name: b.wordOf(e, s), Doc: e.Get("doc").Text(), Default: e.Get("default").Text(), Needed: !e.Get("default").Given()}
		if slices.Contains(linkWords, p.Name) {
			b.fault(e, "every link has a word of this name", "another name")
		}
		s.Params = append(s.Params, p)
	}
	for _, e := range v.Get("secrets").Items() {
		s.Secrets = append(s.Secrets, Param{Name: b.wordOf(e, s), Doc: e.Get("doc").Text(), Needed: true})
	}
	for _, e := range v.Get("signs").Items() {
		name := b.wordOf(e, s)
		s.signs[name] = b.signature(e, s)
	}
	b.auth(v.Get("auth"), s)
}

// linkWords are the words that links have for every profile.
var linkWords = []string{"secrets", "ca", "timeout", "unsigned"}

// wordOf takes the key of an entry as the name of a word.
func (b *builder) wordOf(e *strict.Value, s *Service) string {
	name := e.Key()
	switch {
	case !nameForm.MatchString(name):
		b.fault(e, "not a name in small letters", "")
	case slices.Contains(builtIn, name) || slices.Contains(signedIn, name):
		b.fault(e, "every message has a word of this name", "another name")
	case s.knows(name):
		b.fault(e, "the name is there twice, as another kind of word", "")
	}
	return name
}

func (s *Service) knows(name string) bool {
	is := func(p Param) bool { return p.Name == name }
	return s.signs[name] != nil || slices.ContainsFunc(s.Params, is) || slices.ContainsFunc(s.Secrets, is)
}

func (s *Service) param(name string) bool {
	return slices.ContainsFunc(s.Params, func(p Param) bool { return p.Name == name })
}

func (b *builder) signature(e *strict.Value, s *Service) *Signature {
	sign := &Signature{
		By: e.Get("by").Text(), As: e.Get("as").Text(), Sorted: e.Get("sorted").Text(),
		Pair: e.Get("pair").Text(), Between: e.Get("between").Text(),
	}
	sign.key = b.known(e.Get("key"), s)
	for _, o := range e.Get("over").Items() {
		sign.over = append(sign.over, b.known(o, s))
	}
	if hmac := strings.HasPrefix(sign.By, "hmac"); hmac != e.Get("key").Given() && e.Get("by").OK() {
		b.fault(e, "a key is for the hmac digests, and they need one", "")
	}
	if e.OK() && sign.Sorted == "" && len(sign.over) == 0 {
		b.fault(e, "nothing is signed", "over, or sorted")
	}
	return sign
}

// known reads a slot whose name has to be one of the service, or one that every
// message has.
func (b *builder) known(v *strict.Value, s *Service) slot {
	t := b.slot(v)
	if t.name != "" && !slices.Contains(builtIn, t.name) && !slices.Contains(signedIn, t.name) && !s.knows(t.name) {
		b.fault(v, "nobody gives $"+t.name, "name it in params or secrets")
	}
	return t
}

func (b *builder) slot(v *strict.Value) slot {
	if !v.Given() || !v.OK() {
		return slot{}
	}
	t, err := parseSlot(v.Text())
	if err != nil {
		b.fault(v, err.Error(), "")
	}
	return t
}

// slots reads fields. What their names are that no word of the service is, a command
// has to give: they go into args, or, where that is nil, are a fault.
func (b *builder) slots(v *strict.Value, s *Service, args *[]string) (out []formField) {
	for _, e := range v.Items() {
		t := b.slot(e)
		b.need(e, t.name, s, args)
		out = append(out, formField{e.Key(), t})
	}
	return out
}

func (b *builder) need(v *strict.Value, name string, s *Service, args *[]string) {
	switch {
	case name == "token" && s.Auth.Kind != "login" && s.Auth.Kind != "oauth2":
		b.fault(v, "there is no $token", "auth: {kind: login} or oauth2")
	case name == "request_id" && b.p.socket == nil && b.p.topics == nil, name == "encrypted" && b.p.http == nil:
		b.fault(v, "there is no $"+name+" here", "")
	case name == "" || slices.Contains(builtIn, name) || s.knows(name):
	case slices.Contains(signedIn, name):
		b.fault(v, "$"+name+" is for signatures", "")
	case args == nil:
		b.fault(v, "nobody gives $"+name, "name it in params or secrets")
	case !slices.Contains(*args, name):
		*args = append(*args, name)
	}
}

func (b *builder) auth(v *strict.Value, s *Service) {
	a := &s.Auth
	*a = Auth{
		Kind: v.Get("kind").Text(), Header: v.Get("header").Text(), Request: v.Get("request").Text(),
		Lifetime: v.Get("lifetime").Duration(), Renew: v.Get("renew").Duration(), Bearer: v.Get("bearer").Bool(),
		value: b.known(v.Get("value"), s), user: b.known(v.Get("user"), s), password: b.known(v.Get("password"), s),
		url: b.known(v.Get("url"), s), scope: b.known(v.Get("scope"), s),
		token: b.path(v.Get("token"), s), lasts: b.path(v.Get("lasts"), s),
	}
	needs := map[string][]string{"static": {"value"}, "bearer": {"value"}, "basic": {"user", "password"}, "login": {"request"}, "oauth2": {"url", "user", "password"}}
	for _, need := range needs[a.Kind] {
		if !v.Get(need).Given() {
			b.fault(v, a.Kind+" needs "+need, "")
		}
	}
	if a.Kind == "login" || a.Kind == "oauth2" {
		if a.Renew*2 > a.Lifetime {
			b.fault(v.Get("renew"), "a token would be renewed as soon as it is there", "less than half of lifetime")
		}
	}
}

// login looks whether the request that gives a token can be asked without one.
func (b *builder) login(v *strict.Value, h *HTTP) {
	if h.Auth.Kind != "login" || !v.Get("request").OK() {
		return
	}
	b.message(v.Get("request"), h.Auth.Request)
	if r := h.requests[h.Auth.Request]; r != nil && len(r.Args) > 0 {
		b.fault(v.Get("request"), "the request needs $"+r.Args[0]+" of a command", "")
	}
}

func (b *builder) path(v *strict.Value, s *Service) Path {
	if !v.OK() {
		return Path{}
	}
	return b.pathText(v, v.Text(), s)
}

func (b *builder) pathText(v *strict.Value, text string, s *Service) Path {
	p, err := ParsePath(text)
	if err != nil {
		b.fault(v, err.Error(), "a.b[0].c, or list[?key=value].d")
	}
	for _, name := range p.names() {
		if s == nil || !s.param(name) {
			b.fault(v, "the link has no word "+name, "name it in params")
		}
	}
	return p
}

func (b *builder) request(v *strict.Value, h *HTTP, shared []formField, common *answering) *Request {
	r := &Request{Name: v.Key(), Method: v.Get("method").Text(), Within: v.Get("within").Duration(), path: v.Get("path").Text(), Reads: v.Get("reads").Bool()}
	if !nameForm.MatchString(r.Name) {
		b.fault(v, "not a name in small letters", "")
	}
	for part := range strings.SplitSeq(r.path, "/") {
		t, err := parseSlot(part)
		if err != nil || t.name != "" && t.text != "" {
			b.fault(v.Get("path"), "a part of a path is a text or $name as a whole", "")
		}
		b.need(v.Get("path"), t.name, &h.Service, &r.Args)
	}
	r.query = b.slots(v.Get("query"), &h.Service, &r.Args)
	r.form = b.slots(v.Get("form"), &h.Service, &r.Args)
	r.headers = slices.Concat(shared, b.slots(v.Get("headers"), &h.Service, &r.Args))
	r.json = b.template(v.Get("json"), &h.Service, &r.Args)
	r.seal, r.sealed = b.known(v.Get("encrypt").Get("key"), &h.Service), v.Get("encrypt").Given()
	r.answer = b.answering(v, common, &h.Service)
	b.requestBody(v, r)
	slices.Sort(r.Args)
	return r
}

// body looks whether what the body is made of goes together.
func (b *builder) requestBody(v *strict.Value, r *Request) {
	js, form := v.Get("json").Given(), v.Get("form").Given()
	sealed := func(f formField) bool { return f.term.name == "encrypted" }
	uses := slices.ContainsFunc(r.form, sealed)
	if slices.ContainsFunc(slices.Concat(r.query, r.headers), sealed) {
		b.fault(v, "$encrypted stands in the form", "")
	}
	switch {
	case r.sealed && (!js || !uses):
		b.fault(v.Get("encrypt"), "a document goes into the form as $encrypted", "json, and a field of form")
	case !r.sealed && uses:
		b.fault(v.Get("form"), "there is no $encrypted", "encrypt: {by: aes_ecb, key: …}")
	case !r.sealed && js && form:
		b.fault(v.Get("form"), "a body is a form or a document", "")
	}
	switch {
	case r.Method == "" && (js || form):
		r.Method = "POST"
	case r.Method == "":
		r.Method = "GET"
	case r.Method == "GET" && (js || form):
		b.fault(v.Get("method"), "GET has no body", "")
	}
}

func (b *builder) template(v *strict.Value, s *Service, args *[]string) *Template {
	if !v.Given() || !v.OK() {
		return nil
	}
	t, names, err := parseTemplate(v.Text())
	if err != nil {
		b.fault(v, err.Error(), "")
	}
	for _, n := range names {
		b.need(v, n, s, args)
	}
	return &t
}
