package replica_test

import (
	"errors"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"hoistway/sync/replica"
	"hoistway/sync/replica/replicatest"
	"hoistway/sync/shadow"
)

// body counts how often it is spelled out.
type body struct {
	value string
	err   error
	asked *atomic.Int32
}

func (b body) Bytes() ([]byte, error) {
	b.asked.Add(1)
	return []byte(b.value), b.err
}

func withBody(n int, b body) shadow.Record {
	r := rec(n, "")
	r.Value, r.Body = nil, b
	return r
}

// ST-4: a store gets bytes. They are spelled out by the replica and not by whoever
// commits, of one key only the last, and the batch stays as it was handed in.
func TestBodiesAreSpelledOutForTheStore(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store, said, asked := &replicatest.Memory{}, &ends{}, &atomic.Int32{}
		r := replica.New(store, nil, nil)
		first := []shadow.Record{withBody(1, body{value: "old", asked: asked}), rec(2, "plain")}
		r.Commit(first, said.batch(1))
		r.Commit([]shadow.Record{withBody(1, body{value: "new", asked: asked}), {Bucket: "b", Key: "a:a:2:x"}}, said.batch(2))
		if n := asked.Load(); n != 0 {
			t.Errorf("spelled out %d times by the caller", n)
		}
		stop := start(r)
		synctest.Wait()
		said.want(t, "1 <nil>", "2 <nil>")
		got, _ := store.Load("b")
		if len(got) != 1 || string(got[0].Value) != "new" {
			t.Errorf("stored %q", got)
		}
		if n := asked.Load(); n != 1 {
			t.Errorf("spelled out %d times", n)
		}
		if first[0].Body == nil || first[0].Value != nil {
			t.Error("the batch was changed")
		}
		for _, r := range slices.Concat(store.Batches()...) {
			if r.Body != nil {
				t.Errorf("the store was given the body of %s", r.Key)
			}
		}
		stop()
	})
}

// ST-3: a body that cannot be spelled out is a record that can never be stored: it
// is named, nothing of its batch is written, and its neighbours are.
func TestABadBodyFailsAlone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store, said, asked := &replicatest.Memory{}, &ends{}, &atomic.Int32{}
		r := replica.New(store, nil, nil)
		var bad *shadow.BadRecord
		r.Commit([]shadow.Record{rec(1, "v")}, said.batch(1))
		r.Commit([]shadow.Record{rec(2, "v"), withBody(3, body{err: errors.New("no number"), asked: asked})}, func(err error) {
			if !errors.As(err, &bad) || bad.Bucket != "b" || bad.Key != "a:a:3:x" || !strings.Contains(err.Error(), "no number") {
				t.Errorf("told %v", err)
			}
			said.add("2 bad")
		})
		r.Commit([]shadow.Record{withBody(4, body{value: "v", asked: asked})}, said.batch(4))
		stop := start(r)
		synctest.Wait()
		said.want(t, "1 <nil>", "2 bad", "4 <nil>")
		var keys []string
		got, _ := store.Load("b")
		for _, r := range got {
			keys = append(keys, r.Key)
		}
		if !slices.Equal(keys, []string{"a:a:1:x", "a:a:4:x"}) {
			t.Errorf("stored %q", keys)
		}
		stop()
	})
}
