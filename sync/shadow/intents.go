package shadow

import (
	"cmp"
	"crypto/sha256"
	"fmt"
	"slices"
	"strings"
	"unicode"
)

// Names with a meaning of their own inside a section.
const (
	intentsKey = "_intents" // desired: headers; reported: mirrors of those consumed
	ackKey     = "_ack"     // reported only
)

// Codes of an ack that this package itself gives.
const (
	ackDone      = 200
	ackPending   = 202
	ackRefused   = 400
	ackNotYours  = 405
	ackExpired   = 408
	ackCleared   = 409
	ackTogether  = 424
	ackFailed    = 500
	ackNoConfirm = 504
)

const defaultPriority = 5

// Bounds of what one document may ask. What goes beyond them no service of the
// public limits takes; kept, it would make records that no store takes.
const (
	maxFields  = 256
	maxID      = 128                  // bytes of an intent's id
	maxTTL     = 10 * 365 * 24 * 3600 // seconds
	maxDetail  = 200                  // bytes of an ack's words
	maxSection = 2 * MaxDocument      // services count a little differently
	maxMeta    = 100 << 10            // bytes of a section's metadata
)

// mark is the record of a consumed write. Its field is never executed again for
// the same key, whatever is redelivered.
type mark struct {
	Key    string `json:"key"`
	Code   int    `json:"code"`
	Seen   int64  `json:"seen"` // version at which this write was first met
	ID     string `json:"id,omitempty"`
	Name   string `json:"name,omitempty"` // of the Apply, while it is pending
	Detail string `json:"detail,omitempty"`
	Epoch  int64  `json:"epoch"` // document epoch
	// Restore: the value was in force when the store was lost, and is to be again.
	Restore bool `json:"restore,omitempty"`
	// Promote: an order of priority 0 put the level on that now stands.
	Promote bool `json:"promote,omitempty"`
}

// field is one top-level name of desired: the unit of execution. A value that is
// an object is carried out as a whole.
type field struct {
	name    string
	value   any
	key     string // write key
	version int64
	at      int64 // server's epoch seconds of the write
}

// header is what an intent says about its fields.
type header struct {
	id       string
	raw      any
	fields   []string
	priority int64
	ttl      int64 // seconds, 0 = the table's
	by       string
	batch    string
	signed   Signature // zero for none
	version  int64
	at       int64
	fault    string
}

// intent waits to be executed.
type intent struct {
	name     string // of its Apply
	header   *header
	fields   []field
	removal  bool // its value is null: desired asks for the field no longer
	priority int64
	at       int64
	version  int64
	expires  int64 // epoch seconds, 0 = never
	touches  bool
	asked    bool // it is no part of the document
	classes  classes
}

// fields are the first maxFields of desired; the others are never carried out.
func fields(desired, meta Tree) []field {
	var out []field
	for _, name := range sortedKeys(desired) {
		if name == intentsKey || name == ackKey {
			continue
		}
		if len(out) == maxFields {
			break
		}
		out = append(out, fieldOf(name, desired[name], meta[name]))
	}
	return out
}

func fieldOf(name string, value, meta any) field {
	f := field{name: name, value: value}
	f.version, f.at = newestStamp(value, meta)
	sum := sha256.Sum256(encodeValue(value))
	f.key = fmt.Sprintf("v%d.t%d.%x", f.version, f.at, sum[:8])
	return f
}

// newestStamp walks value and its metadata together, since a field of the state
// may itself be called timestamp.
func newestStamp(value, meta any) (version, at int64) {
	newer := func(v, m any) {
		x, y := newestStamp(v, m)
		version, at = max(version, x), max(at, y)
	}
	switch v := value.(type) {
	case Tree:
		m, _ := meta.(Tree)
		for k, e := range v {
			newer(e, m[k])
		}
	case []any:
		m, _ := meta.([]any)
		for i := range min(len(v), len(m)) {
			newer(v[i], m[i])
		}
	default:
		m, _ := meta.(Tree)
		version, _ = intOf(m["version"])
		at, _ = intOf(m["timestamp"])
	}
	return version, at
}

