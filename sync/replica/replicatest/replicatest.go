// Package replicatest has what tests around package replica share: one suite that
// every store must pass, and fakes of store and uplink.
package replicatest

import (
	"bytes"
	"errors"
	"fmt"
	"sync"
	"testing"

	"hoistway/sync/shadow"
)

// Subject is what is tested; its contract is that of replica.Store.
type Subject interface {
	Commit(records []shadow.Record) error
	Load(bucket string) ([]shadow.Record, error)
}

// Open opens the store in a folder, the same one for the same folder, and gives
// the function that closes it.
type Open func(t *testing.T, dir string) (store Subject, closeStore func())

// Store is the suite. A store that keeps nothing over a close cannot pass it.
func Store(t *testing.T, open Open) {
	for _, c := range []struct {
		name string
		test func(*testing.T, Open)
	}{
		{"nothing is there at first", empty},
		{"what was committed is there after reopening", survives},
		{"a later record wins, nil deletes", replaces},
		{"buckets are apart", buckets},
		{"records come sorted", sorted},
		{"values are whole, of any bytes", values},
		{"an empty batch is fine", emptyBatch},
		{"a batch with a bad record is refused as a whole", allOrNothing},
		{"a body is refused: it would be taken for a removal", bodies},
		{"what was handed out or in is nobody else's", copies},
		{"many may commit at once", concurrent},
	} {
		t.Run(c.name, func(t *testing.T) { c.test(t, open) })
	}
}

func rec(bucket, key, value string) shadow.Record {
	return shadow.Record{Bucket: bucket, Key: key, Value: []byte(value)}
}

func gone(bucket, key string) shadow.Record { return shadow.Record{Bucket: bucket, Key: key} }

func commit(t *testing.T, s Subject, records ...shadow.Record) {
	t.Helper()
	if err := s.Commit(records); err != nil {
		t.Fatalf("commit: %v", err)
	}
}

func holds(t *testing.T, s Subject, bucket string, want ...shadow.Record) {
	t.Helper()
	got, err := s.Load(bucket)
	if err != nil {
		t.Fatalf("load %s: %v", bucket, err)
	}
	if len(got) != len(want) {
		t.Fatalf("%s holds %d records, want %d: %v", bucket, len(got), len(want), got)
	}
	for i := range want {
		if got[i].Bucket != bucket || got[i].Key != want[i].Key || !bytes.Equal(got[i].Value, want[i].Value) {
			t.Errorf("record %d is %s %s %q, want %s %q", i, got[i].Bucket, got[i].Key, got[i].Value, want[i].Key, want[i].Value)
		}
	}
}

func empty(t *testing.T, open Open) {
	s, end := open(t, t.TempDir())
	defer end()
	holds(t, s, "rides")
	commit(t, s, gone("rides", "ride:r:1:state"))
	holds(t, s, "rides")
}

func survives(t *testing.T, open Open) {
	dir := t.TempDir()
	s, end := open(t, dir)
	commit(t, s, rec("rides", "ride:r:1:state", "MOVING"))
	end()
	s, end = open(t, dir)
	defer end()
	holds(t, s, "rides", rec("rides", "ride:r:1:state", "MOVING"))
}

func replaces(t *testing.T, open Open) {
	s, end := open(t, t.TempDir())
	defer end()
	commit(t, s, rec("b", "a:a:1:x", "one"), rec("b", "a:a:2:x", "two"), rec("b", "a:a:1:x", "again"))
	holds(t, s, "b", rec("b", "a:a:1:x", "again"), rec("b", "a:a:2:x", "two"))
	commit(t, s, gone("b", "a:a:1:x"), rec("b", "a:a:3:x", "three"), gone("b", "a:a:3:x"), gone("b", "a:a:2:x"), rec("b", "a:a:2:x", "back"))
	holds(t, s, "b", rec("b", "a:a:2:x", "back"))
}

func buckets(t *testing.T, open Open) {
	s, end := open(t, t.TempDir())
	defer end()
	commit(t, s, rec("one", "a:a:1:x", "1"), rec("two", "a:a:1:x", "2"), gone("three", "a:a:1:x"))
	holds(t, s, "one", rec("one", "a:a:1:x", "1"))
	holds(t, s, "two", rec("two", "a:a:1:x", "2"))
	holds(t, s, "three")
}

