package ops

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"hoistway/sync/shadow"
)

// Bucket is where all rows of a desk are kept.
const Bucket = "ops"

// table keeps rows in the order in which they came, each under a name, and at most so
// many: what comes then takes the place of the oldest, where the table is told to
// forget. Each change of a row goes out as a record.
type table[T any] struct {
	kind  string
	limit int
	log   *ledger
	next  int64
	rows  []*row[T] // by n
	names map[string]*row[T]
}

type row[T any] struct {
	n    int64
	name string
	v    *T
}

// stored is a row as it is kept: keys have no capitals, and names may.
type stored struct {
	Name string          `json:"name"`
	V    json.RawMessage `json:"v"`
}

func newTable[T any](kind string, limit int, log *ledger) *table[T] {
	return &table[T]{kind: kind, limit: limit, log: log, names: map[string]*row[T]{}}
}

func (t *table[T]) key(n int64) string { return fmt.Sprintf("ops:%s:%012d:row", t.kind, n) }

func (t *table[T]) get(name string) *T {
	if r := t.names[name]; r != nil {
		return r.v
	}
	return nil
}

func (t *table[T]) full() bool { return len(t.rows) >= t.limit }

// put keeps v under a name, anew or in place.
func (t *table[T]) put(name string, v *T) {
	r := t.names[name]
	if r == nil {
		r = &row[T]{n: t.next, name: name}
		t.next++
		t.names[name] = r
		t.rows = append(t.rows, r)
	}
	r.v = v
	t.save(r)
	for len(t.rows) > t.limit {
		t.drop(t.rows[0].name)
	}
}

// save notes that a row was changed in place.
func (t *table[T]) save(r *row[T]) { t.log.note(t.key(r.n), r) }

func (r *row[T]) spell() ([]byte, error) {
	v, err := json.Marshal(r.v)
	if err == nil {
		v, err = json.Marshal(stored{r.name, v})
	}
	if err != nil {
		return nil, fmt.Errorf("spell out a row: %w", err)
	}
	return v, nil
}

func (t *table[T]) drop(name string) bool {
	r := t.names[name]
	if r == nil {
		return false
	}
	delete(t.names, name)
	if i, found := slices.BinarySearchFunc(t.rows, r.n, func(r *row[T], n int64) int { return int(r.n - n) }); found {
		t.rows = slices.Delete(t.rows, i, i+1)
	}
	t.log.note(t.key(r.n), nil)
	return true
}

// all are the rows from the oldest to the newest.
func (t *table[T]) all() []*T {
	out := make([]*T, len(t.rows))
	for i, r := range t.rows {
		out[i] = r.v
	}
	return out
}

func (t *table[T]) newest() *T {
	if len(t.rows) == 0 {
		return nil
	}
	return t.rows[len(t.rows)-1].v
}

// restore takes rows in the order of their keys, as a store hands them out.
func (t *table[T]) restore(rec shadow.Record) (mine bool, err error) {
	digits, ours := strings.CutPrefix(rec.Key, "ops:"+t.kind+":")
	if !ours {
		return false, nil
	}
	n, err := strconv.ParseInt(strings.TrimSuffix(digits, ":row"), 10, 64)
	var s stored
	v := new(T)
	if err == nil {
		err = json.Unmarshal(rec.Value, &s)
	}
	if err == nil {
		numbers := json.NewDecoder(bytes.NewReader(s.V))
		numbers.UseNumber() // desired values are compared as they were written
		err = numbers.Decode(v)
	}
	if err != nil {
		return true, fmt.Errorf("restore %s: %w", rec.Key, err)
	}
	r := &row[T]{n: n, name: s.Name, v: v}
	t.names[s.Name] = r
	t.rows = append(t.rows, r)
	t.next = max(t.next, n+1)
	return true, nil
}

// ledger gathers the rows that one step changed, each once.
type ledger struct {
	keep  bool
	order []string
	rows  map[string]speller // nil = gone
}

type speller interface{ spell() ([]byte, error) }

func (l *ledger) note(key string, r speller) {
	if !l.keep {
		return
	}
	if _, noted := l.rows[key]; !noted {
		l.order = append(l.order, key)
	}
	l.rows[key] = r
}

// close spells the rows out as they are at the end of the step. One that cannot be,
// which none of ours is, stays as it was kept before.
func (l *ledger) close() []shadow.Record {
	var out []shadow.Record
	for _, key := range l.order {
		rec := shadow.Record{Bucket: Bucket, Key: key}
		if r := l.rows[key]; r != nil {
			value, err := r.spell()
			if err != nil {
				continue
			}
			rec.Value = value
		}
		out = append(out, rec)
	}
	l.order, l.rows = nil, map[string]speller{}
	return out
}
