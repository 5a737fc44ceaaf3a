package replica

import (
	"context"
	"errors"
	"hash/fnv"
	"log/slog"
	"sync"
	"time"

	"hoistway/sync/shadow"
)

// Store keeps records. Commit writes a batch as a whole or not at all, in order:
// a later record of the same key wins, a nil Value deletes, and there is never a
// Body. nil means that the batch survives a power cut. An error means that nothing of it was written. Load
// returns copies of all records of a bucket, sorted by key. Both may be called
// from any goroutine.
type Store interface {
	Commit(records []shadow.Record) error
	Load(bucket string) ([]shadow.Record, error)
}

// Uplink carries messages. Publish returns nil when the broker took the message,
// by the message's QoS; after an error the broker may or may not have it. It ends
// when ctx does, and may be called from any goroutine. Events tells of the
// connection and of what arrives; there is one reader.
type Uplink interface {
	Publish(ctx context.Context, m shadow.Message) error
	Events() <-chan shadow.LinkEvent
}

// What a callback can be told beside the store's and the uplink's own errors.
var (
	ErrBusy     = errors.New("too much waits already")
	ErrStopped  = errors.New("the replica has stopped")
	ErrNoUplink = errors.New("no cloud is configured")
)

const (
	maxBatches   = 1024 // that wait for the store
	maxMessages  = 256  // that wait in one lane
	lanes        = 8    // messages under way at once
	publishLimit = 30 * time.Second
)

// Replica is made by [New] and does its work in [Replica.Run]. Commit and Publish
// are for any goroutine; they return at once.
type Replica struct {
	store   Store
	uplink  Uplink
	log     *slog.Logger
	batches queue[batch]
	lanes   [lanes]queue[message]
	stats   counters
}

// New makes a replica. uplink may be nil: then nothing is ever published. log may
// be nil.
func New(store Store, uplink Uplink, log *slog.Logger) *Replica {
	if log == nil {
		log = slog.New(slog.DiscardHandler)
	}
	r := &Replica{store: store, uplink: uplink, log: log}
	r.batches.init(maxBatches)
	for i := range r.lanes {
		r.lanes[i].init(maxMessages)
	}
	return r
}

// Run works until ctx ends. Then messages under way are given up, every batch that
// waits is still committed, and Run returns. Call it once.
func (r *Replica) Run(ctx context.Context) {
	var senders sync.WaitGroup
	for i := range r.lanes {
		senders.Go(func() { r.send(ctx, &r.lanes[i]) })
	}
	r.commit(ctx)
	senders.Wait()
}

// Events is the uplink's, nil without one.
func (r *Replica) Events() <-chan shadow.LinkEvent {
	if r.uplink == nil {
		return nil
	}
	return r.uplink.Events()
}

// Commit makes a batch durable. Bodies are spelled out here, off the caller's
// goroutine; one that cannot be is a [*shadow.BadRecord]. done is called once, with nil when it is, in the
// order of the calls, from the replica's goroutine; it must not block. Once Run
// has returned done is called at once, by the caller's. The batch must not be
// changed afterwards.
func (r *Replica) Commit(records []shadow.Record, done func(error)) {
	if !r.batches.put(batch{records: records, done: done}, batch{err: ErrBusy, done: done}) {
		done(ErrStopped)
	}
}

// Publish sends a message. done is called once with its token: nil when the broker
// took it, within 30 s of the call. Messages of one topic leave in the order of the
// calls. done is called from the replica's goroutines and must not block; once Run
// has returned it is called at once, by the caller's.
func (r *Replica) Publish(p shadow.Publish, done func(token string, err error)) {
	m := message{Publish: p, due: time.Now().Add(publishLimit), done: done}
	refusal := message{err: ErrBusy, done: done}
	refusal.Token = p.Token
	if !r.lanes[laneOf(p.Topic)].put(m, refusal) {
		done(p.Token, ErrStopped)
	}
}

func laneOf(topic string) int {
	h := fnv.New32a()
	_, _ = h.Write([]byte(topic)) // a hash never fails
	return int(h.Sum32() % lanes)
}
