package replica_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"hoistway/sync/replica"
	"hoistway/sync/replica/replicatest"
	"hoistway/sync/shadow"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func rec(n int, value string) shadow.Record {
	return shadow.Record{Bucket: "b", Key: fmt.Sprintf("a:a:%d:x", n), Value: []byte(value)}
}

// start runs a replica in a bubble; the returned function stops it and waits.
func start(r *replica.Replica) (stop func()) {
	ctx, cancel := context.WithCancel(context.Background())
	var run sync.WaitGroup
	run.Go(func() { r.Run(ctx) })
	return func() {
		cancel()
		run.Wait()
	}
}

// ends collects what callbacks said, in order.
type ends struct {
	mu   sync.Mutex
	said []string
}

func (e *ends) batch(n int) func(error) {
	return func(err error) { e.add(fmt.Sprint(n, " ", err)) }
}

func (e *ends) message(token string, err error) { e.add(token + " " + fmt.Sprint(err)) }

func (e *ends) add(s string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.said = append(e.said, s)
}

func (e *ends) want(t *testing.T, want ...string) {
	t.Helper()
	e.mu.Lock()
	defer e.mu.Unlock()
	if !slices.Equal(e.said, want) {
		t.Errorf("callbacks said %q, want %q", e.said, want)
	}
}

// ST-4: what waits while the disk is busy goes in one transaction, each batch is
// answered in order, of one key the last value stays.
func TestBatchesAreJoinedInOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store, said := &replicatest.Memory{}, &ends{}
		r := replica.New(store, nil, nil)
		release := store.Hold()
		stop := start(r)
		r.Commit([]shadow.Record{rec(0, "first")}, said.batch(0))
		synctest.Wait() // the committer is in the store now
		for n := 1; n <= 20; n++ {
			r.Commit([]shadow.Record{rec(n, "v"), rec(99, fmt.Sprint(n))}, said.batch(n))
		}
		said.want(t)
		release()
		synctest.Wait()
		var want []string
		for n := range 21 {
			want = append(want, fmt.Sprint(n, " <nil>"))
		}
		said.want(t, want...)
		if got := store.Batches(); len(got) != 2 || len(got[1]) != 21 {
			t.Errorf("%d transactions, the second of %d records", len(got), len(got[len(got)-1]))
		}
		last, _ := store.Load("b")
		if i := slices.IndexFunc(last, func(r shadow.Record) bool { return r.Key == "a:a:99:x" }); i < 0 || string(last[i].Value) != "20" {
			t.Error("the last value of the key is not the one that stayed")
		}
		stop()
	})
}

// One bad batch does not take its neighbours with it.
func TestABadBatchFailsAlone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store, said := &replicatest.Memory{}, &ends{}
		r := replica.New(store, nil, nil)
		r.Commit([]shadow.Record{rec(1, "v")}, said.batch(1))
		r.Commit([]shadow.Record{{Bucket: "b", Key: "bad", Value: []byte("v")}}, said.batch(2))
		r.Commit([]shadow.Record{rec(3, "v")}, said.batch(3))
		r.Commit(nil, said.batch(4))
		stop := start(r)
		synctest.Wait()
		said.want(t, "1 <nil>", `2 record breaks the grammar of the store: "bad" is not domain:entity:id:field`, "3 <nil>", "4 <nil>")
		stop()
	})
}

// ST-3: a store that fails says so for each batch, and works again when it does.
func TestStoreFailsAndRecovers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store, said := &replicatest.Memory{}, &ends{}
		store.Fail(errors.New("disk full"))
		r := replica.New(store, nil, nil)
		stop := start(r)
		r.Commit([]shadow.Record{rec(1, "v")}, said.batch(1))
		synctest.Wait()
		store.Fail(nil)
		r.Commit([]shadow.Record{rec(2, "v")}, said.batch(2))
		synctest.Wait()
		said.want(t, "1 disk full", "2 <nil>")
		if got := r.Stats(); got != (replica.Stats{Batches: 2, Commits: 1, Records: 1, Failures: 1}) {
			t.Errorf("stats %+v", got)
		}
		stop()
	})
}

// A store that hangs: the queue has an end, and whoever did not fit is told so in
// turn, not before those that did.
func TestTooManyBatchesAreRefusedInTurn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store, said := &replicatest.Memory{}, &ends{}
		r := replica.New(store, nil, nil)
		release := store.Hold()
		stop := start(r)
		r.Commit([]shadow.Record{rec(0, "v")}, said.batch(0))
		synctest.Wait()
		for n := 1; n <= 1030; n++ {
			r.Commit([]shadow.Record{rec(n, "v")}, said.batch(n))
		}
		said.want(t)
		release()
		synctest.Wait()
		var want []string
		for n := range 1031 {
			if n <= 1024 {
				want = append(want, fmt.Sprint(n, " <nil>"))
			} else {
				want = append(want, fmt.Sprint(n, " ", replica.ErrBusy))
			}
		}
		said.want(t, want...)
		stop()
	})
}

