package commission

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"time"

	"hoistway/drivers"
	"hoistway/drivers/modbus"
	"hoistway/drivers/profiles"
)

// Search is what a scan looks for. All of it is bounded before it starts.
type Search struct {
	Link     *url.URL // its settings and unit are tried first
	Units    []byte
	Settings []drivers.SerialMode // of a serial line; the rest of the world has one
	Profile  *profiles.Profile    // narrows what is asked; nil: a register that any answer is an answer to
	Listen   time.Duration        // before anything is said, at each setting of a serial line
	Wait     time.Duration        // for each answer
	From     int                  // tries that were made before
	Progress func(Progress)       // after each try; nil: not told
}

// Progress is how far a scan is. Left is reckoned from what the tries took so far.
type Progress struct {
	Try, Of int
	Setting string
	Unit    byte
	Left    time.Duration
}

// Found is what a scan brought.
type Found struct {
	Tries   int           `json:"tries"`
	Of      int           `json:"of"`
	Took    time.Duration `json:"took_ns"`
	Heard   []Heard       `json:"heard"` // by listening, before anything was sent
	Setting string        `json:"setting,omitempty"`
	Unit    byte          `json:"unit,omitempty"`
	Link    string        `json:"link,omitempty"` // "" : nothing was found
	Answer  string        `json:"answer,omitempty"`
	Notes   []Finding     `json:"notes"` // what was noticed on the way, and what it means
	Done    bool          `json:"done"`  // false: stopped before its end

	mode drivers.SerialMode
}

// Heard is what listening at one setting brought.
type Heard struct {
	Setting string   `json:"setting"`
	Bytes   int      `json:"bytes"`
	Frames  int      `json:"frames"` // with a right checksum
	Units   []byte   `json:"units"`  // that were spoken to or spoke
	Verdict string   `json:"verdict"`
	Sample  []string `json:"sample"` // the first of them
}

// QuickSettings are those in which lift controllers leave the factory, the likely
// first; AllSettings is everything that is seen in the field.
var (
	quickBauds = []int{9600, 19200, 38400, 57600, 115200, 4800}
	allBauds   = []int{9600, 19200, 38400, 57600, 115200, 4800, 2400, 1200, 14400, 28800}
)

// Settings lists line settings to try, the link's own first.
func Settings(own drivers.SerialMode, all bool) []drivers.SerialMode {
	out := []drivers.SerialMode{own}
	bauds, parities, stops := quickBauds, []string{"none", "even"}, []int{1}
	if all {
		bauds, parities, stops = allBauds, []string{"none", "even", "odd"}, []int{1, 2}
	}
	for _, s := range stops {
		for _, b := range bauds {
			for _, p := range parities {
				if m := (drivers.SerialMode{Baud: b, DataBits: 8, Parity: p, StopBits: s}); m != own {
					out = append(out, m)
				}
			}
		}
	}
	return out
}

// Estimate is how long a search may take at most, when nobody answers.
func (s Search) Estimate() time.Duration {
	perTry := s.Wait + 60*time.Millisecond
	return time.Duration(len(s.Settings))*s.Listen + time.Duration(s.tries()-s.From)*perTry
}

func (s Search) tries() int { return max(1, len(s.Settings)) * len(s.Units) }

// Scan listens first and then asks, setting by setting and unit by unit, and stops
// at the first answer. It has the line for itself.
func (w World) Scan(ctx context.Context, s Search) (Found, error) {
	r := scan{World: w.filled(), Search: s, start: time.Now()}
	r.found = Found{Of: s.tries(), Tries: s.From, Heard: []Heard{}, Notes: []Finding{}}
	err := r.all(ctx)
	r.found.Took = time.Since(r.start)
	if ctx.Err() != nil {
		err = nil // what was found so far is the answer
	}
	r.found.Notes = append(r.found.Notes, r.explain()...)
	return r.found, err
}

// scan is a search under way.
type scan struct {
	World
	Search
	start time.Time
	found Found
	seen  [6]int // replies by kind
	spoil map[string]int
}

func (r *scan) all(ctx context.Context) error {
	settings := r.Settings
	if !isSerial(r.Link) {
		settings = []drivers.SerialMode{{}}
	}
	r.spoil = map[string]int{}
	for i, m := range settings {
		if (i+1)*len(r.Units) <= r.From {
			continue
		}
		done, err := r.setting(ctx, i, m)
		if err != nil || done || ctx.Err() != nil {
			return err
		}
	}
	r.found.Done = true
	return nil
}

