package localapi

import (
	"testing"

	"github.com/chromedp/chromedp"

	"hoistway/agent/localapi/pagetest"
	"hoistway/fsm/elevator"
)

// RB-5, OP-3, IL-8: each act of the page is carried out by the real door and the real core: what
// was set is seen on the page, and is gone when it is taken back.
func pageActsForReal(t *testing.T, b *pagetest.Tab) {
	h, loop, base := openLive(t)
	b.Do(chromedp.Navigate(base + "/#token=" + techToken))
	b.Must(`document.querySelector('[data-lift="L1"] .desk') && document.querySelector('[data-lift="L2"] .desk')`)
	banner := func(lift, kind string) string {
		return `document.querySelector('[data-lift="` + lift + `"] [data-banner="` + kind + `"]')`
	}
	desk := func(lift, n string) string { return `[data-lift="` + lift + `"] .desk button:nth-child(` + n + `)` }
	act := func(button string, fields map[string]string, then string) {
		t.Helper()
		b.Must(`document.querySelector('` + button + `')?.checkVisibility()`)
		b.Do(chromedp.Click(chromedp.CSS(button)))
		answerQuestion(b, fields)
		b.Must(then)
	}
	act("#tech-stop", map[string]string{"why": "water"}, banner("L1", "stopped")+`?.textContent.includes('water') && `+banner("L2", "stopped"))
	act("#tech-go-on", nil, `!`+banner("L1", "stopped")+` && !`+banner("L2", "stopped"))
	act(desk("L1", "1"), map[string]string{"for_s": "3600", "why": "ropes"}, banner("L1", "maintenance")+`?.textContent.includes('ropes')`)

	got := h.do(t, request{method: "POST", path: "/v1/rides", token: robotToken, body: `{"ride_id":"r-1","lift":"L1","from":"B1","to":"2"}`})
	if got.status != 201 {
		t.Fatalf("%d %s", got.status, got.body)
	}
	const ride = `document.querySelector('[data-ride="r-1"]')`
	b.Must(ride + `?.textContent.includes('lift L1 is in maintenance for another') && document.querySelector('[data-lift="L1"] .queue').textContent.includes('in maintenance')`)
	act(`[data-ride="r-1"] footer button:nth-child(3)`, map[string]string{"to": "3"}, ride+`.querySelector('h3').textContent.includes('→ 3')`)
	act(desk("L1", "2"), nil, `!`+banner("L1", "maintenance")+` && `+ride+`.dataset.state !== 'IDLE'`)
	act(`[data-ride="r-1"] footer button:nth-child(2)`, nil, ride+`.dataset.phase === 'cancelled'`)
	act(desk("L1", "3"), map[string]string{"seen_by": "M. Weber"}, `document.querySelector('#act-list li[data-act="fine"] span').textContent.includes('L1')`)

	loop.shows("L2", elevator.Fire)
	b.Must(banner("L1", "alarm"))
	act(desk("L1", "4"), map[string]string{"seen_by": "M. Weber"}, `document.querySelector('#act-list li').dataset.act === 'refused' && document.querySelector('#act-said').textContent.includes('L2 still shows')`)
	loop.shows("L2", elevator.Normal)
	act(desk("L1", "4"), map[string]string{"seen_by": "M. Weber"}, `!`+banner("L1", "alarm")+` && !`+banner("L2", "alarm"))
	if n := pagetest.Eval[int](b, `document.querySelectorAll('#act-list [data-act="refused"]').length`); n != 1 {
		t.Errorf("%d acts are shown as refused, want the one", n)
	}
}