// At the end every batch that waits is still written; later ones are refused.
func TestStopDrainsCommits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store, said := &replicatest.Memory{}, &ends{}
		r := replica.New(store, nil, nil)
		release := store.Hold()
		ctx, cancel := context.WithCancel(t.Context())
		var run sync.WaitGroup
		run.Go(func() { r.Run(ctx) })
		for n := range 5 {
			r.Commit([]shadow.Record{rec(n, "v")}, said.batch(n))
		}
		cancel()
		synctest.Wait()
		r.Commit([]shadow.Record{rec(5, "v")}, said.batch(5)) // the committer still hangs
		release()
		run.Wait()
		said.want(t, "0 <nil>", "1 <nil>", "2 <nil>", "3 <nil>", "4 <nil>", "5 <nil>")
		r.Commit([]shadow.Record{rec(6, "v")}, func(err error) {
			if !errors.Is(err, replica.ErrStopped) {
				t.Errorf("after the end: %v", err)
			}
		})
	})
}

func publish(token, topic string) shadow.Publish {
	return shadow.Publish{Token: token, Message: shadow.Message{Topic: topic, QoS: 1}}
}

// Within a topic the order stays; a topic that hangs does not hold up every other.
func TestMessagesKeepTheirOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		line, said := replicatest.NewLine(), &ends{}
		hang := make(chan struct{})
		line.Answer = func(ctx context.Context, m shadow.Message) error {
			if m.Topic != "x/slow" {
				return nil
			}
			select {
			case <-hang:
				return nil
			case <-ctx.Done():
				return ctx.Err()
			}
		}
		r := replica.New(&replicatest.Memory{}, line, nil)
		stop := start(r)
		r.Publish(publish("s1", "x/slow"), said.message)
		r.Publish(publish("s2", "x/slow"), said.message)
		synctest.Wait()
		for i := range 3 {
			r.Publish(publish(fmt.Sprint("f", i), "x/fast"), said.message)
			synctest.Wait()
		}
		said.want(t, "f0 <nil>", "f1 <nil>", "f2 <nil>")
		if n := len(line.Sent()); n != 4 {
			t.Errorf("%d messages on the line; the second slow one must wait for the first", n)
		}
		close(hang)
		synctest.Wait()
		said.want(t, "f0 <nil>", "f1 <nil>", "f2 <nil>", "s1 <nil>", "s2 <nil>")
		stop()
	})
}

// A message that nobody takes ends after 30 s from the call, waiting included.
func TestPublishHasADeadline(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		line, said := replicatest.NewLine(), &ends{}
		line.Answer = func(ctx context.Context, _ shadow.Message) error {
			<-ctx.Done()
			return ctx.Err()
		}
		r := replica.New(&replicatest.Memory{}, line, nil)
		stop := start(r)
		r.Publish(publish("1", "x"), said.message)
		r.Publish(publish("2", "x"), said.message)
		time.Sleep(29 * time.Second)
		synctest.Wait()
		said.want(t)
		time.Sleep(time.Second)
		synctest.Wait()
		said.want(t, "1 context deadline exceeded", "2 context deadline exceeded")
		stop()
	})
}

// At the end messages under way and waiting are given up, each with its answer.
func TestStopGivesUpMessages(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		line, said := replicatest.NewLine(), &ends{}
		line.Answer = func(ctx context.Context, _ shadow.Message) error {
			<-ctx.Done()
			return ctx.Err()
		}
		r := replica.New(&replicatest.Memory{}, line, nil)
		stop := start(r)
		for i := range 300 { // more than a lane holds
			r.Publish(publish(fmt.Sprint(i), "x"), said.message)
		}
		synctest.Wait()
		stop()
		said.mu.Lock()
		n := len(said.said)
		said.mu.Unlock()
		if n != 300 {
			t.Errorf("%d of 300 were answered", n)
		}
		r.Publish(publish("late", "x"), func(token string, err error) {
			if token != "late" || !errors.Is(err, replica.ErrStopped) {
				t.Errorf("after the end: %s %v", token, err)
			}
		})
	})
}

func TestWithoutACloud(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		said := &ends{}
		r := replica.New(&replicatest.Memory{}, nil, nil)
		stop := start(r)
		r.Publish(publish("1", "x"), said.message)
		synctest.Wait()
		said.want(t, "1 "+replica.ErrNoUplink.Error())
		if r.Events() != nil {
			t.Error("events of no uplink")
		}
		stop()
	})
}
