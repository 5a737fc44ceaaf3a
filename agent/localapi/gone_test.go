package localapi

import (
	"fmt"
	"strings"
	"testing"

	"hoistway/agent/core"
)

// lives shows rides with these ids, and no others.
func (h *house) lives(ids ...string) {
	h.hub.pass(h.loop.change(func(v *core.View) {
		v.Rides = v.Rides[:0:0]
		for _, id := range ids {
			v.Rides = append(v.Rides, rideView(id, "R1", v.Lifts[0].Floors, start))
		}
	}))
}

// A robot whose count of rides starts anew uses ids again that were forgotten long
// ago: each end is told once more, and remembered no more than once.
func TestARideIDThatComesBackAndEndsAgain(t *testing.T) {
	h := newHouse(t)
	r := &reader{news: make(chan struct{}, 1)}
	h.hub.open(r, "")
	for life := range 2 {
		h.lives("again")
		if told := string(h.hub.take(r)); !strings.Contains(told, `"ride_id":"again"`) || strings.Contains(told, "event: gone\ndata: {\"ride_id\":\"again\",") {
			t.Errorf("life %d: %s", life, told)
		}
		h.lives()
		if told := string(h.hub.take(r)); !strings.Contains(told, "event: gone\ndata: {\"ride_id\":\"again\",") {
			t.Errorf("end %d was not told: %s", life, told)
		}
	}
	for i := range 2 * keptGone { // every grave is dug up, the doubled ones too
		h.lives(fmt.Sprintf("r-%d", i%(keptGone+7)))
	}
	if n := len(h.hub.gone); n != keptGone {
		t.Errorf("%d rides are remembered as gone", n)
	}
}

// A reader that was away over a ride's end and the next one of that id knows the ride as it is now.
func TestAReaderThatMissedAnEndAndANewLife(t *testing.T) {
	h := newHouse(t)
	r := &reader{news: make(chan struct{}, 1)}
	h.hub.open(r, "")
	h.lives("again")
	h.hub.take(r)
	h.lives()
	h.lives("again")
	told := string(h.hub.take(r))
	if strings.Contains(told, "event: gone\ndata: {\"ride_id\":\"again\",") || !strings.Contains(told, `"ride_id":"again"`) {
		t.Errorf("told %s", told)
	}
}

// What is remembered of ended rides is bounded; a reader that was away for longer starts anew.
func TestGoneIsBounded(t *testing.T) {
	h := newHouse(t)
	r := &reader{news: make(chan struct{}, 1)}
	h.hub.open(r, "")
	old := fmt.Sprintf("%s-%d", h.hub.boot, h.hub.seq)
	for i := range 3 * keptGone {
		h.hub.pass(h.loop.change(func(v *core.View) {
			v.Rides = append(v.Rides[:0:0], rideView(fmt.Sprintf("r-%d", i), "R1", v.Lifts[0].Floors, start))
		}))
	}
	if n := len(h.hub.entries); n > keptGone+4 {
		t.Errorf("%d entries are kept", n)
	}
	if resumed, _ := h.hub.open(&reader{}, old); resumed {
		t.Error("resumed although some of what is gone was forgotten")
	}
}
