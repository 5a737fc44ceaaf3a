package core

import (
	"encoding/json"
	"fmt"

	"hoistway/fsm/dispatch"
	"hoistway/sync/shadow"
)

// storedStanding is what stands over rides as it lies in the store: one record, so that a
// crash leaves all of it or all of what was before.
type storedStanding struct {
	Standing dispatch.Standing
	moment
}

const standingKey = "standing:gateway:self:orders"

// keepStanding puts it into the batch. It holds for lifts that had nothing to do with the
// order, so all of them are reported.
func (p *pass) keepStanding() {
	raw, err := json.Marshal(storedStanding{Standing: p.site.Standing(), moment: p.moment()})
	if err != nil { // plain words and numbers: it cannot be
		p.line("warn", "what stands over rides cannot be stored", "", "", "error", err.Error())
		return
	}
	p.store(shadow.Record{Bucket: standingBucket, Key: standingKey, Value: raw})
	for _, id := range p.site.Lifts() {
		p.touch(id)
	}
	p.classic, p.res.Changed = true, true
	p.overruled()
}

func (p *pass) loadStanding(rec shadow.Record, resume *dispatch.Resume) error {
	if rec.Key != standingKey {
		return fmt.Errorf("no record of this program")
	}
	raw, err := rec.Bytes()
	if err != nil {
		return err
	}
	var s storedStanding
	if err := json.Unmarshal(raw, &s); err != nil {
		return err
	}
	s.Standing.Rebase(p.shift(&s.moment))
	resume.Standing = s.Standing
	return nil
}

// standing brings what stands over rides.
func (p *pass) standing(o Order) {
	switch o := o.(type) {
	case MaintainLift:
		p.toSite(dispatch.Maintain{Lift: o.Lift, On: o.On, For: o.For, By: o.By, Why: o.Why})
	case StopAll:
		p.toSite(dispatch.Stop{Lift: o.Lift, On: o.On, By: o.By, Why: o.Why})
	case AttestEmpty:
		p.toSite(dispatch.CarEmpty(o))
	case RaiseArea:
		p.toSite(dispatch.RaiseArea(o))
	case ClearArea:
		p.toSite(dispatch.ClearArea(o))
	}
}
