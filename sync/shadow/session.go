package shadow

import (
	"fmt"
	"math/rand/v2"
	"slices"
)

// Session keeps one thing in step. One goroutine owns it. Deterministic: the
// same inputs at the same instants give the same outputs. now is nanoseconds of
// a monotonic clock, serverless.
//
// Connecting goes presence, register, get, full report, and only then intents.
// An [Apply], when there is one, is always the last output of a step, so that its
// [Applied] may follow before anything else.
type Session struct {
	cfg   Config
	rng   *rand.Rand
	twins []*twin // in the order of Config.Shadows
	link  link
	thing bucket // reported writes of all shadows together
	seq   sequence
	epoch uint64
	clock serverClock
	queue queue
	asked asked
	spent signatures
	alive int64 // when the owner last ended a pass
	lazy  int64 // when records that can wait are due, 0 = none
	dirty dirt
	aside aside
	// stored holds the hash of each record as it was last put out, so that one
	// that says the same is not written again.
	stored map[string][32]byte

	// Of the step that runs.
	now  int64
	wake int64
	out  []Output
}

// New makes a session that knows nothing yet; hand it Loaded first.
func New(c Config) *Session {
	s := &Session{
		cfg:    c,
		rng:    rand.New(rand.NewPCG(c.Seed, 0x5ad0)),
		thing:  newBucket(second/20, 20),
		queue:  queue{config: newBucket(second/5, 5)},
		aside:  newAside(),
		stored: map[string][32]byte{},
	}
	if c.Dialect != nil {
		s.cfg.Shadows = append(slices.Clone(c.Shadows), StaticShadow)
	}
	for _, name := range s.cfg.Shadows {
		if s.twin(name) == nil {
			s.twins = append(s.twins, newTwin(name))
		}
	}
	return s
}

func (s *Session) twin(name string) *twin {
	i := slices.IndexFunc(s.twins, func(t *twin) bool { return t.name == name })
	if i < 0 {
		return nil
	}
	return s.twins[i]
}

// Step takes one input and appends what is to be done to out.
func (s *Session) Step(in Input, now int64, out []Output) []Output {
	s.now, s.wake, s.out = max(s.now, now, 1), 0, out // instant 0 stands for never
	s.hear(in)
	s.advance()
	s.alive = s.now
	out, s.out = s.out, nil
	return out
}

// Passed says that the owner has ended a pass of its own work in which the session had no
// part; a step of the session is one as well. A beat tells how long ago the last one ended, so
// that a service sees an owner who stood still.
func (s *Session) Passed(now int64) { s.alive = now }

// ServerTime is the service's clock at now in epoch milliseconds; ok is false while it was
// not told on this connection.
func (s *Session) ServerTime(now int64) (ms int64, ok bool) {
	return s.clock.ms(now), s.link.up && s.clock.at != 0
}

// NextWake is the earliest instant at which a Tick can matter; 0 = none.
func (s *Session) NextWake() int64 { return s.wake }

func (s *Session) take(in Input) {
	switch in := in.(type) {
	case Loaded:
		s.load(in.Records)
	case Up:
		s.up(in.Session)
	case Down:
		s.down()
	case Received:
		s.receive(in.Message)
	case Report:
		s.report(in)
	case Applied:
		s.applied(in)
	case Amended:
		s.amended(in)
	case Sent:
		s.sent(in)
	case Stopping:
		s.stop()
	case Wish:
		s.ask(in)
	case Tick:
	default:
		s.takeAside(in)
	}
}

// advance does whatever has become possible, and notes when the next thing will.
func (s *Session) advance() {
	for _, t := range s.twins {
		s.plan(t)
	}
	s.expire()
	s.limitOrders()
	s.hold()
	if s.link.up && !s.link.stopping {
		s.connect()
	}
	s.confirm()
	s.keep()
	s.handOut()
	s.execute()
}

// connect is what needs the connection.
func (s *Session) connect() {
	if s.link.announceAt != 0 && s.reached(s.link.announceAt) {
		s.announce(true, "again")
	}
	s.register()
	if !s.registered() {
		return
	}
	s.beat()
	for _, t := range s.twins {
		s.pull(t)
	}
	for _, t := range s.twins {
		s.push(t)
	}
	s.connectAside()
}

// Topics lists what must be subscribed before Up.
func (s *Session) Topics() []string {
	ops := []string{
		OpGetAccepted, OpGetRejected, OpUpdateAccepted, OpUpdateRejected, OpUpdateDelta, OpDeleteAccepted,
	}
	var out []string
	for _, name := range s.filters() {
		for _, op := range ops {
			out = append(out, ShadowTopic(s.cfg.Prefix, name, op))
		}
	}
	if s.cfg.Beside == "" {
		return out
	}
	beside := besideTopics()
	if d := s.cfg.Dialect; d != nil {
		out, beside = append(out, d.Topics()...), []string{BesidePresence}
	}
	for _, t := range beside {
		out = append(out, s.cfg.Beside+"/"+t)
	}
	return out
}

// filters is one name for the classic shadow and one wildcard for all the others.
func (s *Session) filters() []string {
	var classic, named bool
	for _, t := range s.twins {
		classic = classic || t.name == ""
		named = named || t.name != ""
	}
	var out []string
	if classic {
		out = append(out, "")
	}
	if named {
		out = append(out, "+")
	}
	return out
}

// What the step functions share.

func (s *Session) put(o Output) { s.out = append(s.out, o) }

func (s *Session) note(kind, format string, args ...any) {
	s.put(Note{Kind: kind, Text: fmt.Sprintf(format, args...)})
}

func (s *Session) wakeAt(at int64) {
	if s.wake == 0 || at < s.wake {
		s.wake = at
	}
}

// reached tells whether the instant at has come, and else asks to be woken then.
func (s *Session) reached(at int64) bool {
	if s.now >= at {
		return true
	}
	s.wakeAt(at)
	return false
}

// token is unique among all requests of this thing, across restarts: the number
// of the connection is stored before it is used.
func (s *Session) token() string {
	s.link.requests++
	return fmt.Sprintf("%d-%d", s.link.session, s.link.requests)
}

func (s *Session) publish(token, topic string, payload []byte, qos byte, retain bool) {
	s.say(Publish{Token: token, Message: Message{Topic: topic, Payload: payload, QoS: qos, Retain: retain}})
}

// jitter is a duration drawn evenly from d ± part of d.
func (s *Session) jitter(d int64, part float64) int64 {
	return d + int64((2*s.rng.Float64()-1)*part*float64(d))
}
