package shadow

// Class says what a desired field is, and by it when the field may be carried out.
type Class uint8

const (
	// Unclassed is carried out when its turn comes.
	Unclassed Class = iota
	// ClassConfig has no time to live. It waits while an order of priority 0 stands, and is
	// handed out to be judged only then.
	ClassConfig
	// ClassOperation ends by itself, after 600 s if nothing says otherwise, and is swept away
	// by an order of priority 0.
	ClassOperation
	// ClassRestrictive is a level: a boolean, or an object with a member "on". On, it has no
	// time to live and waits for nothing, not even for knowing how fresh it is. Off (false),
	// it is permissive. To take it out of desired changes nothing.
	ClassRestrictive
	// ClassPermissive is good for a minute by proven server time, and signed by an operator.
	ClassPermissive
	// ClassObserved is reported only.
	ClassObserved
)

const operationTTL = 600

// of is the class of a value: the same field restricts when on and permits when off.
func (r Rule) of(value any) Class {
	if r.Class == ClassRestrictive && isOff(value) {
		return ClassPermissive
	}
	return r.Class
}

func isOff(level any) bool {
	if t, ok := level.(Tree); ok {
		level = t["on"]
	}
	return level == false
}

// ttl is how long a value is good for when its header does not say, 0 for ever.
func (r Rule) ttl(value any) int64 {
	switch r.of(value) {
	case ClassOperation:
		if r.TTL == 0 {
			return operationTTL
		}
	case ClassPermissive:
		return maxSigned
	case ClassRestrictive:
		return 0
	}
	return r.TTL
}

// classes are those of the fields of an intent: bit i is class i.
type classes uint8

func (c classes) with(k Class) classes { return c | 1<<k }
func (c classes) has(k Class) bool     { return c&(1<<k) != 0 }
func (c classes) only(k Class) bool    { return c == 1<<k }

// endBy brings the end of an intent forward to ttl seconds after at; ttl 0 does not.
func (it *intent) endBy(at, ttl int64) {
	if ttl > 0 && (it.expires == 0 || at+ttl < it.expires) {
		it.expires = at + ttl
	}
}

// bound holds what a header says of its time against the classes of its fields.
func (it *intent) bound() {
	switch {
	case it.classes.only(ClassRestrictive):
		it.expires = 0
	case it.classes.has(ClassPermissive):
		it.endBy(it.at, maxSigned)
		if it.header.signed.Exp > 0 && it.header.signed.Exp < it.expires {
			it.expires = it.header.signed.Exp
		}
	}
}

// timely: what ends needs a clock to be judged by, and what permits a proven one. Where no
// service proves the time, it is handed on to be refused rather than to wait for ever.
func (s *Session) timely(it intent) bool {
	if it.classes.has(ClassPermissive) {
		return s.clock.proven || s.cfg.Beside == ""
	}
	return it.expires == 0 || s.clock.ms(s.now) != 0
}

// refusal is what there is against an intent when it would be carried out, before its
// values are judged; nil is nothing.
func (s *Session) refusal(t *twin, it intent) []Result {
	if it.header != nil && it.header.fault != "" {
		return sameResult(it, ackRefused, it.header.fault)
	}
	out := sameResult(it, ackTogether, "refused together with another value")
	bad := false
	for i, f := range it.fields {
		if code, why := s.forbidden(t, it, f); code != 0 {
			out[i].Code, out[i].Detail, bad = code, why, true
		}
	}
	if !bad {
		return nil
	}
	return out
}

func (s *Session) forbidden(t *twin, it intent, f field) (code int, why string) {
	switch s.rule(f.name).of(f.value) {
	case ClassObserved:
		return ackNotYours, "this is reported only"
	case ClassPermissive:
		if why := s.unsigned(t, it, f); why != "" && !it.removal {
			return ackRefused, why
		}
	}
	return 0, ""
}

// unsigned says why an intent may not release anything; "" when it may.
func (s *Session) unsigned(t *twin, it intent, f field) string {
	switch {
	case it.header == nil || it.header.signed.Key == "":
		return "needs an operator's signature in the header of its intent"
	case len(it.header.fields) != 1:
		return "a signature is for one field: its header may name no other"
	case !s.clock.proven:
		return "this connection has no proven time"
	case s.spent.has(it.header.signed):
		return "the signature was used before"
	}
	sig := it.header.signed
	return sig.Wrong(s.cfg.Operators, SignedBytes(s.cfg.Serial, it.header.id, t.name+"/"+f.name, f.value, sig.Exp), s.clock.ms(s.now)/1000)
}

// signatures are those used whose time is not over, with its end: a copy of the write
// that carried one releases nothing a second time.
type signatures map[string]int64

func (g signatures) has(sig Signature) bool {
	_, used := g[sig.text()]
	return used
}

// add keeps the signature of an intent that was handed out, and forgets those that are over.
func (g *signatures) add(s *Session, it intent) {
	if it.header == nil || !it.classes.has(ClassPermissive) || it.header.signed.Key == "" {
		return
	}
	if *g == nil {
		*g = signatures{}
	}
	for sig, exp := range *g {
		if exp*1000 <= s.clock.ms(s.now) {
			delete(*g, sig)
		}
	}
	(*g)[it.header.signed.text()] = it.header.signed.Exp
	s.dirty |= dirtSpent
}