func (t *twin) headers() []header {
	raw, _ := t.desired[intentsKey].(Tree)
	meta, _ := t.desiredMeta[intentsKey].(Tree)
	var out []header
	for _, id := range sortedKeys(raw) {
		out = append(out, parseHeader(id, raw[id], meta[id]))
	}
	return out
}

func parseHeader(id string, raw, meta any) header {
	h := header{id: id, raw: raw, priority: defaultPriority}
	h.version, h.at = newestStamp(raw, meta)
	t, ok := raw.(Tree)
	if !ok {
		h.fault = "the header is no object"
		return h
	}
	list, _ := t["fields"].([]any)
	for _, e := range list {
		if name, ok := e.(string); ok {
			h.fields = append(h.fields, name)
		}
	}
	if p, there := t["priority"]; there {
		if h.priority, ok = intOf(p); !ok || h.priority < 0 || h.priority > 9 {
			h.priority, h.fault = defaultPriority, "priority is not a whole number from 0 to 9"
		}
	}
	if ttl, there := t["ttl_s"]; there {
		if h.ttl, ok = intOf(ttl); !ok || h.ttl <= 0 || h.ttl > maxTTL {
			h.ttl, h.fault = 0, fmt.Sprintf("ttl_s is not a whole number from 1 to %d", maxTTL)
		}
	}
	h.by, h.batch = textOf(t["by"]), textOf(t["batch"])
	if sig, there := t["sig"]; there {
		if h.signed, ok = ParseSignature(sig); !ok || h.signed.Exp == 0 {
			h.fault = "sig is no {key, exp, sig}"
		}
	}
	if !validID(id) {
		h.fault = fmt.Sprintf("the id is not 1 to %d bytes of printable text", maxID)
	}
	return h
}

func validID(id string) bool {
	unfit := func(r rune) bool { return !unicode.IsPrint(r) }
	return id != "" && len(id) <= maxID && !strings.ContainsFunc(id, unfit)
}

// textOf is a word of a header for people; what is no such word is left out.
func textOf(v any) string {
	if s, ok := v.(string); ok && validID(s) {
		return s
	}
	return ""
}

// shortID is the id as marks and acks carry it: one that is refused for its
// length is not repeated in each of them.
func (h header) shortID() string {
	if validID(h.id) {
		return h.id
	}
	return ""
}

// covers tells whether a header can speak for a write of a field: a field written
// again after the header is an intent of its own.
func (h header) covers(f field) bool {
	if h.version > 0 && f.version > 0 {
		return f.version <= h.version
	}
	return f.at <= h.at
}

// compareHeaders puts the newer last.
func compareHeaders(a, b header) int {
	return cmp.Or(cmp.Compare(a.version, b.version), cmp.Compare(a.at, b.at), cmp.Compare(a.id, b.id))
}

// compareIntents is the order of execution: priority, then creation.
func compareIntents(a, b intent) int {
	return cmp.Or(
		cmp.Compare(a.priority, b.priority), cmp.Compare(a.at, b.at),
		cmp.Compare(a.version, b.version), cmp.Compare(a.name, b.name),
	)
}

// share gives each field to the newest header that names it.
func share(headers []header, fields []field) (owned map[string][]field, free []field) {
	ordered := slices.SortedFunc(slices.Values(headers), compareHeaders)
	slices.Reverse(ordered)
	owned = map[string][]field{}
	for _, f := range fields {
		i := slices.IndexFunc(ordered, func(h header) bool { return slices.Contains(h.fields, f.name) && h.covers(f) })
		if i < 0 {
			free = append(free, f)
			continue
		}
		owned[ordered[i].id] = append(owned[ordered[i].id], f)
	}
	return owned, free
}
