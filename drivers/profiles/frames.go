package profiles

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"
)

// Frames is how a controller is spoken to whose messages are frames of bytes: where
// a frame begins and ends, what proves it, and what each message says in it. It is
// read-only, so safe for several goroutines, and does no I/O: bytes in, bytes out.
//
// A question is made by [Frames.Ask]. What comes then is judged by [Question.Hear]
// byte run by byte run, and the run that it takes is read by [Question.Read]. What
// nobody asked for is cut by [Frames.Cut] and read by [Frames.Unasked].
type Frames struct {
	shape    shape
	messages map[string]*message
	refusals []*message
	asks     []field // heads
	answers  []field
	params   map[string]param
	first    int // of the sequence
	last     int
	silence  time.Duration
	within   time.Duration // 0 = not said
	unit     string        // a parameter
}

// shape is what all frames have in common.
type shape struct {
	start, end []byte
	escape     map[byte][]byte // byte to what stands for it
	back       map[string]byte // and back
	length     *lengthField
	check      *checksum
	pad        int // the whole is a multiple of this; 0 = none
	padWith    byte
	fixed      int // all frames are so long; 0 = they are not
	most       int
	gap        time.Duration
	restart    bool // a start within a frame begins another
}

// lengthField is where a frame says how long it is: Its number counts from an offset
// of the frame to the end of the body, or of the whole.
type lengthField struct {
	at    int
	field field
	from  int
	whole bool
	add   int
}

// message is one message by its name, or one way in which the controller says no.
type message struct {
	name     string
	ask      []field
	answer   []field
	reply    []field
	match    []string
	silent   bool // it is never answered
	unasked  bool
	unframed bool // the answer may come with nothing around it
	tells    string
	until    *Until
	each     *Each
	busy     bool   // a refusal: busy
	code     string // a refusal: the field that says why, or the code itself
	fixed    bool   // code is the code itself
}

// param is a number of the site, as an address, that the link's URL may set.
type param struct{ value, low, high int }

// Until is the proof that a device has taken what a message set: a bit that it
// clears by itself.
type Until struct {
	Read   string // the message that asks for it
	Of     string // the value of that
	Is     string // what it is in the end
	Within time.Duration
	Every  time.Duration
}

// Each is a message that is asked for one landing at a time.
type Each struct {
	Argument string // takes the controller's number of the landing
	Of       string // the value of the answer
	Lit      string // what it is where the lamp is lit
	Dark     string // and where it is not; anything else is neither
}

// Kinds of errors of Frames. Test with errors.Is.
var (
	ErrNoMessage = errors.New("no such message")
	ErrArgument  = errors.New("a value that the message does not take")
	ErrMisfit    = errors.New("the frame does not fit the message")
)

// Frames gives the frames of a profile whose protocol is frames, nil for another.
func (p *Profile) Frames() *Frames { return p.frames }

// Messages lists the messages by name.
func (f *Frames) Messages() []string { return slices.Sorted(maps.Keys(f.messages)) }

// Pushed reports whether a message comes unasked.
func (f *Frames) Pushed(name string) bool {
	m := f.messages[name]
	return m != nil && m.unasked
}

// Listens reports whether any message comes unasked.
func (f *Frames) Listens() bool {
	for _, m := range f.messages {
		if m.unasked {
			return true
		}
	}
	return false
}

// Polled reports whether a message may be asked again and again: it takes no value
// but its own, and has an answer.
func (f *Frames) Polled(name string) bool {
	m := f.messages[name]
	if m == nil || m.unasked || m.silent {
		return false
	}
	for _, x := range m.ask {
		if m.each != nil && x.name == m.each.Argument {
			continue
		}
		if f.needs(x) {
			return false
		}
	}
	return true
}

// needs reports whether a field of a question wants an argument.
func (f *Frames) needs(x field) bool {
	_, own := f.params[x.name]
	return x.name != "" && x.name != sequence && !own && !x.fixed() && x.def.Kind == RawNone
}

// Until is the proof that a message was taken, nil where its answer is it.
func (f *Frames) Until(name string) *Until {
	if m := f.messages[name]; m != nil {
		return m.until
	}
	return nil
}

// Each is set for a message that is asked for one landing at a time.
func (f *Frames) Each(name string) *Each {
	if m := f.messages[name]; m != nil {
		return m.each
	}
	return nil
}

// Numbered reports whether answers can be told apart by a number, so that a late one
// is not taken for another question's: every message that is answered has it.
func (f *Frames) Numbered() bool {
	for _, m := range f.messages {
		if len(m.ask) > 0 && !m.silent && !slices.Contains(m.match, sequence) {
			return false
		}
	}
	return true
}

// Silence is how long nothing may come before the controller counts as gone.
func (f *Frames) Silence() time.Duration { return f.silence }

// Within is the longest time to answer; 0 where the profile does not say.
func (f *Frames) Within() time.Duration { return f.within }

// Unit tells the devices of one line apart: the site's value of one parameter.
func (f *Frames) Unit() uint8 { return uint8(f.params[f.unit].value) }

// Harmless reports whether a message only asks: it takes no value but its own, and no
// command of the profile says it.
func (p *Profile) Harmless(name string) bool {
	for _, c := range p.commands {
		if slices.ContainsFunc(c.sends, func(s sending) bool { return s.message == name }) {
			return false
		}
	}
	return p.frames != nil && p.frames.Polled(name)
}

// Gap is the silence that the controller wants between frames.
func (f *Frames) Gap() time.Duration { return f.shape.gap }

// Most is the longest frame in bytes.
func (f *Frames) Most() int { return f.shape.most }

// Params lists the numbers of the site that the link may set, by name.
func (f *Frames) Params() []string { return slices.Sorted(maps.Keys(f.params)) }

// With gives the frames as they are on one site. It fails for a name or a value that
// the profile does not have.
func (f *Frames) With(set map[string]int) (*Frames, error) {
	out := *f
	out.params = maps.Clone(f.params)
	for name, v := range set {
		p, ok := f.params[name]
		if !ok {
			return nil, fmt.Errorf("%w: the profile has no parameter %s; there are %v", ErrArgument, name, f.Params())
		}
		if v < p.low || v > p.high {
			return nil, fmt.Errorf("%w: %s %d is not within %d to %d", ErrArgument, name, v, p.low, p.high)
		}
		p.value = v
		out.params[name] = p
	}
	return &out, nil
}

// sequence is the name of the field that counts questions.
const sequence = "sequence"

// number is the n-th number of the sequence, over and over.
func (f *Frames) number(n int) int {
	span := f.last - f.first + 1
	return f.first + ((n%span)+span)%span
}
