package fleet

import (
	"maps"
	"slices"
	"time"
)

// Progress is how a run stands, told once a second.
type Progress struct {
	At           time.Duration // since the start of the run
	Part         string        // arrival, life, settling, audit, goodbye
	Gateways     int
	Online       int
	Registered   int // answered by a cloud so far
	Rides        int
	Sent         uint64 // messages so far
	Received     uint64
	Drops, Power int // connections cut, gateways without power, so far
}

func (f *fleet) tell() {
	if f.o.Progress == nil || f.now() < f.next {
		return
	}
	f.next = f.now() + time.Second
	t := f.tally
	f.o.Progress(Progress{
		At: f.now(), Part: f.part, Gateways: f.o.Gateways, Online: int(t.online.Load()), Registered: int(t.registered.Load()),
		Rides: int(t.rides.Load()), Sent: t.sent.Load(), Received: t.received.Load(),
		Drops: int(t.drops.Load()), Power: int(t.power.Load()),
	})
}

// Percentiles of durations; Samples 0 leaves the others 0.
type Percentiles struct {
	Samples int           `json:"samples"`
	P50     time.Duration `json:"p50"`
	P95     time.Duration `json:"p95"`
	P99     time.Duration `json:"p99"`
	Most    time.Duration `json:"most"`
}

func percentilesOf(s samples) Percentiles {
	list := slices.Sorted(slices.Values(s.list))
	if len(list) == 0 {
		return Percentiles{}
	}
	at := func(percent int) time.Duration { return list[(len(list)*percent+99)/100-1] }
	return Percentiles{Samples: len(list), P50: at(50), P95: at(95), P99: at(99), Most: list[len(list)-1]}
}

// Memory of this process, bytes; the per-gateway figures are what the arrival of
// the whole fleet added, with garbage collected.
type Memory struct {
	RSS            int64   `json:"rss"`
	Heap           int64   `json:"heap"`
	Stacks         int64   `json:"stacks"`
	Goroutines     int     `json:"goroutines"`
	PerGatewayRSS  int64   `json:"per_gateway_rss"`
	PerGatewayHeap int64   `json:"per_gateway_heap"`
	PerGatewayRun  float64 `json:"per_gateway_goroutines"`
	EndRSS         int64   `json:"end_rss"` // after the life, before the goodbye
	EndHeap        int64   `json:"end_heap"`
}

// Rides are what the gateways lived, and how much of it the cloud knows.
type Rides struct {
	Done        int     `json:"done"`
	Transitions int     `json:"transitions"`
	Told        int     `json:"told"`      // accepted as themselves
	Overtaken   int     `json:"overtaken"` // told by the accepted report of a later one
	Read        int     `json:"read"`      // the answer was lost, and the document showed it at the next connection or at the end
	Lost        int     `json:"lost"`
	Bytes       float64 `json:"bytes"`      // topic and payload both ways a ride, on the lift's shadow
	WireBytes   float64 `json:"wire_bytes"` // of everything on the sockets in the life, divided by its rides
}

// Settings are the operator's wishes.
type Settings struct {
	Wished     int         `json:"wished"`
	CarriedOut int         `json:"carried_out"`
	Confirmed  int         `json:"confirmed"` // the report that tells of it was seen accepted
	Refused    int         `json:"refused"`   // by the gateway, or expired
	Twice      int         `json:"twice"`     // carried out again: never
	Latency    Percentiles `json:"latency"`   // wish to confirmed, absences included
}

// Report is what a run has shown. Durations are in nanoseconds in JSON.
type Report struct {
	Incomplete bool          `json:"incomplete"` // the context ended first
	Gateways   int           `json:"gateways"`
	Reached    int           `json:"reached"`    // were online
	Registered int           `json:"registered"` // were answered by the cloud
	Took       time.Duration `json:"took"`
	Life       time.Duration `json:"life"`

	ArrivalConnected Spread  `json:"arrival_connected"`
	ArrivalInStep    Spread  `json:"arrival_in_step"`
	OnlineMean       float64 `json:"online_mean"` // percent, storms left out
	OnlineLeast      float64 `json:"online_least"`

	SentPerSecond     float64 `json:"sent_per_second"` // messages, in the life
	ReceivedPerSecond float64 `json:"received_per_second"`
	BytesPerSecond    float64 `json:"bytes_per_second"` // topics and payloads both ways
	WirePerSecond     float64 `json:"wire_per_second"`  // bytes on the sockets both ways

	Latency  Percentiles `json:"latency"` // of a transition: reported to accepted, on one connection
	Rides    Rides       `json:"rides"`
	Settings Settings    `json:"settings"`
	Storms   []Storm     `json:"storms"`

	Drops          int            `json:"drops"`        // cut by us
	PowerCuts      int            `json:"power_cuts"`   // restarted with their store
	ForeignLosses  int            `json:"lost"`         // connections that ended and were not cut by us
	FailedAttempts int            `json:"failed"`       // to connect
	FailedSends    int            `json:"failed_sends"` // given back to the session, which says it again
	LastError      string         `json:"last_error,omitempty"`
	Notes          map[string]int `json:"notes"` // what the sessions noted, by kind
	Files          int            `json:"files"` // descriptors open with the whole fleet there
	Memory         Memory         `json:"memory"`
	Audit          Audit          `json:"audit"`
}

