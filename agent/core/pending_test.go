package core

import (
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"hoistway/fsm/elevator"
	"hoistway/sync/shadow"
)

func record(key, v string) shadow.Record {
	return shadow.Record{Bucket: "b", Key: key, Value: []byte(v)}
}

func line(s string) Effect { return Line{Msg: s} }

// wrote is a step with one record and its effects.
func wrote(key string, effects ...Effect) Result {
	return Result{Batch: []shadow.Record{record(key, "1")}, After: effects}
}

// fetch takes all that may be done, in words.
func fetch(p *Pending) (words []string) {
	for d, ok := p.Next(); ok; d, ok = p.Next() {
		w := d.Unsent
		switch e := d.Effect.(type) {
		case Line:
			w += e.Msg
		case Command:
			w += " " + e.Command.ID.String()
		case Reply:
			w += fmt.Sprintf("%d %s", e.Token, e.Answer.Code)
		}
		if d.Undo != nil {
			w += fmt.Sprintf(" undo %v", d.Undo)
		}
		words = append(words, w)
	}
	return words
}

func wantDue(t *testing.T, p *Pending, want ...string) {
	t.Helper()
	if got := fetch(p); !slices.Equal(got, want) {
		t.Errorf("due %q, want %q", got, want)
	}
}

// ST-3: an effect waits for its batch and every one before it, also when it has
// nothing to store itself.
func TestEffectsWaitInOrder(t *testing.T) {
	var p Pending
	one, _ := p.Take(wrote("a", line("one")), 1)
	two, _ := p.Take(wrote("b", line("two")), 2)
	if _, ok := p.Take(Result{After: []Effect{line("three")}}, 3); ok {
		t.Error("nothing was to be stored")
	}
	wantDue(t, &p)
	if in, ok := p.Stored(one.Seq, nil, 4); !ok || in.Err != nil {
		t.Errorf("stored: %v, %v", in, ok)
	}
	wantDue(t, &p, "one")
	p.Stored(two.Seq, errors.New("full"), 5)
	wantDue(t, &p, "two", "three")
	if !p.Empty() {
		t.Error("something waits")
	}
}

// RD-11: a new ride that could not be stored is refused and taken back, and nothing is
// asked of the lift for it; what other rides want goes out.
func TestARefusedRideAsksNothing(t *testing.T) {
	var p Pending
	call := func(ride string) Command {
		return Command{Lift: "L1", Command: elevator.Command{ID: elevator.CommandID{Ride: ride, N: 1}}}
	}
	w, _ := p.Take(wrote("ride", call("r1"), Reply{Token: 7, Lasts: true, Answer: Answer{Status: Created, Ride: "r1"}}, call("r1"), call("r0")), 1)
	p.Stored(w.Seq, errors.New("full"), 2)
	wantDue(t, &p,
		"the ride could not be stored r1/1", "7 E-2107 undo {r1 store}", "the ride could not be stored r1/1", " r0/1")
}

// RD-11: an order that must outlast the process is answered "not stored" when its batch was not,
// also when it is repeated: with that batch under way, and after it.
func TestAnOrderThatCouldNotBeStored(t *testing.T) {
	var p Pending
	cancel := func(token uint64) Effect {
		return Reply{Token: token, Lasts: true, Answer: Answer{Status: Accepted, Ride: "r1"}}
	}
	first, _ := p.Take(wrote("ride", line("cancelled"), cancel(1), Reply{Token: 2}), 1)
	if _, ok := p.Take(Result{After: []Effect{cancel(3)}}, 2); ok {
		t.Error("nothing new was to be stored")
	}
	wantDue(t, &p)
	p.Stored(first.Seq, errors.New("full"), 3)
	wantDue(t, &p, "cancelled", "1 E-2107", "2 ", "3 E-2107")
	again, ok := p.Take(Result{After: []Effect{cancel(4)}}, 4)
	if !ok || len(again.Records) != 1 {
		t.Fatalf("the repeat does not try again what it stands on: %v", again)
	}
	p.Stored(again.Seq, nil, 5)
	wantDue(t, &p, "4 ")
	if _, ok := p.Take(Result{After: []Effect{cancel(5)}}, 6); ok {
		t.Error("all of it is stored")
	}
	wantDue(t, &p, "5 ")
}

