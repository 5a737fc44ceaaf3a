package hooks

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"hoistway/drivers"
	"hoistway/fsm/elevator"
	"hoistway/sync/shadow"
)

// disk is a store that keeps batches as a whole, in their order.
type disk struct {
	mu      sync.Mutex
	rows    map[string][]byte
	batches [][]shadow.Record
	fail    error
	stop    func([]shadow.Record) bool // hangs for ever on such a batch
}

func newDisk() *disk { return &disk{rows: map[string][]byte{}} }

func (d *disk) Commit(rows []shadow.Record, done func(error)) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, r := range rows {
		if err := r.Check(); err != nil {
			go done(err)
			return
		}
	}
	if d.fail != nil {
		go done(d.fail)
		return
	}
	if d.stop != nil && d.stop(rows) {
		return
	}
	d.batches = append(d.batches, rows)
	for _, r := range rows {
		if r.Value == nil {
			delete(d.rows, r.Key)
			continue
		}
		d.rows[r.Key] = r.Value
	}
	go done(nil)
}

func (d *disk) Load(string) (out []shadow.Record, err error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for k, v := range d.rows {
		out = append(out, shadow.Record{Bucket: bucket, Key: k, Value: v})
	}
	return out, nil
}

func (d *disk) count(field string) (n int) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for k := range d.rows {
		if strings.HasSuffix(k, ":"+field) {
			n++
		}
	}
	return n
}

func (d *disk) set(change func(*disk)) {
	d.mu.Lock()
	defer d.mu.Unlock()
	change(d)
}

// lift is a link whose messages are "ID EVENT" and say the event; what was told is the
// newest event.
type lift struct {
	mu       sync.Mutex
	plan     drivers.PushPlan
	took     []string
	recalled string
	asked    []string
	missed   []string
	queued   []string
	on       bool
	broken   error
	enable   error
}

func (l *lift) Read(context.Context) (elevator.Snapshot, error) {
	return elevator.Snapshot{}, l.ask("read")
}
func (l *lift) Close() error { return nil }
func (l *lift) Do(context.Context, elevator.Command) elevator.Outcome {
	return elevator.Outcome{}
}

func (l *lift) ask(what string) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.asked = append(l.asked, what)
	return l.broken
}

func (l *lift) Admit(p drivers.Push) drivers.Admission {
	f := strings.Fields(string(p.Body))
	switch {
	case len(f) == 0:
		return drivers.Admission{Fate: "refused", Status: 401, Why: "empty"}
	case f[0] == "foreign" || f[0] == "check" || f[0] == "other":
		return drivers.Admission{Fate: f[0], Status: 200}
	}
	id := f[0]
	if id == "-" {
		id = ""
	}
	a := drivers.Admission{Keep: true, Fate: "kept", ID: id, Status: 200, Type: "text/plain", Body: []byte("yes")}
	if len(f) > 2 {
		a.Nonce, a.Sent = f[2], p.Wall
	}
	if len(f) > 3 {
		ms, _ := strconv.ParseInt(f[3], 10, 64)
		a.Sent = time.UnixMilli(ms)
	}
	return a
}

func (l *lift) Weigh(told []byte, p drivers.Push) ([]byte, int, error) {
	now, _ := strconv.Atoi(strings.Fields(string(p.Body))[1])
	was, _ := strconv.Atoi(string(told))
	if now < was {
		return told, 1, nil
	}
	return []byte(strconv.Itoa(now)), 0, nil
}

func (l *lift) Take(told []byte, p drivers.Push) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.took = append(l.took, strings.Fields(string(p.Body))[0]+" after "+string(told))
}

func (l *lift) Recall(told []byte, _ elevator.Instant, _ time.Time) { l.recalled = string(told) }
func (l *lift) Pushes() drivers.PushPlan                            { return l.plan }

func (l *lift) batch(list *[]string, what string) (drivers.Batch, error) {
	err := l.ask(what)
	l.mu.Lock()
	defer l.mu.Unlock()
	b := drivers.Batch{Taken: func(context.Context) error {
		l.mu.Lock()
		defer l.mu.Unlock()
		l.asked, *list = append(l.asked, what+" taken"), nil
		return nil
	}}
	for _, m := range *list {
		b.Messages = append(b.Messages, drivers.Push{Body: []byte(m), Wall: time.Now(), Fetched: true})
	}
	return b, err
}

func (l *lift) Missed(context.Context) (drivers.Batch, error) { return l.batch(&l.missed, "missed") }

func (l *lift) Queued(context.Context) (drivers.Batch, error) { return l.batch(&l.queued, "queued") }

