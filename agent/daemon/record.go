package daemon

import (
	"path/filepath"
	"time"

	"hoistway/agent/audit"
	"hoistway/agent/commission"
	"hoistway/agent/core"
	"hoistway/agent/gateway"
	"hoistway/agent/journal"
	"hoistway/fsm/elevator"
)

// journalDir is where flight records lie, in the folder of the store.
const journalDir = "journal"

// openRecords makes the flight recorder and the audit; Run opens what lies on the disk.
func (a *agent) openRecords() {
	a.audit = audit.New(a.c.Store.Dir, a.d.Log)
	lifts := map[string]journal.Lift{}
	for _, l := range a.c.Lifts {
		name, src := a.c.ProfileSource(l.ID)
		r := journal.Lift{
			Line: commission.LineOf(l.URL()), Link: l.URL().Redacted(), Profile: l.Profile, Hash: commission.Hash(name, src), Floors: l.Table(),
		}
		if !commission.FramesAreBare(l.URL().Scheme) {
			r.Mask = commission.Mask
		}
		lifts[l.ID] = r
	}
	a.recorder = journal.New(journal.Options{
		Dir: filepath.Join(a.c.Store.Dir, journalDir), Version: a.d.Version, Serial: a.c.Device.Serial, Lifts: lifts, Boot: a.clock.boot,
		Wall: time.Now, Log: a.d.Log,
	})
}

// witness is everybody who watches the loop.
func (a *agent) witness() gateway.Witness {
	tables := map[string]elevator.Table{}
	for _, l := range a.c.Lifts {
		tables[l.ID] = l.Table()
	}
	return witnesses{a.recorder, &audit.Witness{Log: a.audit, Tables: tables}}
}

type witnesses []gateway.Witness

func (w witnesses) Stepped(in core.Input, res *core.Result, k *core.Core, t core.Time) {
	for _, x := range w {
		x.Stepped(in, res, k, t)
	}
}

func (w witnesses) Given(c core.Command, urgent bool, t core.Time) {
	for _, x := range w {
		x.Given(c, urgent, t)
	}
}