// setting tries all units at one setting; done when one answered.
func (r *scan) setting(ctx context.Context, i int, m drivers.SerialMode) (done bool, err error) {
	raw, err := r.open(ctx, m)
	if err != nil {
		return false, err
	}
	defer func() { _ = raw.Close() }()
	name := "-"
	if isSerial(r.Link) {
		name = ModeWords(m)
		if err := r.listen(ctx, raw, name); err != nil {
			return false, err
		}
		if h := r.found.Heard[len(r.found.Heard)-1]; h.Frames > 0 {
			r.live(h, m)
			return true, nil
		}
	}
	for j, u := range r.Units {
		n := i*len(r.Units) + j
		if n < r.From {
			continue
		}
		rep, err := raw.Ask(ctx, u, r.question(), r.Wait)
		if err != nil {
			if raw, err = r.again(ctx, raw, m, err); err != nil {
				return false, err
			}
		}
		r.found.Tries = n + 1
		r.tell(n+1, name, u)
		if r.take(rep, u, name, m) {
			return true, nil
		}
	}
	return false, nil
}

// again opens a line anew that broke: a controller on TCP may hang up after each
// question that is not for it.
func (r *scan) again(ctx context.Context, old *modbus.Raw, m drivers.SerialMode, why error) (*modbus.Raw, error) {
	if isSerial(r.Link) || ctx.Err() != nil {
		return old, why
	}
	fresh, err := r.open(ctx, m)
	if err != nil {
		return old, err
	}
	_ = old.Close()
	return fresh, nil
}

func (r *scan) open(ctx context.Context, m drivers.SerialMode) (*modbus.Raw, error) {
	return r.raw(ctx, r.Link, m, nil)
}

// raw opens a link's line for questions with nothing between.
func (w World) raw(ctx context.Context, u *url.URL, m drivers.SerialMode, note func(drivers.Frame)) (*modbus.Raw, error) {
	if isSerial(u) {
		return w.rawSerial(u.Path, m, note)
	}
	ctx, cancel := context.WithTimeout(ctx, 3*time.Second)
	defer cancel()
	c, err := w.filled().Dial(ctx, "tcp", LineOf(u))
	if err != nil {
		return nil, fmt.Errorf("%w: %w", drivers.ErrLink, err)
	}
	return modbus.NewRaw(c, u.Scheme != "modbus+tcp", w.env(note), LineOf(u)), nil
}

// question is the first read of the profile, or one holding register.
func (r *scan) question() []byte { return firstRead(r.Profile) }

func firstRead(p *profiles.Profile) []byte {
	b := profiles.Block{Table: profiles.HoldingRegisters, Count: 1}
	if p != nil && len(p.ReadPlan()) > 0 {
		b = p.ReadPlan()[0]
	}
	return modbus.ReadPDU(b)
}

func (r *scan) listen(ctx context.Context, raw *modbus.Raw, name string) error {
	in, err := raw.Listen(ctx, r.Listen)
	if err != nil && !errors.Is(err, context.Canceled) {
		return err
	}
	r.found.Heard = append(r.found.Heard, heardOf(name, in))
	return nil
}

// live notes that somebody speaks on the line already: nothing more is sent.
func (r *scan) live(h Heard, m drivers.SerialMode) {
	r.found.Setting, r.found.mode, r.found.Done = h.Setting, m, true
	r.found.Notes = append(r.found.Notes, Finding{
		Code: "E-6014", What: fmt.Sprintf("a master asks units %v on this line, at %s", h.Units, h.Setting), Where: LineOf(r.Link),
		Do: "the settings are found without a byte of ours; take the other master off the line before you go on",
	})
}

func heardOf(setting string, in []byte) Heard {
	frames, stray := modbus.Overheard(in)
	h := Heard{Setting: setting, Bytes: len(in), Frames: len(frames), Units: []byte{}, Sample: []string{}}
	for _, f := range frames {
		if !slices.Contains(h.Units, f.Unit) {
			h.Units = append(h.Units, f.Unit)
		}
	}
	if n := min(len(in), 32); n > 0 {
		h.Sample = append(h.Sample, HexOf(in[:n]))
	}
	switch {
	case len(in) == 0:
		h.Verdict = "silence"
	case len(frames) > 0 && stray*4 <= len(in):
		h.Verdict = "frames with a right checksum"
	case len(frames) > 0:
		h.Verdict = "frames with a right checksum among noise"
	default:
		h.Verdict = "noise: another setting, or wiring"
	}
	return h
}

func (r *scan) tell(n int, setting string, unit byte) {
	if r.Progress == nil {
		return
	}
	made := n - r.From
	each := time.Since(r.start) / time.Duration(max(1, made))
	r.Progress(Progress{Try: n, Of: r.tries(), Setting: setting, Unit: unit, Left: (time.Duration(r.tries()-n) * each).Round(time.Second)})
}
