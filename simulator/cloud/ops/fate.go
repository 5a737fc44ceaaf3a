package ops

import (
	"encoding/json"

	"hoistway/sync/shadow"
)

// Fate is what became of a wish.
type Fate string

const (
	Waiting Fate = "waiting"  // not written: its wave has not come
	Written Fate = "written"  // in the document; no final word of the device yet
	InForce Fate = "in_force" // reported as it was wished
	Refused Fate = "refused"  // finally answered otherwise
	Late    Fate = "late"     // no final word within the limit
	Undone  Fate = "undone"   // the last stable values were written back
	Spared  Fate = "spared"   // the batch was stopped before it was this one's turn
)

// fate reads from a document what became of its desired value of one path: in force
// as soon as reported agrees; refused by a final ack for this write; written else.
func fate(d shadow.Document, path string) (f Fate, code int) {
	if len(shadow.Delta(shadow.Tree{path: d.Desired[path]}, d.Reported)) == 0 {
		return InForce, 200
	}
	acks, _ := d.Reported["_ack"].(shadow.Tree)
	ack, _ := acks[path].(shadow.Tree)
	ac, av := whole(ack["ac"]), whole(ack["av"])
	switch {
	case ac == 0 || av < newest(d.DesiredMeta[path]), ac == 202:
		return Written, int(ac)
	case ac == 200 || ac == 203: // said done, and yet it differs: a word is still to come
		return Written, int(ac)
	}
	return Refused, int(ac)
}

// newest is the highest version in a part of the metadata.
func newest(meta any) int64 {
	var top int64
	switch m := meta.(type) {
	case shadow.Tree:
		if v, leaf := m["version"].(json.Number); leaf {
			return whole(v)
		}
		for _, e := range m {
			top = max(top, newest(e))
		}
	case []any:
		for _, e := range m {
			top = max(top, newest(e))
		}
	}
	return top
}

func whole(v any) int64 {
	n, ok := v.(json.Number)
	if !ok {
		return 0
	}
	i, err := n.Int64()
	if err != nil {
		return 0
	}
	return i
}
