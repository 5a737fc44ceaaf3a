package hooks

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"hoistway/drivers"
	"hoistway/sync/shadow"
)

// Records lie in one bucket:
//
//	hook:LIFT:self:state      what was told, and when something was last heard
//	hook:LIFT:NUMBER:message  one that waits
//	hook:LIFT:HASH:seen       an id that was taken
//	hook:LIFT:HASH:nonce      a nonce, and the id that it came with
const bucket = "hooks"

const (
	keepSeen  = 1000              // ids of a lift at least
	keepFor   = 120 * time.Second // and those that are younger
	mostSeen  = 4096
	maxNonces = 4096
)

// key writes a record's key. Ids of lifts have what the grammar of keys lacks.
func (d *desk) key(id, field string) string {
	var part strings.Builder
	for _, c := range []byte(d.id) {
		switch {
		case c >= 'a' && c <= 'z', c >= '0' && c <= '9', c == '-', c == '.':
			part.WriteByte(c)
		default:
			fmt.Fprintf(&part, "_%02x", c)
		}
	}
	lift := part.String()
	if len(lift) > 60 {
		lift = "_h" + hashed(d.id)
	}
	return "hook:" + lift + ":" + id + ":" + field
}

// hashed is an id as a part of a key: vendors write ids as they like.
func hashed(id string) string {
	sum := sha256.Sum256([]byte(id))
	return hex.EncodeToString(sum[:16])
}

func (d *desk) record(id, field string, v any) shadow.Record {
	raw, err := json.Marshal(v)
	if err != nil {
		raw = []byte("null") // of our own shapes, which all can be written
	}
	return shadow.Record{Bucket: bucket, Key: d.key(id, field), Value: raw}
}

func (d *desk) gone(id, field string) shadow.Record {
	return shadow.Record{Bucket: bucket, Key: d.key(id, field)}
}

func number(seq uint64) string { return fmt.Sprintf("%016d", seq) }

// stored is a message that waits, in the store. Its head, where secrets are, is not kept.
type stored struct {
	ID      string `json:"id"` // hashed
	Wall    int64  `json:"wall"`
	Fetched bool   `json:"fetched,omitempty"`
	Body    []byte `json:"body"`
}

type seenRow struct {
	Wall int64  `json:"wall"`
	N    uint64 `json:"n"`
}

// load takes the records of this lift and returns how many could not be read.
func (d *desk) load(rows []shadow.Record) (bad int) {
	prefix, _, _ := strings.Cut(d.key("self", "state"), ":self:")
	seen := map[string]seenRow{}
	for _, row := range rows {
		rest, mine := strings.CutPrefix(row.Key, prefix+":")
		if !mine {
			continue
		}
		id, field, _ := strings.Cut(rest, ":")
		if err := d.loadOne(id, field, row.Value, seen); err != nil {
			bad++
		}
	}
	d.seen.load(seen)
	slices.SortFunc(d.queue, func(a, b *message) int { return int(min(1, max(-1, int64(a.seq)-int64(b.seq)))) })
	return bad
}

func (d *desk) loadOne(id, field string, value []byte, seen map[string]seenRow) error {
	switch field {
	case "state":
		return json.Unmarshal(value, &d.kept)
	case "seen":
		var r seenRow
		err := json.Unmarshal(value, &r)
		seen[id] = r
		return err
	case "nonce":
		var n nonce
		err := json.Unmarshal(value, &n)
		d.nonces[id] = n
		return err
	}
	var s stored
	seq, err := strconv.ParseUint(id, 10, 64)
	if err == nil {
		err = json.Unmarshal(value, &s)
	}
	if err != nil {
		return err
	}
	m := &message{seq: seq, key: s.ID, size: len(s.Body), done: make(chan struct{})}
	m.push = drivers.Push{Method: "POST", Body: s.Body, Wall: time.UnixMilli(s.Wall), Fetched: true}
	m.push.At = d.h.o.Now() - instantOf(d.h.o.Wall().Sub(m.push.Wall))
	close(m.done)
	d.h.size.take(m.size) // it is there, whether it fits or not
	d.queue, d.next = append(d.queue, m), max(d.next, seq+1)
	return nil
}

// remembered are ids that were taken, oldest first.
type remembered struct {
	rows map[string]seenRow
	ring []string
	n    uint64
}

func newRemembered() remembered { return remembered{rows: map[string]seenRow{}} }

func (r *remembered) load(rows map[string]seenRow) {
	for id, row := range rows {
		r.rows[id], r.n = row, max(r.n, row.N+1)
		r.ring = append(r.ring, id)
	}
	slices.SortFunc(r.ring, func(a, b string) int { return int(min(1, max(-1, int64(r.rows[a].N)-int64(r.rows[b].N)))) })
}

func (r *remembered) has(id string) bool { _, ok := r.rows[id]; return ok }

func (r *remembered) add(id string, wall time.Time) seenRow {
	row := seenRow{wall.UnixMilli(), r.n}
	r.n++
	r.rows[id], r.ring = row, append(r.ring, id)
	return row
}

// old lists what need not be remembered any more, and forgets it.
func (r *remembered) old(now time.Time) (gone []string) {
	for len(r.ring) > keepSeen {
		young := now.Sub(time.UnixMilli(r.rows[r.ring[0]].Wall)) < keepFor
		if young && len(r.ring) <= mostSeen {
			break
		}
		gone = append(gone, r.ring[0])
		delete(r.rows, r.ring[0])
		r.ring = r.ring[1:]
	}
	return gone
}
