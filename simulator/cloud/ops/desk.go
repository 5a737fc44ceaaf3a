package ops

import (
	"errors"

	"hoistway/sync/shadow"
)

// What a caller may have got wrong; matched by errors.Is.
var (
	ErrUnknown = errors.New("there is no such")
	ErrInvalid = errors.New("cannot be taken")
	ErrTaken   = errors.New("is there already")
	ErrFull    = errors.New("no room for another")
)

// Fleet is what the desk reads of the service's half. Its methods are called within
// those of the desk.
type Fleet interface {
	// Document is one shadow as it is; ok is false where there is none.
	Document(serial, name string) (d shadow.Document, ok bool)
	// Seen tells how a thing stands.
	Seen(serial string) Seen
}

// Seen is how a thing stands by the service's clock.
type Seen struct {
	Online, Semi bool
	LastSeen     int64 // epoch seconds, 0 = never
}

// Options of a desk.
type Options struct {
	Zone int64 // seconds east of UTC; the inspection is at 03:00 there
	Keep bool  // puts out the rows to keep
}

// Desk is one operator's desk. It has one owner, who steps it in place.
type Desk struct {
	o     Options
	fleet Fleet
	out   Result
	log   ledger

	things  *table[Thing]
	groups  *table[Group]
	batches *table[Batch]
	follows *table[Follow]
	alarms  *table[Incident]
	nodes   *table[Node]
	reports *table[Report]

	of map[string][]*Follow // by batch
	by map[Member][]*Follow

	census   map[string]int // things by building; nil = to be counted anew
	spells   map[spellKey]*spell
	touched  map[touchKey]int64
	lastDay  int64 // of the last inspection
	figures  figures
	desired  history
	reported history
	wished   map[Member]int64 // version of the last write of desired
}

// Result is what is to be done after one step, in order.
type Result struct {
	Writes  []Write         // wishes for rules; what is refused goes into [Desk.Refused]
	Touches []Member        // shadows whose delta is to be shown once more, as it is
	Asks    []string        // serials of devices that are to report in full
	Notices []Notice        // for people
	Puts    []shadow.Record // to be kept
}

// Write is an operator's wish.
type Write struct {
	Serial, Shadow string
	Desired        shadow.Tree
	ID, Batch, By  string
}

// Member is one shadow of one thing.
type Member struct {
	Serial string `json:"serial"`
	Shadow string `json:"shadow"`
}

// Notice is a word to those whom it concerns.
type Notice struct {
	At    int64  `json:"at"`
	Level Level  `json:"level"`
	To    string `json:"to"`
	What  string `json:"what"` // alarm, batch, inspection
	ID    string `json:"id"`
	Text  string `json:"text"`
}

// New makes an empty desk over a fleet.
func New(o Options, fleet Fleet) *Desk {
	d := &Desk{o: o, fleet: fleet, spells: map[spellKey]*spell{}, touched: map[touchKey]int64{}, wished: map[Member]int64{}}
	d.log = ledger{keep: o.Keep, rows: map[string]speller{}}
	d.things = newTable[Thing]("thing", maxThings, &d.log)
	d.groups = newTable[Group]("group", maxGroups, &d.log)
	d.batches = newTable[Batch]("batch", maxBatches, &d.log)
	d.follows = newTable[Follow]("follow", maxFollows, &d.log)
	d.of, d.by = map[string][]*Follow{}, map[Member][]*Follow{}
	d.alarms = newTable[Incident]("alarm", maxIncidents, &d.log)
	d.nodes = newTable[Node]("node", maxNodes, &d.log)
	d.reports = newTable[Report]("report", maxReports, &d.log)
	d.desired = history{table: newTable[Entry]("desired", maxHistory, &d.log)}
	d.reported = history{table: newTable[Entry]("reported", maxHistory, &d.log)}
	return d
}

// done hands out what a step gathered.
func (d *Desk) done() Result {
	r := d.out
	r.Puts = d.log.close()
	d.out = Result{}
	return r
}

// Tick says that time has passed; once a second is enough.
func (d *Desk) Tick(now int64) Result {
	d.tickBatches(now)
	d.tickAlarms(now)
	d.tickInspection(now)
	return d.done()
}

// Changed tells of one accepted version of one document; by names the operator of an
// operator's write.
func (d *Desk) Changed(m Member, before, after shadow.Document, by string, now int64) Result {
	d.shadowIs(m, after.Exists(), now)
	d.remember(m, before, after, by, now)
	d.measure(m, before, after, now)
	d.followed(m, after, now)
	return d.done()
}

// Restore takes the rows that Puts told to keep, in the order of their keys; a row
// that cannot be read is left out and named in the error.
func (d *Desk) Restore(rows []shadow.Record) error {
	var errs []error
	for _, r := range rows {
		errs = append(errs, d.restore(r))
	}
	for _, f := range d.follows.all() {
		d.index(f)
	}
	for _, e := range d.desired.table.all() {
		d.wished[e.Member] = e.Version
	}
	if last := d.reports.newest(); last != nil {
		d.lastDay = d.day(last.At)
	}
	return errors.Join(errs...)
}

func (d *Desk) restore(r shadow.Record) error {
	for _, t := range []interface {
		restore(r shadow.Record) (mine bool, err error)
	}{d.things, d.groups, d.batches, d.follows, d.alarms, d.nodes, d.reports, d.desired.table, d.reported.table} {
		if mine, err := t.restore(r); mine {
			return err
		}
	}
	return nil
}
