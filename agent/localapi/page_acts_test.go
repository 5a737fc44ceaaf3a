package localapi

import (
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"hoistway/agent/core"
	"hoistway/agent/localapi/pagetest"
	"hoistway/fsm"
)

// locked adds a ride that only a person sets free.
func (s *stage) locked(id string) {
	s.each(func(v *core.View) {
		r := rideView(id, "R2", v.Lifts[1].Floors, s.h.clock())
		r.Ride.Lift, r.Ride.State, r.Ride.Phase, r.Ride.Where = "L2", fsm.FaultLocked, fsm.Locked, fsm.Unknown
		r.Ride.Code, r.Ride.Latched, r.Ride.FaultAt, r.Ride.Permit = fsm.SignalConflict, true, s.h.clock().Add(-time.Minute), fsm.Permit{}
		v.Rides = append(v.Rides, r)
	})
}

// answer fills the question that stands open and says yes.
func answerQuestion(b *pagetest.Tab, fields map[string]string) {
	b.Must(`document.querySelector('dialog[open]')`)
	for name, value := range fields {
		b.Do(chromedp.SetValue(chromedp.CSS(`dialog [name="`+name+`"]`), value))
	}
	b.Do(chromedp.Click(chromedp.CSS("dialog button[type=submit]")))
}

// RB-5, SE-7: each act of a technician asks first, says exactly what was meant, is
// made with the token, and stands in the list of acts.
func pageActs(t *testing.T, b *pagetest.Tab) {
	s, base := openStage(t)
	s.locked("ride-9")
	b.Do(chromedp.Navigate(base + "/#token=" + techToken))
	b.Must(`document.querySelector('[data-lift="L1"]') && document.querySelector('[data-ride="ride-9"]')`)
	desk := func(lift string, n string) string {
		return `[data-lift="` + lift + `"] .desk button:nth-child(` + n + `)`
	}
	for _, c := range []struct {
		button string
		fields map[string]string
		want   string
	}{
		{"#tech-stop", map[string]string{"why": "water in the pit"}, `POST /v1/stop ` + techToken + ` {"on":true,"why":"water in the pit"}`},
		{desk("L1", "1"), map[string]string{"for_s": "14400"}, `POST /v1/lifts/L1/maintenance ` + techToken + ` {"for_s":14400}`},
		{desk("L2", "1"), map[string]string{"for_s": "0", "why": "ropes"}, `POST /v1/lifts/L2/maintenance ` + techToken + ` {"why":"ropes"}`},
		{desk("L2", "3"), map[string]string{"seen_by": "M. Weber"}, `POST /v1/lifts/L2/car-empty ` + techToken + ` {"seen_by":"M. Weber"}`},
		{`[data-ride="ride-9"] footer button:nth-child(1)`, map[string]string{"robot_is": "removed", "seen_by": "M. Weber"}, `POST /v1/rides/ride-9/reset ` + techToken + ` {"robot_is":"removed","seen_by":"M. Weber"}`},
		{`[data-ride="ride-9"] footer button:nth-child(2)`, nil, `DELETE /v1/rides/ride-9 ` + techToken},
	} {
		before := pagetest.Eval[int](b, `document.querySelectorAll('#act-list li').length`)
		b.Do(chromedp.Click(chromedp.CSS(c.button)))
		answerQuestion(b, c.fields)
		b.Must(`document.querySelectorAll('#act-list li').length > ` + string(rune('0'+before)))
		if got := s.front.took(); !slices.Equal(got, []string{c.want}) {
			t.Errorf("%s asked %q, want %q", c.button, got, c.want)
		}
	}
	b.Do(chromedp.Click(chromedp.CSS("#audit summary")))
	b.Must(`document.querySelectorAll('#audit-list li').length === 2 && /site-technician.*refused.*E-2015/.test(document.querySelector('#audit-list li').textContent)`)
	if refused := pagetest.Eval[int](b, `document.querySelectorAll('[data-act="refused"]').length`); refused != 0 {
		t.Errorf("%d acts are shown as refused", refused)
	}
	b.Quiet()
}