func sorted(t *testing.T, open Open) {
	s, end := open(t, t.TempDir())
	defer end()
	commit(t, s, rec("b", "a:a:10:x", ""), rec("b", "a:a:2:x", ""), rec("b", "a:a:1:x", ""))
	holds(t, s, "b", rec("b", "a:a:10:x", ""), rec("b", "a:a:1:x", ""), rec("b", "a:a:2:x", ""))
}

func values(t *testing.T, open Open) {
	s, end := open(t, t.TempDir())
	defer end()
	every := make([]byte, 256)
	for i := range every {
		every[i] = byte(i)
	}
	large := bytes.Repeat(every, 256) // 64 KB, more than a page
	commit(t, s, rec("b", "a:a:1:x", string(every)), rec("b", "a:a:2:x", string(large)), rec("b", "a:a:3:x", ""))
	holds(t, s, "b", rec("b", "a:a:1:x", string(every)), rec("b", "a:a:2:x", string(large)), rec("b", "a:a:3:x", ""))
}

func emptyBatch(t *testing.T, open Open) {
	s, end := open(t, t.TempDir())
	defer end()
	commit(t, s)
}

// unspelled is a value that nobody has spelled out yet.
type unspelled struct{}

func (unspelled) Bytes() ([]byte, error) { return []byte("spelled out"), nil }

// ST-3: a store takes bytes. A record that still has its body is refused, with its
// name and with all that is beside it, even where it has a value too.
func bodies(t *testing.T, open Open) {
	s, end := open(t, t.TempDir())
	defer end()
	commit(t, s, rec("b", "a:a:1:x", "here"))
	for _, value := range [][]byte{nil, []byte("both")} {
		err := s.Commit([]shadow.Record{
			rec("b", "a:a:2:x", "beside"),
			{Bucket: "b", Key: "a:a:1:x", Value: value, Body: unspelled{}},
		})
		var bad *shadow.BadRecord
		if !errors.As(err, &bad) || bad.Bucket != "b" || bad.Key != "a:a:1:x" {
			t.Errorf("a body beside %q: %v", value, err)
		}
	}
	holds(t, s, "b", rec("b", "a:a:1:x", "here"))
}

// ST-6: a key outside the grammar is refused, and what was beside it is not there.
func allOrNothing(t *testing.T, open Open) {
	s, end := open(t, t.TempDir())
	defer end()
	for _, bad := range []string{"no grammar", "a:b:c", "A:b:c:d", "a::c:d", "a:b:c:" + string(bytes.Repeat([]byte("x"), 128))} {
		if err := s.Commit([]shadow.Record{rec("b", "a:a:1:x", "1"), rec("b", bad, "2")}); err == nil {
			t.Errorf("the key %.20q was taken", bad)
		}
	}
	holds(t, s, "b")
}

func copies(t *testing.T, open Open) {
	s, end := open(t, t.TempDir())
	defer end()
	mine := rec("b", "a:a:1:x", "kept")
	commit(t, s, mine)
	copy(mine.Value, "XXXX")
	got, err := s.Load("b")
	if err != nil || len(got) != 1 {
		t.Fatalf("load: %v %v", got, err)
	}
	copy(got[0].Value, "YYYY")
	holds(t, s, "b", rec("b", "a:a:1:x", "kept"))
}

func concurrent(t *testing.T, open Open) {
	s, end := open(t, t.TempDir())
	defer end()
	var all sync.WaitGroup
	var want []shadow.Record
	for i := range 8 {
		r := rec("b", fmt.Sprintf("a:a:%d:x", i), "v")
		want = append(want, r)
		all.Go(func() {
			if err := s.Commit([]shadow.Record{r}); err != nil {
				t.Errorf("commit %d: %v", i, err)
			}
			if _, err := s.Load("b"); err != nil {
				t.Errorf("load: %v", err)
			}
		})
	}
	all.Wait()
	holds(t, s, "b", want...)
}
