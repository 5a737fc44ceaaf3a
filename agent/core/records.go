package core

import (
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"hoistway/fsm"
	"hoistway/fsm/dispatch"
	"hoistway/fsm/elevator"
	"hoistway/sync/shadow"
)

// Buckets of the store. Those of the session are its own.
const (
	rideBucket     = "rides"
	settingBucket  = "settings"
	standingBucket = "standing"
	// SyncBucket is where the shadow session keeps its records.
	SyncBucket = "sync"
)

// Buckets lists what must be loaded at start.
func Buckets() []string { return []string{rideBucket, settingBucket, standingBucket, SyncBucket} }

// storedRide is a ride as it lies in the store, with the moment on its clock. It is
// spelled out by whoever stores it, on another goroutine: nothing writes to it once
// it is in a batch, and to Marks the core only appends.
type storedRide struct {
	Ride    fsm.Ride
	Booking dispatch.Booking `json:",omitzero"`
	Marks   []Mark
	moment
}

// moment is when a record was written, on the clock of its process.
type moment struct {
	Now  elevator.Instant
	Wall int64 // epoch milliseconds at Now: the clock may have been set since Boot.Wall0
	Boot Boot
}

// longAway bounds the time that a reboot can have taken: beyond every limit of a
// ride, and short enough that clocks which start at 1970 add up to nothing.
const longAway = 365 * 24 * time.Hour

// maxKeyPart leaves room in a key of 128 characters for the rest of it.
const maxKeyPart = 100

// rideKey spells the id in lower case with what the grammar of keys allows, or by
// its hash where that gets too long; the record itself keeps the id as it is.
func rideKey(id string) string {
	const hex = "0123456789abcdef"
	var room [128]byte
	part := room[:0]
	for _, c := range []byte(id) {
		switch {
		case c >= 'a' && c <= 'z', c >= '0' && c <= '9', c == '-', c == '.':
			part = append(part, c)
		default:
			part = append(part, '_', hex[c>>4], hex[c&15])
		}
	}
	if len(part) > maxKeyPart {
		part = fmt.Appendf(room[:0], "_h%x", sha256.Sum256([]byte(id)))
	}
	return "ride:ride:" + string(part) + ":state"
}

// sheet is what goes to the store with a ride: the key of its record, and its transitions.
type sheet struct {
	ride  string
	key   string
	marks []Mark
}

// sheet finds that of a ride, or opens one with room for a ride without troubles.
func (k *Core) sheet(ride string) *sheet {
	if f := k.opened(ride); f != nil {
		return f
	}
	k.latest = &sheet{ride: ride, key: rideKey(ride), marks: make([]Mark, 0, 8)}
	k.sheets[ride] = k.latest
	return k.latest
}

// opened is the sheet of a ride, nil where it has none.
func (k *Core) opened(ride string) *sheet {
	if k.latest != nil && k.latest.ride == ride {
		return k.latest
	}
	f := k.sheets[ride]
	if f != nil {
		k.latest = f
	}
	return f
}

func (k *Core) marks(ride string) []Mark {
	if f := k.opened(ride); f != nil {
		return f.marks
	}
	return nil
}

// Bytes implements [shadow.Body].
func (s *storedRide) Bytes() ([]byte, error) { return json.Marshal(s) }

// keepRide puts the ride as it is into the batch.
func (p *pass) keepRide(o dispatch.Keep) {
	f := p.sheet(o.Ride().ID)
	body := p.bodyOf(f)
	body.Ride = *o.Ride() // by itself: assigned together with others it would be copied twice
	body.Booking = *o.Booking()
	body.Marks, body.moment = f.marks, p.moment()
	p.res.Changed = true
}

func (p *pass) moment() moment { return moment{Now: p.t.Now, Wall: p.t.Wall, Boot: p.boot} }

// bodyOf is the body of a ride in the batch: that which this step has put there already,
// since only the last one of a batch counts, or a new one.
func (p *pass) bodyOf(f *sheet) *storedRide {
	for i := range p.res.Batch {
		if b, ok := p.res.Batch[i].Body.(*storedRide); ok && p.res.Batch[i].Key == f.key {
			return b
		}
	}
	body := p.bodies.one()
	p.store(shadow.Record{Bucket: rideBucket, Key: f.key, Body: body})
	return body
}

