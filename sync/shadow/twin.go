package shadow

// twin is one shadow as this side knows it.
type twin struct {
	name string

	// Knowledge of the document. base is what desired was at version to, complete
	// up to there; ahead and held are what arrived beyond a hole.
	exists    bool
	to        int64
	high      int64 // the highest version seen in this document epoch
	epoch     int64 // document epochs seen
	base      Tree
	baseMeta  Tree
	ahead     []arrival // deltas beyond to, by version
	held      []arrival // accepted beyond a hole, by version
	holeSince int64
	seen      watermarks
	synced    bool // a get was answered since Up
	complete  bool // a get was answered since the start
	fresh     bool // the store knew nothing of it, and no get has told yet

	// Desired with its metadata: base and what is ahead of it; and its fields.
	desired     Tree
	desiredMeta Tree
	wishes      []field
	learned     bool // they are up to date for as long as nothing is ahead

	// Reported: as acknowledged at ackedAt, as wanted (null = must not be there),
	// and leaves that writes of unknown fate have touched.
	acked    Tree
	ackedAt  int64
	want     Tree
	wantSeq  uint64
	ackedSeq uint64
	doubt    Tree
	rest     rest // of want against acked and doubt
	updates  int64

	write writing
	read  reading

	marks     map[string]mark // consumed writes by field
	firstSeen map[string]sighting
	waiting   []intent
	planned   bool // waiting is up to date
	caughtUp  bool // the full report after Up is through
	touched   int  // controller-touching intents since Up
	touchedAt int64

	dirty dirt
}

// watermarks are the highest versions by stream. The accepted stream's is to.
type watermarks struct{ Delta, Documents, Get, Deleted int64 }

// arrival is a message that waits for its place.
type arrival struct {
	version int64
	desired Tree
	meta    Tree
	cleared bool // desired as a whole was removed first
}

// writing is the outbox of one shadow: at most one request in the air.
type writing struct {
	flight    *flight
	budget    bucket
	conflicts int
	retryAt   int64
	rebasing  int64  // since when a conflict waits for a get, 0 = not
	blocked   bool   // refused as it is; waits for another report
	refused   string // why the last report did not go out whole
	echoes    int    // accepted writes that left the same rest
	pausedFor uint64 // wantSeq of the echoes
	failures  int    // throttled or failed in a row
}

type flight struct {
	token string
	patch Tree
	seq   uint64
	at    int64
	high  int64 // when it was sent
}

type reading struct {
	why    string // a get is wanted, and for what
	flight *flight
	budget window
	next   int64 // the regular get of a service without beats
}

// sighting is where a write of a field was first met.
type sighting struct {
	key     string
	version int64
}

func newTwin(name string) *twin {
	return &twin{
		name:      name,
		fresh:     true,
		base:      Tree{},
		baseMeta:  Tree{},
		desired:   Tree{},
		acked:     Tree{},
		want:      Tree{},
		doubt:     Tree{},
		rest:      newRest(),
		marks:     map[string]mark{},
		firstSeen: map[string]sighting{},
		write:     writing{budget: newBucket(second/2, 5)},
		read:      reading{budget: newWindow()},
	}
}

// label is the shadow's name for people.
func (t *twin) label() string {
	if t.name == "" {
		return "the classic shadow"
	}
	return "shadow " + t.name
}