// OK: everybody came, nothing was lost or done twice, and the audit is clean.
func (r Report) OK() bool {
	return !r.Incomplete && r.Registered == r.Gateways && r.Rides.Lost == 0 && r.Settings.Twice == 0 && r.Audit.Clean()
}

// report collects while a run goes on.
type report struct {
	f                 *fleet
	before, full, end footprint
	liveFrom, liveTo  traffic
	online            online
	audit             Audit
	complete          bool
}

func (b *report) build() Report {
	f, t := b.f, b.f.tally
	history := t.history()
	r := Report{
		Incomplete: !b.complete, Gateways: f.o.Gateways, Reached: int(t.reached.Load()), Registered: int(t.registered.Load()),
		Took: f.now(), Life: b.liveTo.at - b.liveFrom.at, Storms: storms(history, f.cuts, f.o.Gateways),
		OnlineLeast: b.online.least, OnlineMean: b.online.sum / float64(max(1, b.online.n)),
		Drops: int(t.drops.Load()), PowerCuts: int(t.power.Load()), ForeignLosses: int(t.foreign.Load()),
		FailedAttempts: int(t.failed.Load()), FailedSends: int(t.retries.Load()), Files: b.full.files, Audit: b.audit, Memory: b.memory(),
	}
	r.ArrivalConnected, r.ArrivalInStep = arrival(history)
	b.rates(&r)
	r.Rides = b.ridden()
	t.mu.Lock()
	defer t.mu.Unlock()
	r.Notes, r.Latency = maps.Clone(t.notes), percentilesOf(t.latency)
	r.Settings = Settings{
		Wished: len(t.wishes), CarriedOut: int(t.carriedOut.Load()), Confirmed: int(t.confirmed.Load()),
		Refused: int(t.refused.Load()) + t.notes["expired"], Twice: int(t.twice.Load()), Latency: percentilesOf(t.wishing),
	}
	if t.lastErr != nil {
		r.LastError = t.lastErr.Error()
	}
	return r
}

func (b *report) rates(r *Report) {
	seconds := r.Life.Seconds()
	if seconds <= 0 {
		return
	}
	per := func(to, from uint64) float64 { return float64(to-from) / seconds }
	r.SentPerSecond, r.ReceivedPerSecond = per(b.liveTo.sent, b.liveFrom.sent), per(b.liveTo.received, b.liveFrom.received)
	r.BytesPerSecond, r.WirePerSecond = per(b.liveTo.bytes, b.liveFrom.bytes), per(b.liveTo.wire, b.liveFrom.wire)
}

// ridden also judges what no accepted report has covered: it is there if the
// gateway has settled and the audit found its state in the cloud.
func (b *report) ridden() Rides {
	t := b.f.tally
	out := Rides{
		Done: int(t.rides.Load()), Transitions: int(t.made.Load()), Told: int(t.told.Load()), Overtaken: int(t.overtaken.Load()),
	}
	for i, g := range b.f.gateways {
		if x := b.audit.found[i]; x.settled && x.states && x.answered == 2 {
			out.Read += g.book.missing()
		} else {
			out.Lost += g.book.missing()
		}
	}
	// Five transitions are a ride, also where one began before the count or ends after it.
	rides := float64(b.liveTo.made-b.liveFrom.made) / float64(len(legs))
	if rides > 0 {
		out.Bytes = float64(b.liveTo.rideBytes-b.liveFrom.rideBytes) / rides
		out.WireBytes = float64(b.liveTo.wire-b.liveFrom.wire) / rides
	}
	return out
}

func (b *report) memory() Memory {
	n := int64(b.f.o.Gateways)
	return Memory{
		RSS: b.full.rss, Heap: b.full.heap, Stacks: b.full.stacks, Goroutines: b.full.goroutines,
		PerGatewayRSS: (b.full.rss - b.before.rss) / n, PerGatewayHeap: (b.full.heap - b.before.heap) / n,
		PerGatewayRun: float64(b.full.goroutines-b.before.goroutines) / float64(n), EndRSS: b.end.rss, EndHeap: b.end.heap,
	}
}