// Spent gives a record back whose value nobody will look at any more: it was written over,
// or removed, in a store that keeps it as it is. Nobody has to; a store that spells records
// out on another goroutine can not know.
func (k *Core) Spent(r shadow.Record) {
	if b, ok := r.Body.(*storedRide); ok {
		k.bodies.back(b)
	}
}

// Load takes the records of the buckets that [Buckets] lists, before any Step.
// It returns what could not be read; those records stay in the store.
func (k *Core) Load(records []shadow.Record, t Time) (Result, []error) {
	p := &pass{Core: k, t: t}
	var errs []error
	resume := dispatch.Resume{Bookings: map[string]dispatch.Booking{}}
	var session []shadow.Record
	for _, rec := range records {
		switch rec.Bucket {
		case rideBucket:
			if err := p.loadRide(rec, &resume); err != nil {
				errs = append(errs, fmt.Errorf("stored ride %s: %w", rec.Key, err))
			}
		case standingBucket:
			if err := p.loadStanding(rec, &resume); err != nil {
				errs = append(errs, fmt.Errorf("stored stops, maintenance and area alarms %s: %w", rec.Key, err))
			}
		case settingBucket:
			if err := p.loadSettings(rec); err != nil {
				errs = append(errs, fmt.Errorf("stored settings %s: %w", rec.Key, err))
			}
		case SyncBucket:
			session = append(session, rec)
		}
	}
	p.toSession(shadow.Loaded{Records: session})
	p.settle()
	p.gates.loaded(resume.Rides, p.site)
	p.toSite(resume)
	p.cloudWas = p.site.Standing().Cloud
	p.perform()
	p.report()
	k.seq++
	return p.res, errs
}

func (p *pass) loadRide(rec shadow.Record, resume *dispatch.Resume) error {
	raw, err := rec.Bytes()
	if err != nil {
		return err
	}
	var s storedRide
	if err := json.Unmarshal(raw, &s); err != nil {
		return err
	}
	if err := sound(&s.Ride); err != nil {
		return err
	}
	p.sheet(s.Ride.ID).marks = s.Marks
	d := p.shift(&s.moment)
	resume.Rides = append(resume.Rides, fsm.Rebase(s.Ride, d))
	if s.Booking.At != 0 { // else it was stored before there were bookings
		s.Booking.Rebase(d)
		resume.Bookings[s.Ride.ID] = s.Booking
	}
	return nil
}

// sound refuses a ride with words or sides that this program does not know, as
// another version may have written it. The machine is made for those it knows.
func sound(r *fsm.Ride) error {
	where := []fsm.Where{fsm.Outside, fsm.Crossing, fsm.Inside, fsm.Unknown}
	switch {
	case r.ID == "" || r.State == "":
		return errors.New("no ride in it")
	case fsm.StateOf(r.Phase) != r.State:
		return fmt.Errorf("no state %q with a phase %q", r.State, r.Phase)
	case !slices.Contains(where, r.Where):
		return fmt.Errorf("no whereabouts %q", r.Where)
	}
	sides := []elevator.Side{
		r.FromSide, r.ToSide, r.WaySide, r.Door.Side, r.Permit.Side, r.Call.Command.Side, r.Self.DoorSide,
		r.Earlier[0].Command.Side, r.Earlier[1].Command.Side,
	}
	for _, past := range r.Past {
		sides = append(sides, past.Side)
	}
	if side := slices.Max(sides); int(side) >= elevator.Sides {
		return fmt.Errorf("no door side %d", side)
	}
	return nil
}

// shift is what to add to a stored instant to bring it onto this clock. Within
// one boot the machine's own clock tells; over a reboot only wall time does, and
// where that went backwards no time is taken to have passed.
func (p *pass) shift(s *moment) int64 {
	if s.Boot.ID == p.boot.ID && s.Boot.ID != "" {
		return s.Boot.Zero - p.boot.Zero
	}
	away := min(max(0, p.t.Wall-s.Wall), longAway.Milliseconds()) * 1e6
	return int64(p.t.Now) - int64(s.Now) - away
}
