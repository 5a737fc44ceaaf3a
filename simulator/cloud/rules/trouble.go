package rules

import (
	"slices"
	"strings"

	"hoistway/sync/shadow"
)

// Trouble is a fault of the service's own, on demand, to see what devices make of it.
// What can happen to a message on its way is not the rules' business.
type Trouble struct {
	Kind    TroubleKind
	Serial  string // "" = every thing
	Request string // the end of its topic, as update or register; "" = every request
	Times   int    // how often; 0 = until it is called off
	Code    int    // of a refusal; 0 = 500
}

// TroubleKind names what goes wrong.
type TroubleKind string

// The troubles that the rules know.
const (
	RefuseTrouble   TroubleKind = "refuse"        // the request is refused with Code
	ThrottleTrouble TroubleKind = "throttle"      // refused 429: too many requests
	VersionTrouble  TroubleKind = "wrong-version" // answers tell a version that is not so
)

// wrongBy is how far a wrong version is off: far enough to be no neighbour's.
const wrongBy = 1000

// TroubleKinds are all of them, for whoever offers a choice.
func TroubleKinds() []TroubleKind {
	return []TroubleKind{RefuseTrouble, ThrottleTrouble, VersionTrouble}
}

// Trouble makes trouble from now on. false says that there is no such kind.
func (s *Service) Trouble(t Trouble) bool {
	if !slices.Contains(TroubleKinds(), t.Kind) {
		return false
	}
	s.troubles = append(s.troubles, t)
	return true
}

// Troubles are those that may still happen.
func (s *Service) Troubles() []Trouble { return slices.Clone(s.troubles) }

// Calm calls all troubles off.
func (s *Service) Calm() { s.troubles = nil }

// meet is the first trouble that a request runs into, and counts it.
func (s *Service) meet(serial, rest string) (Trouble, bool) {
	i := slices.IndexFunc(s.troubles, func(t Trouble) bool {
		return (t.Serial == "" || t.Serial == serial) && (t.Request == "" || rest == t.Request || strings.HasSuffix(rest, "/"+t.Request))
	})
	if i < 0 {
		return Trouble{}, false
	}
	t := s.troubles[i]
	if t.Times == 1 {
		s.troubles = slices.Delete(s.troubles, i, i+1)
	} else if t.Times > 1 {
		s.troubles[i].Times--
	}
	return t, true
}

// troubled answers a request with what is wrong today; false lets it through.
func (c *call) troubled(t Trouble) bool {
	refusal := &shadow.Rejection{Code: t.Code, Message: "Refused on demand"}
	switch {
	case t.Kind == VersionTrouble:
		return false
	case t.Kind == ThrottleTrouble:
		refusal = &shadow.Rejection{Code: 429, Message: "Too many requests"}
	case t.Code == 0:
		refusal.Code = 500
	}
	token, _ := readToken(c.payload)
	c.refuse(refusal, token, nil)
	return true
}

// misnumber makes the versions wrong in what is sent.
func misnumber(messages []shadow.Message) {
	for i, m := range messages {
		t, err := shadow.Decode(m.Payload)
		if version, ok := integer(t["version"]); ok && err == nil {
			t["version"] = number(version + wrongBy)
			messages[i].Payload = shadow.Encode(t)
		}
	}
}