// ST-3: a store that hangs holds nobody up: it is said once, what comes meanwhile does
// not wait, and all is well when it has answered.
func TestAStoreThatHangs(t *testing.T) {
	var p Pending
	limit := elevator.Instant(storeLimit)
	one, _ := p.Take(wrote("a", line("one")), 10)
	if _, ok := p.Stall(9 + limit); ok {
		t.Error("too early")
	}
	if p.Wake() != 10+limit {
		t.Errorf("wake at %v", p.Wake())
	}
	if in, ok := p.Stall(10 + limit); !ok || !errors.Is(in.Err, errHangs) {
		t.Errorf("told %v, %v", in, ok)
	}
	wantDue(t, &p, "one")
	two, _ := p.Take(wrote("b", line("two")), 11+limit)
	wantDue(t, &p, "two")
	if _, ok := p.Stall(12 + limit); ok {
		t.Error("told twice")
	}
	if p.Wake() != 0 {
		t.Error("there is nothing to wake for")
	}
	if in, ok := p.Stored(one.Seq, nil, 20+limit); !ok || in.Err != nil {
		t.Errorf("when it answers: %v, %v", in, ok)
	}
	if p.Wake() != 20+2*limit { // the second is counted from the end of the first
		t.Errorf("wake at %v", p.Wake())
	}
	p.Stored(two.Seq, nil, 21+limit)
	if _, ok := p.Stall(99 * limit); ok || p.Wake() != 0 {
		t.Error("no write is under way")
	}
}

// again is what is handed over at a retry.
func again(t *testing.T, p *Pending, now elevator.Instant) []shadow.Record {
	t.Helper()
	w, ok := p.Retry(now)
	if !ok {
		t.Fatal("nothing is due")
	}
	return w.Records
}

// ST-3: a record that can never be stored takes neither the others of its batch
// with it nor any later batch, and says nothing of the store.
func TestBadRecordIsLeftOut(t *testing.T) {
	var p Pending
	w, _ := p.Take(Result{Batch: []shadow.Record{record("a", "1"), record("bad", "1"), record("c", "1")}}, 1)
	if _, ok := p.Stored(w.Seq, fmt.Errorf("commit: %w", &shadow.BadRecord{Bucket: "b", Key: "bad", Err: errors.New("too long")}), 5); ok {
		t.Error("the core is told that the store fails")
	}
	got := again(t, &p, 5) // the others are due at once
	if len(got) != 2 || got[0].Key != "a" || got[1].Key != "c" {
		t.Errorf("tried again: %v", got)
	}
}

// What the store could not take is kept under what is newer.
func TestUnsavedKeepsTheNewest(t *testing.T) {
	var p Pending
	first, _ := p.Take(Result{Batch: []shadow.Record{record("a", "1"), record("b", "1"), record("b", "2")}}, 1)
	second, _ := p.Take(Result{Batch: []shadow.Record{record("a", "3")}}, 1)
	p.Stored(first.Seq, errors.New("full"), 1)
	if _, ok := p.Retry(2); ok {
		t.Error("the retry is due too early")
	}
	p.Stored(second.Seq, nil, 1)
	got := again(t, &p, elevator.Instant(storeRetry)+1)
	if len(got) != 1 || got[0].Key != "b" || string(got[0].Value) != "2" {
		t.Errorf("kept %q", got)
	}
}

// The next batch takes along what failed before, in front of what is newer.
func TestTheNextBatchTakesTheUnsavedAlong(t *testing.T) {
	var p Pending
	w, _ := p.Take(wrote("a"), 1)
	p.Stored(w.Seq, errors.New("full"), 1)
	w, _ = p.Take(Result{Batch: []shadow.Record{record("a", "2"), record("c", "1")}}, 2)
	if len(w.Records) != 3 || string(w.Records[0].Value) != "1" || string(w.Records[1].Value) != "2" {
		t.Errorf("handed over %q", w.Records)
	}
	p.Stored(w.Seq, errors.New("full"), 3)
	got := again(t, &p, elevator.Instant(time.Minute))
	if len(got) != 2 || string(got[0].Value) != "2" || got[1].Key != "c" {
		t.Errorf("tried again %q", got)
	}
}

// body is a value that is spelled out later.
type body string

func (b body) Bytes() ([]byte, error) { return []byte(b), nil }

// ST-3: a body that the store could not take is kept as it is, and one under a newer
// removal is not.
func TestUnsavedKeepsBodies(t *testing.T) {
	var p Pending
	rec := func(key string, b shadow.Body) shadow.Record { return shadow.Record{Bucket: "b", Key: key, Body: b} }
	first, _ := p.Take(Result{Batch: []shadow.Record{rec("a", body("1")), rec("b", body("2"))}}, 1)
	second, _ := p.Take(Result{Batch: []shadow.Record{rec("a", nil)}}, 1)
	p.Stored(first.Seq, errors.New("full"), 1)
	p.Stored(second.Seq, errors.New("full"), 1)
	kept := map[string]shadow.Record{}
	list := again(t, &p, elevator.Instant(time.Minute))
	for _, r := range list {
		kept[r.Key] = r
	}
	if b, err := kept["b"].Bytes(); len(list) != 2 || !kept["a"].Deletes() || string(b) != "2" || err != nil {
		t.Errorf("kept %v", list)
	}
}
