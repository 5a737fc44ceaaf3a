package localapi

import (
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"hoistway/agent/core"
	"hoistway/agent/localapi/pagetest"
	"hoistway/fsm"
	"hoistway/fsm/elevator"
)

// IL-7, RB-5: the page tells what is asked of a lift, and that nobody knows what is owed on its wire.
func pageShowsOutputs(t *testing.T, b *pagetest.Tab) {
	s, base := openStage(t)
	s.each(func(v *core.View) {
		r := rideView("ride-1", "R1", v.Lifts[0].Floors, s.h.clock())
		r.Ride.Call = fsm.Wish{
			Command: elevator.Command{ID: elevator.CommandID{Ride: "ride-1", N: 5}, Verb: elevator.LandingCall, Floor: 2, Side: elevator.Front},
			Sent:    s.h.clock(), Taken: true,
		}
		v.Rides = append(v.Rides, r)
	})
	b.Do(chromedp.Navigate(base + "/"))
	const at = `document.querySelector('[data-lift="L1"] .outputs')`
	b.Must(at)
	b.Do(chromedp.Click(chromedp.CSS(`[data-lift="L1"] .outputs summary`)))
	b.Must(at + `.querySelector('li')`)
	got := pagetest.Eval[string](b, at+".textContent")
	for _, want := range []string{"landing call · G · front · registered · R1", "owed on the wire is not known: the driver does not tell it"} {
		if !strings.Contains(got, want) {
			t.Errorf("%q lacks %q", got, want)
		}
	}
	b.Quiet()
}

// RB-5: with the cloud away the page does not show what was agreed with it as what is so
// now; and lifts stand in the order of their names, whichever is told first.
func pageShowsTheCloudAway(t *testing.T, b *pagetest.Tab) {
	s, base := openStage(t)
	s.each(func(v *core.View) {
		v.Cloud = true
		v.Lifts = []core.LiftView{v.Lifts[1], v.Lifts[0]}
	})
	b.Do(chromedp.Navigate(base + "/"))
	const old = `document.querySelector('#old-shadow').checkVisibility()`
	const good = `document.querySelector('.chip[data-sync="converged"]')`
	b.Must(`document.querySelector('.shadow') && !` + old + ` && ` + good)
	b.Must(`[...document.querySelectorAll('[data-lift]')].map((each) => each.dataset.lift).join() === 'L1,L2'`)
	s.each(func(v *core.View) { v.Shadow.Connected = false })
	b.Must(old + ` && !` + good)
	b.Quiet()
}
