package profiles

import (
	"crypto/md5"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"maps"
	"mime"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Param is a word that the link of a lift says, or a secret that its file holds.
type Param struct {
	Name, Doc string
	Default   string
	Needed    bool
}

// Service is what services over HTTP and over sockets have in common.
type Service struct {
	Params  []Param
	Secrets []Param
	Auth    Auth
	signs   map[string]*Signature
	places  map[string]Path // of points and of conditions, as written
	queries []string        // the jq expressions among the points' places
}

// Auth is how we show who we are.
type Auth struct {
	Kind     string // none, static, bearer, basic, login, oauth2
	Header   string // static
	Request  string // login
	Lifetime time.Duration
	Renew    time.Duration
	Bearer   bool // the token goes along in the Authorization header

	value, user, password, url, scope slot
	token, lasts                      Path
}

// HTTP is a service that is asked by requests. Read-only, so safe for several goroutines.
type HTTP struct {
	Service
	Rate     Rate
	requests map[string]*Request
	push     *Push
}

// Rate is what one account may ask.
type Rate struct {
	Requests int
	Per      time.Duration
	Reserve  int // of them for commands
}

// Request is one request of a service.
type Request struct {
	Name   string
	Method string
	Within time.Duration
	Args   []string // values of a command that it needs; none: it may be polled
	Reads  bool     // it moves nothing

	path    string
	headers []formField
	query   []formField
	form    []formField
	json    *Template
	seal    slot
	sealed  bool
	answer  *answering
}

// Outgoing is a request as it goes out.
type Outgoing struct {
	Method, Path, Query string // escaped
	Header              [][2]string
	Body                []byte // nil: none
}

// HTTP is the service of a profile that is spoken to over HTTP, else nil.
func (p *Profile) HTTP() *HTTP { return p.http }

// Request gives one by its name.
func (h *HTTP) Request(name string) *Request { return h.requests[name] }

// Requests lists the names, sorted.
func (h *HTTP) Requests() []string { return slices.Sorted(maps.Keys(h.requests)) }

// Say writes a request with its values. The same request and the same values give the
// same bytes.
func (h *Service) Say(r *Request, g Given) (Outgoing, error) {
	s, err := h.say(r, &g)
	if err != nil {
		return Outgoing{}, fmt.Errorf("request %s: %w", r.Name, err)
	}
	return s, nil
}

func (h *Service) say(r *Request, g *Given) (out Outgoing, err error) {
	w := words{g: g, own: map[string]string{}}
	out.Method = r.Method
	if out.Path, err = sayPath(r.path, w); err != nil {
		return out, err
	}
	if err := r.document(&out, h.signing(w, "", nil)); err != nil {
		return out, err
	}
	w.own["method"], w.own["path"] = out.Method, out.Path
	query, err := h.fields(r.query, "query", w)
	if err != nil {
		return out, err
	}
	out.Query = encode(query)
	w.own["path_query"] = out.Path
	if out.Query != "" {
		w.own["path_query"] += "?" + out.Query
	}
	if len(r.form) > 0 {
		form, err := h.fields(r.form, "form", w)
		if err != nil {
			return out, err
		}
		out.Body = []byte(encode(form))
		out.Header = append(out.Header, [2]string{"Content-Type", "application/x-www-form-urlencoded"})
	}
	return out, h.head(r, &out, w)
}

// document fills in the JSON body, or seals it for the form.
func (r *Request) document(out *Outgoing, w words) error {
	if r.json == nil {
		return nil
	}
	doc, err := r.json.fill(w)
	if err != nil {
		return err
	}
	if !r.sealed {
		out.Body = doc
		out.Header = append(out.Header, [2]string{"Content-Type", "application/json"})
		return nil
	}
	key, err := r.seal.say(w)
	if err != nil {
		return err
	}
	w.own["encrypted"], err = sealECB(doc, key)
	return err
}

// fields says a form or a query; signatures come last, over all the others.
func (h *Service) fields(fs []formField, what string, w words) ([][2]string, error) {
	plain := slices.DeleteFunc(slices.Clone(fs), func(f formField) bool { return h.signs[f.term.name] != nil })
	said, err := say(plain, w)
	if err != nil {
		return nil, err
	}
	w.own[what] = encode(said)
	signed := h.signing(w, what, said)
	all, err := say(fs, signed)
	return all, err
}

// signing adds the signatures to the words.
func (s *Service) signing(w words, what string, fields [][2]string) words {
	plain := w
	w.signs = func(name string) (string, bool, error) {
		sign := s.signs[name]
		if sign == nil {
			return "", false, nil
		}
		if sign.Sorted != "" && sign.Sorted != what {
			return "", true, fmt.Errorf("$%s signs the %s: %w", name, sign.Sorted, ErrMissing)
		}
		text, err := sign.sign(fields, plain)
		return text, true, err
	}
	return w
}

// head says the headers; none may end its line.
func (h *Service) head(r *Request, out *Outgoing, w words) error {
	md, sha := md5.Sum(out.Body), sha256.Sum256(out.Body)
	w.own["body"], w.own["body_md5"], w.own["body_sha256"] = string(out.Body), hex.EncodeToString(md[:]), hex.EncodeToString(sha[:])
	head, err := say(r.headers, h.signing(w, "", nil))
	if err != nil {
		return err
	}
	auth, err := h.Auth.headers(w, r.Name == h.Auth.Request)
	if err != nil {
		return err
	}
	out.Header = append(out.Header, append(auth, head...)...)
	return clean(out.Header)
}

// errLine is a value that would end the line of its header.
var errLine = errors.New("a header holds one line of printable text")

func clean(head [][2]string) error {
	for _, f := range head {
		if strings.ContainsFunc(f[1], func(r rune) bool { return r < ' ' || r == 0x7f }) {
			return fmt.Errorf("%s: %w", f[0], errLine)
		}
	}
	return nil
}

// sayPath fills in the parts of a path that are values.
func sayPath(path string, w words) (string, error) {
	parts := strings.Split(path, "/")
	for i, p := range parts {
		t, err := parseSlot(p)
		if err != nil || t.name == "" {
			continue // the parser of the profile has seen to it
		}
		v, err := t.say(w)
		if err == nil && (v == "" || v == "." || v == "..") {
			err = fmt.Errorf("$%s: %q is no part of a path", t.name, v)
		}
		if err != nil {
			return "", err
		}
		parts[i] = url.PathEscape(v)
	}
	return strings.Join(parts, "/"), nil
}

// headers are those that show who we are; a login shows nothing yet.
func (a *Auth) headers(w words, login bool) ([][2]string, error) {
	var v string
	var err error
	switch {
	case login, a.Kind == "none", a.Kind == "":
		return nil, nil
	case a.Kind == "basic":
		return a.basic(w)
	case a.Kind == "static":
		v, err = a.value.say(w)
		return [][2]string{{a.Header, v}}, err
	case a.Kind == "bearer":
		v, err = a.value.say(w)
	case !a.Bearer || w.g.Token == "":
		return nil, nil
	default:
		v = w.g.Token
	}
	return [][2]string{{"Authorization", "Bearer " + v}}, err
}

func (a *Auth) basic(w words) ([][2]string, error) {
	user, err := a.user.say(w)
	if err != nil {
		return nil, err
	}
	pass, err := a.password.say(w)
	if err != nil {
		return nil, err
	}
	return [][2]string{{"Authorization", "Basic " + base64Of(user+":"+pass)}}, nil
}

// Grant is the question for a token by client credentials.
func (a *Auth) Grant(g Given) (address string, s Outgoing, err error) {
	w := words{g: &g}
	if address, err = a.url.say(w); err != nil {
		return "", s, err
	}
	form := [][2]string{{"grant_type", "client_credentials"}}
	if a.scope != (slot{}) {
		scope, err := a.scope.say(w)
		if err != nil {
			return "", s, err
		}
		form = append(form, [2]string{"scope", scope})
	}
	head, err := a.basic(w)
	s = Outgoing{Method: "POST", Body: []byte(encode(form)), Header: append(head, [2]string{"Content-Type", "application/x-www-form-urlencoded"}, [2]string{"Accept", "application/json"})}
	return address, s, err
}

// Token takes a token and its life out of an answer; "" when there is none.
func (a *Auth) Token(doc any) (token string, lasts time.Duration) {
	token, lasts = a.token.Pick(doc, nil).Word(), a.Lifetime
	if a.Kind == "oauth2" {
		m, _ := doc.(map[string]any)
		token = RawOf(m["access_token"]).Word()
		if n, ok := RawOf(m["expires_in"]).Whole(); ok && n > 0 {
			lasts = time.Duration(min(n, 90*24*3600)) * time.Second
		}
		return token, lasts
	}
	if n, ok := a.lasts.Pick(doc, nil).Whole(); len(a.lasts.steps) > 0 && ok && n > 0 {
		lasts = time.Duration(min(n, 90*24*3600)) * time.Second
	}
	return token, lasts
}

// Pick gives the value at a place that the profile names and that is no jq expression.
func (s *Service) Pick(doc any, place string, site map[string]string) Raw {
	p, ok := s.places[place]
	if !ok {
		return Raw{}
	}
	return p.Pick(doc, func(name string) string { return site[name] })
}

// Queries lists the jq expressions among the places of the points, as the points name
// them: jq: and the expression.
func (s *Service) Queries() []string { return s.queries }

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
