package robot

import (
	"encoding/json"
	"fmt"
	"slices"

	"hoistway/agent/core"
	"hoistway/drivers"
	"hoistway/fsm"
	"hoistway/fsm/elevator"
)

// kept is what outlives the agent. Times are counted from the boot of the machine: one
// of another boot has no meaning, and a pass without a time is none.
type kept struct {
	Machine string
	Saved   int64
	Rides   []keptRide
	Waiting []Waiting
	Boot    string
	Seq     uint64
	Boots   [3]string
}

type keptRide struct {
	Told  drivers.RideView
	Via   string
	Epoch uint32
	Kind  string
	Over  elevator.Instant
	Where fsm.Where
}

// Keep spells out what must outlive this run: live rides without their permits, and
// signals that wait. Signs of life are not kept, the next one tells more.
func Keep(m *Mirror, o *Outbox, boot core.Boot, now elevator.Instant) ([]byte, error) {
	k := kept{Machine: boot.ID, Saved: boot.Zero + int64(now), Boot: o.heard.boot, Seq: o.heard.seq, Boots: o.heard.boots}
	for _, r := range m.Live() {
		t := r.Told
		t.Permit, t.Withheld, t.Do, t.Why, t.DoUntil, t.Deadline = drivers.RidePermit{}, nil, "", "", 0, 0
		shift(boot.Zero, &t.At, &t.Pass.NotAfter, &t.Fault.Since)
		row := keptRide{Told: t, Via: r.Via, Epoch: r.epoch, Kind: r.kind, Over: r.over, Where: r.Where()}
		shift(boot.Zero, &row.Over)
		k.Rides = append(k.Rides, row)
	}
	for _, w := range o.waiting {
		if !w.beat() {
			shift(boot.Zero, &w.Signal.At)
			k.Waiting = append(k.Waiting, w)
		}
	}
	return json.Marshal(k)
}

func shift(by int64, at ...*elevator.Instant) {
	for _, i := range at {
		if *i != 0 {
			*i += elevator.Instant(by)
			if *i == 0 {
				*i = -1
			}
		}
	}
}

// Recall takes up what an earlier run kept. Its rides count as lost until the gateway
// has answered. After a boot of the machine no time of it is known: passes are over,
// and signals are as old as a gateway takes.
func Recall(raw []byte, m *Mirror, o *Outbox, tables map[string]elevator.Table, boot core.Boot, now elevator.Instant, wall int64) error {
	if len(raw) == 0 {
		return nil
	}
	var k kept
	if err := json.Unmarshal(raw, &k); err != nil {
		return fmt.Errorf("what was kept of the robot's rides: %w", err)
	}
	same := k.Machine != "" && k.Machine == boot.ID && k.Saved <= boot.Zero+int64(now)
	for _, row := range k.Rides {
		floors, ok := tables[row.Via]
		if !ok || row.Told.Robot != m.Robot || row.Told.ID == "" {
			continue
		}
		m.rides = append(m.rides, row.ride(floors, same, boot.Zero, now))
	}
	for _, w := range k.Waiting {
		if _, ok := tables[w.Via]; !ok || !same {
			continue // when it was true is not known any more
		}
		shift(-boot.Zero, &w.Signal.At)
		o.n++
		w.N = o.n
		o.waiting = append(o.waiting, w)
	}
	o.waiting = slices.Clip(o.waiting)
	o.heard.boot, o.heard.seq, o.heard.boots = k.Boot, k.Seq, k.Boots
	m.Look(now, wall)
	return nil
}

func (k keptRide) ride(floors elevator.Table, same bool, zero int64, now elevator.Instant) *Ride {
	r := &Ride{
		Told: k.Told, Via: k.Via, Floors: floors,
		epoch: k.Epoch, kind: k.Kind, over: k.Over, own: k.Where, restored: true,
		Lost: max(now, 1), LostWhy: "this agent has just started",
	}
	r.Told.Lost, r.Told.Where = true, string(k.Where)
	if !same {
		r.Told.Pass, r.Told.At, r.Told.Fault.Since, r.over = drivers.LeavePass{}, 0, 0, 0
		r.ownAt = now
		return r
	}
	shift(-zero, &r.Told.At, &r.Told.Pass.NotAfter, &r.Told.Fault.Since, &r.over)
	return r
}