func (l *lift) Pushing(context.Context) (bool, error) {
	err := l.ask("pushing")
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.on, err
}
func (l *lift) Enable(context.Context) error { return errors.Join(l.ask("enable"), l.enable) }
func (l *lift) Subscribe(_ context.Context, n int) error {
	return l.ask("subscribe " + strconv.Itoa(n))
}

func (l *lift) seen() (took, asked []string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Clone(l.took), slices.Clone(l.asked)
}

func (l *lift) set(change func(*lift)) {
	l.mu.Lock()
	defer l.mu.Unlock()
	change(l)
}

// plain is how the lifts of these tests push, with nothing to be asked in between.
var plain = drivers.PushPlan{Verify: "hmac_sha256", Nonces: 10 * time.Minute, Repair: time.Hour, SuspendsAfter: 30 * time.Minute}

type house struct {
	*Hooks
	end func()
	log *bytes.Buffer
}

func open(t *testing.T, d *disk, lifts map[string]*lift) *house {
	t.Helper()
	began := time.Now()
	var log bytes.Buffer
	o := Options{
		Commit: d.Commit, Load: d.Load, Wall: time.Now, Log: slog.New(slog.NewTextHandler(&log, nil)),
		Now: func() elevator.Instant { return elevator.Instant(time.Since(began)) + 1 },
	}
	for id, l := range lifts {
		o.Lifts = append(o.Lifts, Lift{ID: id, Link: l})
	}
	h, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() {
		_ = h.Run(ctx)
		close(done)
	}()
	return &house{h, func() { cancel(); <-done }, &log}
}

func (h *house) push(t *testing.T, lift, body string) int {
	t.Helper()
	return h.Receive(t.Context(), lift, drivers.Push{Method: "POST", Body: []byte(body)}).Status
}

func (h *house) status(t *testing.T, lift string) Status {
	t.Helper()
	s, ok := h.Status(lift)
	if !ok {
		t.Fatal("nothing is pushed for", lift)
	}
	return s
}

// WH-1, WH-3: the answer comes when the message is durable; its id, what it changed and
// its end as one that waits lie in one transaction; only then does the link know of it.
func TestAnsweredThenWorkedOut(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d, l := newDisk(), &lift{plan: plain}
		d.stop = func(rows []shadow.Record) bool { return strings.HasSuffix(rows[len(rows)-1].Key, ":state") }
		h := open(t, d, map[string]*lift{"L1": l})
		if got := h.push(t, "L1", "a 7"); got != 200 {
			t.Fatal(got)
		}
		synctest.Wait()
		if took, _ := l.seen(); len(took) != 0 || d.count("message") != 1 || d.count("seen") != 0 {
			t.Errorf("before the transaction: %v, %d wait, %d seen", took, d.count("message"), d.count("seen"))
		}
		h.end() // as if the process had died here
		d.set(func(d *disk) { d.stop = nil })
		l = &lift{plan: plain}
		h = open(t, d, map[string]*lift{"L1": l})
		synctest.Wait()
		if took, _ := l.seen(); !slices.Equal(took, []string{"a after "}) {
			t.Errorf("after the start: %v", took)
		}
		last := d.batches[len(d.batches)-1]
		var fields []string
		for _, r := range last {
			fields = append(fields, r.Key[strings.LastIndex(r.Key, ":")+1:]+map[bool]string{true: " gone"}[r.Value == nil])
		}
		if !slices.Equal(fields, []string{"message gone", "seen", "state"}) {
			t.Errorf("one transaction holds %v", fields)
		}
		if got := h.push(t, "L1", "a 7"); got != 200 || h.status(t, "L1").Duplicates != 1 {
			t.Errorf("the same again: %d", got)
		}
		h.end()
		l = &lift{plan: plain}
		h = open(t, d, map[string]*lift{"L1": l})
		if l.recalled != "7" {
			t.Errorf("recalled %q", l.recalled)
		}
		if s := h.status(t, "L1"); s.Heard.IsZero() {
			t.Error("when it was last heard is forgotten")
		}
		h.end()
	})
}

