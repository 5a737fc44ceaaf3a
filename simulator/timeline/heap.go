package timeline

// before orders by time, then by who was planned first. No two entries are equal.
func (a entry) before(b entry) bool {
	return a.at < b.at || a.at == b.at && a.seq < b.seq
}

func (t *Timeline[E]) set(i int, e entry) {
	t.heap[i] = e
	t.slots[e.slot].pos = int32(i)
}

// up places e at i or nearer to the root.
func (t *Timeline[E]) up(i int, e entry) {
	for i > 0 {
		parent := (i - 1) / 2
		if !e.before(t.heap[parent]) {
			break
		}
		t.set(i, t.heap[parent])
		i = parent
	}
	t.set(i, e)
}

// down places e at i or nearer to the leaves.
func (t *Timeline[E]) down(i int, e entry) {
	for {
		child := 2*i + 1
		if child >= len(t.heap) {
			break
		}
		if r := child + 1; r < len(t.heap) && t.heap[r].before(t.heap[child]) {
			child = r
		}
		if !t.heap[child].before(e) {
			break
		}
		t.set(i, t.heap[child])
		i = child
	}
	t.set(i, e)
}

// remove takes the entry at i out and frees its slot, letting go of the event.
func (t *Timeline[E]) remove(i int) {
	gone := t.heap[i].slot
	t.slots[gone] = slot[E]{}
	t.free = append(t.free, gone)
	last := len(t.heap) - 1
	e := t.heap[last]
	t.heap = t.heap[:last]
	switch {
	case i == last:
	case i > 0 && e.before(t.heap[(i-1)/2]):
		t.up(i, e)
	default:
		t.down(i, e)
	}
}
