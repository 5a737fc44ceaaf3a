package shadow

// Dialect carries what goes beside the shadow in another service's topics and
// shapes, so that neither the session nor whoever owns it knows which service that
// is. A service with a dialect answers no registration, no beat and no order of
// reports: the shadow is polled instead, and the epoch is 0.
//
// Pure: the session steps it, with every input and every message, and nobody else
// may. It must not keep what it is handed.
type Dialect interface {
	// Topics are subscribed beside those of the shadow and of presence.
	Topics() []string
	// Hear says what an input means in the words of this package, and what is to be
	// sent at once because of it.
	Hear(in Input) ([]Input, []Publish)
	// Say puts a message of this package into the service's words.
	Say(p Publish) []Publish
}

// StaticShadow holds what a registration would tell, with a service that has none.
const StaticShadow = "static"

// alone: nobody beside the shadow answers in our words.
func (s *Session) alone() bool { return s.cfg.Beside == "" || s.cfg.Dialect != nil }

// proveTime: where nobody answers registrations and beats, the answer to a request of
// this connection proves the service's time.
func (s *Session) proveTime() {
	if s.alone() && s.clock.at != 0 {
		s.clock.proven = true
	}
}

func (s *Session) hear(in Input) {
	if s.cfg.Dialect == nil {
		s.take(in)
		return
	}
	inputs, say := s.cfg.Dialect.Hear(in)
	for _, in := range inputs {
		s.take(in)
	}
	for _, p := range say {
		s.put(p)
	}
}

func (s *Session) say(p Publish) {
	if s.cfg.Dialect == nil {
		s.put(p)
		return
	}
	for _, p := range s.cfg.Dialect.Say(p) {
		s.put(p)
	}
}

// reportStatic stands in for the registration.
func (s *Session) reportStatic() {
	if s.cfg.Dialect == nil {
		return
	}
	facts := Clone(s.cfg.Register)
	more, _ := facts["static"].(Tree)
	delete(facts, "static")
	delete(facts, "store")
	s.report(Report{Shadow: StaticShadow, Fields: Merge(facts, more)})
}