// WH-1: what cannot be kept is left with the service: a store that fails or hangs, a
// queue that is full. WH-4: what is late is counted.
func TestNothingIsTakenThatIsNotKept(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d, l := newDisk(), &lift{plan: plain}
		h := open(t, d, map[string]*lift{"L1": l})
		d.set(func(d *disk) { d.fail = errors.New("no space left on device") })
		if got := h.push(t, "L1", "a 1"); got != 503 {
			t.Errorf("a full disk: %d", got)
		}
		d.set(func(d *disk) { d.fail, d.stop = nil, func([]shadow.Record) bool { return true } })
		began := time.Now()
		if got := h.push(t, "L1", "b 2"); got != 503 || time.Since(began) != durableWithin {
			t.Errorf("a disk that hangs: %d after %s", got, time.Since(began))
		}
		h.end()
		d, l = newDisk(), &lift{plan: plain}
		d.stop = func(rows []shadow.Record) bool { return strings.HasSuffix(rows[len(rows)-1].Key, ":state") }
		h = open(t, d, map[string]*lift{"L1": l})
		for n := range maxWaiting + 1 {
			want := 200
			if n == maxWaiting {
				want = 503
			}
			if a := h.Receive(t.Context(), "L1", drivers.Push{Body: fmt.Appendf(nil, "m%d 1", n)}); a.Status != want || want == 503 && a.After == 0 {
				t.Fatalf("message %d: %+v", n, a)
			}
			time.Sleep(time.Second / perSecond)
		}
		if n := d.count("message"); n != maxWaiting {
			t.Errorf("%d lie in the store", n)
		}
		h.end()
		d.set(func(d *disk) { d.stop = nil })
		h = open(t, d, map[string]*lift{"L1": l})
		synctest.Wait()
		if took, _ := l.seen(); len(took) != maxWaiting || took[0] != "m0 after " {
			t.Errorf("%d were taken after the start", len(took))
		}
		h.push(t, "L1", "late 0")
		synctest.Wait()
		if s := h.status(t, "L1"); s.Late != 1 || s.Queue != 0 {
			t.Errorf("%+v", s)
		}
		h.end()
	})
}

// WH-3, DD-1: a thousand ids are remembered, and all of the last two minutes, over a
// restart, and not more than that.
func TestRememberedIDs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d, l := newDisk(), &lift{plan: plain}
		h := open(t, d, map[string]*lift{"L1": l})
		for n := range 1500 {
			if got := h.push(t, "L1", fmt.Sprintf("m%d 1", n)); got != 200 {
				t.Fatalf("message %d: %d", n, got)
			}
			time.Sleep(time.Second / perSecond)
		}
		synctest.Wait()
		if n := d.count("seen"); n != 1500 {
			t.Errorf("%d of 1500 ids within 50 s", n)
		}
		time.Sleep(keepFor)
		h.push(t, "L1", "m1500 1")
		synctest.Wait()
		if n := d.count("seen"); n != keepSeen {
			t.Errorf("%d ids after two minutes", n)
		}
		h.end()
		h = open(t, d, map[string]*lift{"L1": l})
		h.push(t, "L1", "m502 1")
		h.push(t, "L1", "m500 1")
		synctest.Wait()
		if s := h.status(t, "L1"); s.Duplicates != 1 || s.Taken != 1 {
			t.Errorf("after the restart: %+v", s)
		}
		h.end()
	})
}

// WH-5: a message without an id may say the same again later, and then counts; with a
// nonce the same one is known.
func TestMessagesWithoutID(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d, l := newDisk(), &lift{plan: plain}
		h := open(t, d, map[string]*lift{"L1": l})
		for _, m := range []string{"- 3", "- 2", "- 3", "- 4 n1", "- 4 n1"} {
			h.push(t, "L1", m)
			time.Sleep(time.Second)
		}
		if s := h.status(t, "L1"); s.Taken != 4 || s.Duplicates != 1 {
			t.Errorf("%+v", s)
		}
		h.end()
	})
}

// WH-2: a nonce that comes again with another message is a replay, also after a restart;
// the same message again is only a duplicate. Beyond its window it is forgotten.
func TestNonces(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d, l := newDisk(), &lift{plan: plain}
		h := open(t, d, map[string]*lift{"L1": l})
		h.push(t, "L1", "a 1 n1")
		synctest.Wait()
		h.end()
		h = open(t, d, map[string]*lift{"L1": l})
		if got := h.push(t, "L1", "b 2 n1"); got != 401 {
			t.Errorf("a replay: %d", got)
		}
		if got := h.push(t, "L1", "a 1 n1"); got != 200 {
			t.Errorf("a duplicate: %d", got)
		}
		time.Sleep(plain.Nonces + time.Second)
		h.push(t, "L1", "c 3 n2")
		synctest.Wait()
		if n := d.count("nonce"); n != 1 {
			t.Errorf("%d nonces are kept", n)
		}
		if got := h.push(t, "L1", "d 4 n1"); got != 200 {
			t.Errorf("after its window: %d", got)
		}
		if took, _ := l.seen(); len(took) < 2 {
			t.Errorf("%v", took)
		}
		h.end()
	})
}

