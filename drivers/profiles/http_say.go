package profiles

import (
	"crypto/md5"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"time"
)

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
