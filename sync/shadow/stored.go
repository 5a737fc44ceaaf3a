package shadow

import "fmt"

// Stored is the document as a service keeps it: the shape of get without the
// computed delta, and what the service remembers beside it. [ParseStored] reads it.
func (d Document) Stored() []byte {
	t := d.fullTree()
	if d.DeletedAt != 0 {
		t["deleted_at"] = num(d.DeletedAt)
	}
	gone := make([]any, len(d.Gone))
	for i, g := range d.Gone {
		gone[i] = Tree{"path": g.Path, "epoch": num(g.Order.Epoch), "seq": num(g.Order.Seq), "at": num(g.At)}
	}
	if len(gone) > 0 {
		t["gone"] = gone
	}
	return Encode(t)
}

// ParseStored is the reverse of [Document.Stored].
func ParseStored(raw []byte) (Document, error) {
	t, err := Decode(raw)
	if err != nil {
		return Document{}, fmt.Errorf("read a stored document: %w", err)
	}
	d, err := ParseDocument(t)
	if err != nil {
		return Document{}, fmt.Errorf("read a stored document: %w", err)
	}
	d.DeletedAt, _ = intOf(t["deleted_at"])
	gone, _ := t["gone"].([]any)
	for _, g := range gone {
		d.Gone = append(d.Gone, parseGone(g))
	}
	return d, nil
}

func parseGone(v any) Gone {
	t, _ := v.(Tree)
	path, _ := t["path"].(string)
	epoch, _ := intOf(t["epoch"])
	seq, _ := intOf(t["seq"])
	at, _ := intOf(t["at"])
	return Gone{Path: path, Order: Order{uint64(epoch), uint64(seq)}, At: at}
}