// RB-5: nothing is sent by going back, or without what the act needs.
func pageAsksFirst(t *testing.T, b *pagetest.Tab) {
	s, base := openStage(t)
	b.Do(chromedp.Navigate(base + "/#token=" + techToken))
	b.Must(`document.querySelector('[data-lift="L1"] .desk')`)
	empty := `[data-lift="L1"] .desk button:nth-child(3)`
	b.Do(chromedp.Click(chromedp.CSS(empty)))
	answerQuestion(b, nil) // nobody is named who looked
	b.Must(`document.querySelector('dialog[open] :invalid')`)
	b.Do(chromedp.Click(chromedp.CSS("dialog button[type=button]")))
	b.Must(`!document.querySelector('dialog')`)
	b.Must(`document.activeElement === document.querySelector('` + empty + `')`)
	b.Do(chromedp.Click(chromedp.CSS(empty)))
	b.Must(`document.querySelector('dialog[open]')`)
	b.Do(chromedp.KeyEvent("\x1b"))
	b.Must(`!document.querySelector('dialog')`)
	if got := s.front.took(); len(got) != 0 {
		t.Errorf("asked all the same: %q", got)
	}

	s.front.refuse("POST /v1/lifts/L1/car-empty", `{"type":"about:blank","title":"x","status":409,"code":"E-2111","detail":"ride-1 is in the car"}`)
	b.Do(chromedp.Click(chromedp.CSS(empty)))
	answerQuestion(b, map[string]string{"seen_by": "M. Weber"})
	b.Must(`document.querySelector('#act-said').textContent.includes('ride-1 is in the car (E-2111)')`)
	b.Must(`document.querySelector('[data-act="refused"]').textContent.includes('E-2111')`)
}

// SE-1: the token lives in this tab and nowhere else, and can be given and forgotten by hand.
func pageKeepsTheToken(t *testing.T, b *pagetest.Tab) {
	_, base := openStage(t)
	b.Do(chromedp.Navigate(base + "/"))
	b.Must(`document.querySelector('#tech-form').checkVisibility()`)
	b.Do(chromedp.SetValue(chromedp.CSS("#tech-token"), techToken), chromedp.Click(chromedp.CSS("#tech-form button")))
	b.Must(`document.querySelector('#tech-stop').checkVisibility() && !document.querySelector('#call-fields').disabled`)
	if where := pagetest.Eval[string](b, `location.href + document.cookie + JSON.stringify(localStorage) + document.documentElement.outerHTML`); contains(where, techToken) {
		t.Error("the token stands somewhere outside sessionStorage")
	}
	b.Do(chromedp.Click(chromedp.CSS("#tech-forget")))
	b.Must(`document.querySelector('#tech-form').checkVisibility() && document.querySelector('#call-fields').disabled`)
	if kept := pagetest.Eval[string](b, `JSON.stringify(sessionStorage)`); contains(kept, techToken) {
		t.Error("a forgotten token is still there")
	}
}

// SE-1: the page offers what the caller's role may do, as the API tells it, and no more.
func pageShowsByRole(t *testing.T, b *pagetest.Tab) {
	s, base := openStage(t)
	s.locked("ride-9") // of R2
	s.each(func(v *core.View) {
		v.Rides = append(v.Rides, rideView("ride-1", "R1", v.Lifts[0].Floors, s.h.clock()))
	})
	const offered = `[...document.querySelectorAll('button:not([data-lang])')].filter((each) => each.checkVisibility() && !each.closest('fieldset:disabled')).map((each) => each.textContent).join()`
	desk := "Begin maintenance…,Car is empty…,Begin maintenance…,Car is empty…"
	for _, c := range []struct{ who, token, offers, said string }{
		{"viewer", "", "Use it", ""},
		{"robot", robotToken, "Call,Cancel,Elsewhere…,Forget the token", "This is the token of robot R1"},
		{"technician", techToken, desk + ",Call,Reset…,Cancel,Cancel,Elsewhere…,Stop all lifts for robots…,Forget the token", "This is the token of site-technician"},
		{"stranger", "guessed", "Forget the token", "The gateway does not know this token."},
	} {
		b.Do(chromedp.Navigate("about:blank"), chromedp.Navigate(base+"/#token="+c.token))
		b.Must(`document.querySelector('[data-ride="ride-1"]') && document.querySelector('[data-ride="ride-9"]') && document.querySelector('[data-lift="L2"]')`)
		if err := b.Until(pagetest.StepWithin, offered+" === "+strconv.Quote(c.offers)); err != nil {
			t.Errorf("%s is offered %s, want %s", c.who, pagetest.Eval[string](b, offered), c.offers)
		}
		if said := pagetest.Eval[string](b, `document.querySelector('#tech-who').textContent`); !contains(said, c.said) {
			t.Errorf("%s reads %q", c.who, said)
		}
		b.Do(chromedp.Evaluate[chromedp.Void](`sessionStorage.clear()`))
	}
}
