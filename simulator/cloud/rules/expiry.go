package rules

import "hoistway/sync/shadow"

// operations are the fields that are done once and not kept: a wish for one grows old,
// in so many seconds if it does not say when, and a promote clears it.
var operations = map[string]int64{"recovery": 600, "task": 600, "reset": 60}

// restricts: a level that makes things safer holds until it is taken back, however
// long the device is away.
func restricts(field string, value any) bool {
	level, _ := value.(shadow.Tree)
	switch field {
	case "emergency":
		return value == true
	case "maintenance":
		return value == true || level["on"] == true
	}
	return false
}

// lifetime is how many seconds a wish has, 0 = it does not end. Its Expires holds what
// its header says.
func lifetime(w Wish, d shadow.Document) int64 {
	life := max(w.Expires, 0)
	for _, f := range w.Fields {
		if restricts(f, d.Desired[f]) {
			return 0
		}
		if of := operations[f]; of > 0 && life == 0 {
			life = of
		}
	}
	return life
}

// expire clears what nobody consumed in its time.
func (c *call) expire() {
	for _, w := range c.thing.wishes {
		if w.waits() && w.Expires > 0 && c.now >= w.Expires {
			c.clear(w, WishExpired, 408, "not consumed in its time")
			c.tell(News{Kind: Expired, Shadow: w.Shadow, ID: w.ID, Batch: w.Batch, By: w.By})
		}
	}
}

// promoted clears the operations that wait, after a write of priority 0: of its shadow,
// or of all of them if it is the gateway's own.
func (c *call) promoted(name string, version int64) {
	first := false
	for _, w := range c.open(name) {
		first = first || w.Version == version && w.Priority == 0
	}
	for _, w := range c.thing.wishes {
		if first && w.waits() && w.Priority > 0 && (name == "" || name == w.Shadow) && w.operates() {
			c.clear(w, WishRefused, 409, "cleared by promote")
		}
	}
}

func (w *Wish) operates() bool {
	for _, f := range w.Fields {
		if operations[f] == 0 {
			return false
		}
	}
	return true
}

// clear ends a wish and takes it from the document.
func (c *call) clear(w *Wish, state WishState, code int64, detail string) {
	patch := shadow.Tree{}
	for _, f := range w.Fields {
		patch[f] = nil
	}
	if w.Headed {
		patch[intentsKey] = shadow.Tree{w.ID: nil}
	}
	c.endWish(w, state, code, detail)
	if err := c.write(w.Shadow, shadow.Update{Desired: patch}); err != nil {
		c.result.Note = "a wish that is over stays: " + err.Error()
	}
}
