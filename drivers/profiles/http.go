package profiles

import (
	"maps"
	"slices"
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
