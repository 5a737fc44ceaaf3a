package shadow

// Sample is one value of a series, for curves and not for the document: it goes out when
// there is room and a connection, and is dropped when not.
type Sample struct {
	Series string // L1.floor
	Value  any    // a leaf
}

func (Sample) input() {}

// maxSamples is what one message holds, in bytes; one goes a second.
const maxSamples = 1 << 10

// samples are those of the message to come. Nothing of it is stored: a disk that is full
// loses none, and a restart loses a second's.
type samples struct {
	list    []any
	bytes   int
	budget  bucket
	dropped uint64
}

func newSamples() samples { return samples{budget: newBucket(second, 1)} }

// sample takes a value in, or counts it as dropped: with nobody to send it to, without the
// service's time, or beyond what the next message holds.
func (s *Session) sample(in Sample) {
	if s.cfg.Beside == "" {
		return
	}
	b := &s.aside.samples
	v, err := Plain(in.Value)
	entry := []any{in.Series, num(s.clock.ms(s.now) / 1000), v}
	size := len(encodeValue(entry)) + 1
	if err != nil || !s.link.up || !s.link.registered || s.clock.at == 0 || b.bytes+size > maxSamples-envelope {
		b.dropped++
		return
	}
	b.list = append(b.list, entry)
	b.bytes += size
}

// envelope is room for {"at":…,"epoch":…,"samples":[…]}.
const envelope = 96

func (s *Session) tellSamples() {
	b := &s.aside.samples
	if len(b.list) == 0 || !s.reached(b.budget.at()) {
		return
	}
	b.budget.take(s.now)
	s.publish("", s.cfg.Beside+"/"+BesideTelemetry, Encode(Tree{
		"epoch": num(s.epoch), "at": num(s.clock.ms(s.now) / 1000), "samples": b.list,
	}), 0, false)
	b.list, b.bytes = nil, 0
}

func (b *samples) reconnected() {
	b.dropped += uint64(len(b.list))
	b.list, b.bytes = nil, 0
}
