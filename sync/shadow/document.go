package shadow

import "fmt"

// Document is one shadow as the service holds it. Treat it as a value: nothing
// here changes one in place, and a document that was handed out may be shared.
type Document struct {
	Version      int64 // 0 = there is none yet
	Desired      Tree
	Reported     Tree
	DesiredMeta  Tree  // the same tree with {timestamp, version} at each leaf
	ReportedMeta Tree  // the same, and {epoch, seq} where the device gave an order
	LastDesired  int64 // epoch seconds of the last write, 0 = never; not versioned
	LastReported int64
	Gone         []Gone // reported leaves that an ordered write removed not long ago
	DeletedAt    int64  // epoch seconds, 0 = not deleted
}

// Exists tells a document from an empty place, or from the memory of a deleted one.
func (d Document) Exists() bool { return d.Version > 0 && d.DeletedAt == 0 }

// Size is what counts against [MaxDocument]: both sections, no metadata, no
// envelope, no spaces.
func (d Document) Size() int {
	return sectionSize(d.Desired) + sectionSize(d.Reported)
}

// Delta is computed, never kept.
func (d Document) Delta() Tree { return Delta(d.Desired, d.Reported) }

// deletedMemory is how long a deleted shadow keeps its counter.
const deletedMemory = 48 * 60 * 60

// Apply is the service's answer to an update at the server's time nowSec: the
// document after it, or a [*Rejection] and the document as it was. Every accepted
// update counts, also one that changes nothing.
func (d Document) Apply(u Update, nowSec int64) (Document, error) {
	if d.DeletedAt != 0 && nowSec-d.DeletedAt > deletedMemory {
		d = Document{}
	}
	if u.Version != nil && *u.Version != d.Version {
		return d, reject(409, "Version conflict")
	}
	if err := u.check(); err != nil {
		return d, err
	}
	next := d
	next.Version++
	next.DeletedAt = 0
	leaf := Tree{"timestamp": num(nowSec), "version": num(next.Version)}
	next = next.applyDesired(u, leaf, nowSec)
	next = next.applyReported(u, leaf, nowSec)
	if next.Size() > MaxDocument {
		return d, reject(413, fmt.Sprintf("The shadow would be %d bytes, the limit is %d", next.Size(), MaxDocument))
	}
	return next, nil
}

func (d Document) applyDesired(u Update, leaf Tree, nowSec int64) Document {
	if u.ClearDesired {
		d.Desired, d.DesiredMeta = nil, nil
	}
	if u.Desired != nil {
		d.DesiredMeta = mergeMeta(d.DesiredMeta, d.Desired, u.Desired, leaf)
		d.Desired = Merge(d.Desired, u.Desired)
	}
	if u.Desired != nil || u.ClearDesired {
		d.LastDesired = nowSec
	}
	return d
}

func (d Document) applyReported(u Update, leaf Tree, nowSec int64) Document {
	if u.ClearReported {
		d.Reported, d.ReportedMeta = nil, nil
	}
	if u.Reported != nil {
		fresh := u.Reported
		if u.Order != nil {
			fresh, d.Gone = d.inOrder(u, nowSec)
			leaf = Merge(leaf, Tree{"epoch": num(u.Order.Epoch), "seq": num(u.Order.Seq)})
		}
		d.ReportedMeta = mergeMeta(d.ReportedMeta, d.Reported, fresh, leaf)
		d.Reported = Merge(d.Reported, fresh)
	}
	if u.Reported != nil || u.ClearReported {
		d.LastReported = nowSec
	}
	return d
}

// Deleted is the document after a delete, which counts as a version. What is
// left is the memory of the counter.
func (d Document) Deleted(nowSec int64) (Document, error) {
	if !d.Exists() {
		return d, reject(404, "No shadow exists with that name")
	}
	return Document{Version: d.Version + 1, DeletedAt: nowSec}, nil
}