// WH-2: nonces are bounded too; what was signed before the oldest that is remembered is
// refused rather than believed, also after a restart, and new messages are taken.
func TestManyNonces(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newDisk()
		lifts := map[string]*lift{"L1": {plan: plain}}
		lifts["L1"].plan.Nonces = time.Hour
		h := open(t, d, lifts)
		first := time.Now().UnixMilli()
		for n := range maxNonces + 2 {
			if got := h.push(t, "L1", fmt.Sprintf("m%d 1 n%d", n, n)); got != 200 {
				t.Fatalf("message %d: %d", n, got)
			}
			time.Sleep(time.Second / perSecond)
		}
		synctest.Wait()
		if n := d.count("nonce"); n != maxNonces {
			t.Errorf("%d are kept", n)
		}
		h.end()
		h = open(t, d, lifts)
		if got := h.push(t, "L1", fmt.Sprintf("forged 1 n0 %d", first)); got != 401 {
			t.Errorf("a replay of what is forgotten: %d", got)
		}
		if got := h.push(t, "L1", "new 1 nn"); got != 200 {
			t.Errorf("a new one: %d", got)
		}
		h.end()
	})
}

// WH-11, WH-12, WH-13: what is not kept is counted and goes no farther.
func TestWhatIsNotKept(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d, l := newDisk(), &lift{plan: plain}
		h := open(t, d, map[string]*lift{"L1": l})
		for _, m := range []string{"foreign", "foreign", "check", "other", ""} {
			h.push(t, "L1", m)
		}
		synctest.Wait()
		s := h.status(t, "L1")
		if s.Foreign != 2 || s.Checks != 1 || s.Other != 1 || s.Refused != 1 || s.Taken != 0 || len(d.batches) != 0 {
			t.Errorf("%+v, %d batches", s, len(d.batches))
		}
		if got := h.push(t, "L2", "a 1"); got != 404 {
			t.Errorf("another lift: %d", got)
		}
		h.end()
	})
}

// SE-5: a flood is held up at its own lift's door.
func TestFlood(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newDisk()
		h := open(t, d, map[string]*lift{"L1": {plan: plain}, "L2": {plan: plain}})
		got := map[int]int{}
		for n := range 2 * burst {
			got[h.push(t, "L1", fmt.Sprintf("m%d 1", n))]++
		}
		if got[200] != burst || got[429] != burst {
			t.Errorf("%v", got)
		}
		if s := h.push(t, "L2", "a 1"); s != 200 {
			t.Errorf("the other lift's: %d", s)
		}
		time.Sleep(time.Second)
		if s := h.push(t, "L1", "later 1"); s != 200 {
			t.Errorf("a second later: %d", s)
		}
		synctest.Wait()
		if s := h.status(t, "L1"); s.Turned != burst {
			t.Errorf("%+v", s)
		}
		h.end()
	})
}

// ST-6: ids of lifts and of vendors are whatever they are; keys keep the grammar.
func TestKeys(t *testing.T) {
	h := &Hooks{}
	seen := map[string]bool{}
	for _, id := range []string{"L1", "l1", "Lift:1", strings.Repeat("Ä", 60), "lift 1", "self"} {
		d := &desk{h: h, id: id}
		key := d.key(hashed("any\x00 ID"), "seen")
		if err := (shadow.Record{Bucket: bucket, Key: key, Value: []byte{1}}).Check(); err != nil || seen[key] {
			t.Errorf("%q: %v", key, err)
		}
		seen[key] = true
	}
}

// A record that cannot be read takes none of the others with it.
func TestBadRecords(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d, l := newDisk(), &lift{plan: plain}
		n := (&desk{id: "L1"})
		for _, k := range []string{n.key("self", "state"), n.key("x", "message"), n.key("0000000000000002", "message"), n.key("h", "seen"), n.key("h", "nonce")} {
			d.rows[k] = []byte("{")
		}
		d.rows[n.key("0000000000000003", "message")] = []byte(`{"id":"k","wall":1,"body":"YSA5"}`)
		h := open(t, d, map[string]*lift{"L1": l})
		synctest.Wait()
		if took, _ := l.seen(); !slices.Equal(took, []string{"a after "}) || !strings.Contains(h.log.String(), "E-4005") {
			t.Errorf("%v\n%s", took, h.log)
		}
		h.end()
	})
}
