package shadow

// Session keeps one thing in step. One goroutine owns it. Deterministic: the
// same inputs at the same instants give the same outputs. now is nanoseconds of
// a monotonic clock, serverless.
type Session struct{}

// New makes a session that knows nothing yet; hand it Loaded first.
func New(c Config) *Session { panic("open") }

// Step takes one input and appends what is to be done to out.
func (s *Session) Step(in Input, now int64, out []Output) []Output { panic("open") }

// NextWake is the earliest instant at which a Tick can matter; 0 = none.
func (s *Session) NextWake() int64 { panic("open") }

// View copies the state for readers.
func (s *Session) View() View { panic("open") }

// Topics lists what must be subscribed before Up.
func (s *Session) Topics() []string { panic("open") }
