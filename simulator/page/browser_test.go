package page

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"hoistway/agent/localapi/pagetest"
	"hoistway/simulator/faults"
	"hoistway/simulator/picture"
)

// SM-7: the page, seen by a browser.
func TestPage(t *testing.T) {
	b := pagetest.New(t, 1360, 900)
	for _, c := range []struct {
		name string
		run  func(*testing.T, *pagetest.Tab)
	}{
		{"a live site moves", liveMoves},
		{"a reader that comes late knows what went before", lateReader},
		{"a fault is begun and cleared by hand", faultByHand},
		{"the clock of the site is set", siteClock},
		{"a live picture can be held and gone back in", heldLive},
		{"a stream that broke is shown", brokenStream},
		{"a recording is stepped through", stepped},
		{"a recording runs to its end at 100×", runsToItsEnd},
		{"two runs have one clock", sideBySide},
		{"waiting times are counted right", waitsCounted},
		{"what the agent has wrong is marked", beliefMarked},
		{"unknown is drawn as unknown", unknownDrawn},
		{"hostile words stay words", hostileWords},
		{"a page that connects says so", saysThatItConnects},
		{"people are counted beside a robot", peopleBesideARobot},
		{"files are opened, and a torn one says so", filesOpened},
		{"a phone is wide enough", onAPhone},
	} {
		t.Run(c.name, func(t *testing.T) {
			b.For(t)
			c.run(t, b)
			// The next page must not meet this one's reconnects.
			b.Do(chromedp.Navigate("about:blank"))
		})
	}
}

// until waits with the patience of a busy machine.
func until(t *testing.T, b *pagetest.Tab, expression string) {
	t.Helper()
	if err := b.Until(soon, expression); err != nil {
		t.Fatal(err)
	}
}

func same[T comparable](t *testing.T, b *pagetest.Tab, expression string, want T) {
	t.Helper()
	if got := pagetest.Eval[T](b, expression); got != want {
		t.Errorf("%s: %v, want %v", expression, got, want)
	}
}

// texts joins the texts of all that a selector finds.
func texts(selector string) string {
	return fmt.Sprintf(`[...document.querySelectorAll(%q)].map((n) => n.textContent).join(' | ')`, selector)
}

func goTo(t *testing.T, b *pagetest.Tab, base string) {
	t.Helper()
	b.Do(chromedp.Navigate(base + "/"))
	until(t, b, `document.body.dataset.mode && document.body.dataset.mode !== 'none'`)
}

// at sets the bar, as dragging it does.
func at(t *testing.T, b *pagetest.Tab, ms int64) {
	t.Helper()
	until(t, b, fmt.Sprintf(`(() => { const s = document.querySelector('#scrub'); s.value = %d; s.dispatchEvent(new Event('input')); return true; })()`, ms))
	until(t, b, fmt.Sprintf(`document.querySelector('.stage').dataset.atMs === '%d'`, ms))
}

func liveSite(t *testing.T, o Options) (*Page, string, []picture.Frame) {
	t.Helper()
	h, frames := sample("live", 1)
	o.Header = h
	if o.Site == nil {
		o.Site = &stand{}
	}
	p, base := open(t, o)
	return p, base, frames
}

func liveMoves(t *testing.T, b *pagetest.Tab) {
	// A busy machine sees few of the pictures in which the car moves; then slower.
	var frames []picture.Frame
	var err error
	for _, rest := range []time.Duration{50 * time.Millisecond, time.Second} {
		if frames, err = moved(t, b, rest); err == nil {
			break
		}
	}
	if err != nil {
		t.Error(err)
	}
	until(t, b, `document.querySelector('.stage[data-at-ms="23000"]')`)
	// At 23 s r1 stands in the doorway of L1 at G, whose car is there and open.
	same(t, b, `document.querySelector('.robot[data-robot="r1"]').dataset.where`, "doorway")
	until(t, b, `document.querySelector('.car[data-lift="L1"] .leaf[data-side="front"]').dataset.open === '1.00'`)
	same(t, b, `document.querySelector('.car[data-lift="L1"] .leaf[data-side="rear"]').dataset.door`, "closed")
	same(t, b, `Math.round(document.querySelector('.robot[data-robot="r1"]').getBoundingClientRect().bottom - document.querySelector('.car[data-lift="L1"] .cabin').getBoundingClientRect().bottom)`, 0)
	same(t, b, texts(`.lift[data-lift="L1"] .counts`), "115 asked · 115 answered · 0 spoiled · 1 written")
	same(t, b, texts(`.ride .permit`), "permit: enter")
	same(t, b, `['1', '2'].includes(document.querySelector('.lift[data-lift="L1"] .dot').dataset.beat)`, true)
	same(t, b, `document.querySelector('#agent').href`, "http://127.0.0.1:8080/")
	same(t, b, `document.querySelectorAll('.floor .wait:not([hidden])').length`, len(frames[115].Wait))
	b.Quiet()
}

// moved plays a live site with a rest between two frames, and watches L1 from 5 s on.
func moved(t *testing.T, b *pagetest.Tab, rest time.Duration) ([]picture.Frame, error) {
	t.Helper()
	p, base, frames := liveSite(t, Options{AgentURL: "http://127.0.0.1:8080/"})
	play(p, frames, -1, 5000, 0)
	goTo(t, b, base)
	until(t, b, `document.querySelector('#live').dataset.live === 'live' && document.querySelector('.stage[data-at-ms="5000"]')`)
	played := make(chan struct{})
	go func() {
		defer close(played)
		play(p, frames, 5000, 13_000, rest)
	}()
	err := b.CarMoves("L1", 40*rest+5*time.Second)
	<-played
	play(p, frames, 13_000, 23_000, 20*time.Millisecond) // so that its wire is seen at work
	return frames, err
}

func lateReader(t *testing.T, b *pagetest.Tab) {
	p, base, frames := liveSite(t, Options{})
	play(p, frames, -1, 70_000, 0)
	goTo(t, b, base)
	// At 70 s: five events of robots and rides and one fault of the cloud; 23 times
	// two people have stepped in; three robots were let in.
	until(t, b, `document.querySelectorAll('.log li').length === 6`)
	until(t, b, texts(`#plots td:nth-child(2)`)+` === '46 | 3'`)
	b.Quiet()
}

func faultByHand(t *testing.T, b *pagetest.Tab) {
	s := &stand{}
	p, base, frames := liveSite(t, Options{Site: s})
	play(p, frames, 71_800, 72_000, 0)
	goTo(t, b, base)
	until(t, b, `document.querySelector('#inject-target').options.length === 3`)
	choose := func(id, value string) string {
		return fmt.Sprintf(`(() => { const s = document.querySelector(%q); s.value = %q; s.dispatchEvent(new Event('change')); return s.value === %q; })()`, id, value, value)
	}
	until(t, b, choose("#inject-fault", "door-stuck"))
	same(t, b, `document.querySelector('#inject-choice').hidden`, false)
	same(t, b, `document.querySelector('#inject-times').parentElement.hidden`, true)
	until(t, b, choose("#inject-fault", "door-reopens"))
	same(t, b, `document.querySelector('#inject-choice').hidden`, true)
	until(t, b, choose("#inject-target", "L2"))
	b.Do(
		chromedp.SetValue(chromedp.CSS("#inject-arg"), "3"),
		chromedp.SetValue(chromedp.CSS("#inject-for"), "90s"),
		chromedp.SetValue(chromedp.CSS("#inject-times"), "2"),
		chromedp.Click(chromedp.CSS("#inject-begin")))
	until(t, b, `document.querySelector('#inject-said').textContent === 'door-reopens begun on L2.'`)
	begun, _ := s.told()
	if want := (faults.Fault{Kind: "door-reopens", Target: "L2", Arg: "3", For: 90 * time.Second, Times: 2}); len(begun) != 1 || begun[0] != want {
		t.Errorf("begun %+v", begun)
	}
	// The fault that is on is drawn on what it is aimed at.
	same(t, b, `document.querySelector('.shaft[data-lift="L2"]').dataset.faults`, "silent")
	same(t, b, `document.querySelector('.fault').textContent.includes('struck 0')`, true)
	b.Do(chromedp.Click(chromedp.CSS(`.fault[data-fault="silent"] button`)))
	until(t, b, `document.querySelector('#inject-said').textContent === 'Cleared silent on L2.'`)
	b.Do(chromedp.Click(chromedp.CSS("#clear-target")))
	until(t, b, `document.querySelector('#inject-said').textContent === 'Cleared all faults on L2.'`)
	if _, cleared := s.told(); strings.Join(cleared, " ") != "L2/silent L2/" {
		t.Errorf("cleared %q", cleared)
	}
	b.Quiet()
	// What the site refuses is said in its words.
	b.Do(chromedp.SetValue(chromedp.CSS("#inject-for"), "soon"), chromedp.Click(chromedp.CSS("#inject-begin")))
	until(t, b, `document.querySelector('#inject-said[data-bad]')?.textContent.includes('want a time such as')`)
}

func siteClock(t *testing.T, b *pagetest.Tab) {
	s := &timed{speed: 1}
	p, base, frames := liveSite(t, Options{Site: s})
	p.Show(frames[0])
	goTo(t, b, base)
	until(t, b, `!document.querySelector('#site-clock').hidden && document.querySelectorAll('#site-speeds button').length === 3`)
	b.Do(chromedp.Click(chromedp.CSS(`#site-speeds [data-speed="100"]`)))
	until(t, b, `document.querySelector('#site-speed').textContent === '100×'`)
	b.Do(chromedp.Click(chromedp.CSS("#site-pause")))
	until(t, b, `document.querySelector('#site-speed').textContent === 'paused'`)
	if speed, paused := s.Speed(); speed != 100 || !paused {
		t.Errorf("speed %v, paused %v", speed, paused)
	}
	b.Quiet()
	_, real, _ := liveSite(t, Options{})
	goTo(t, b, real)
	until(t, b, `document.querySelector('#inject-target').options.length === 3`)
	same(t, b, `document.querySelector('#site-clock').hidden`, true)
}

func heldLive(t *testing.T, b *pagetest.Tab) {
	p, base, frames := liveSite(t, Options{})
	play(p, frames, -1, 57_000, 0)
	goTo(t, b, base)
	until(t, b, `document.querySelector('.stage[data-at-ms="57000"]')`)
	for ms := int64(57_000); ms < 63_000; ms += 1000 { // one by one, so that each is kept
		play(p, frames, ms+800, ms+1000, 0)
		until(t, b, fmt.Sprintf(`document.querySelector('.stage[data-at-ms="%d"]')`, ms+1000))
	}
	b.Do(chromedp.Click(chromedp.CSS("#before"))) // the cloud's fault at 60 s
	until(t, b, `document.querySelector('.stage[data-at-ms="60000"]')`)
	same(t, b, `document.querySelector('#follow').getAttribute('aria-pressed')`, "false")
	play(p, frames, 63_800, 64_000, 0)
	until(t, b, `document.querySelector('#clock').textContent === '1:00.0 of 1:04.0'`)
	same(t, b, `document.querySelector('[data-aim="cloud"]').textContent.includes('broker-gone')`, true)
	b.Do(chromedp.Click(chromedp.CSS("#follow")))
	until(t, b, `document.querySelector('.stage[data-at-ms="64000"]')`)
	b.Quiet()
}

func brokenStream(t *testing.T, b *pagetest.Tab) {
	p, base, frames := liveSite(t, Options{})
	p.Show(frames[0])
	goTo(t, b, base)
	until(t, b, `document.querySelector('#live').dataset.live === 'live'`)
	until(t, b, `document.querySelector('#live').textContent.startsWith('no frame for')`)
	p.end()
	until(t, b, `document.querySelector('#live').dataset.live === 'lost' && document.body.dataset.lost === ''`)
}

func replay(t *testing.T, b *pagetest.Tab, recordings ...Recording) {
	t.Helper()
	_, base := open(t, Options{Recordings: recordings})
	goTo(t, b, base)
	until(t, b, `document.querySelector('.stage').dataset.atMs`)
}

func stepped(t *testing.T, b *pagetest.Tab) {
	h, frames := sample("stepped", 1)
	replay(t, b, recorded(t, "stepped", h, frames))
	same(t, b, `document.querySelector('#inject-panel').hidden && document.querySelector('#live').hidden`, true)
	key := func(k string) {
		until(t, b, fmt.Sprintf(`document.body.dispatchEvent(new KeyboardEvent('keydown', { key: %q, bubbles: true, cancelable: true })) || true`, k))
	}
	for _, want := range []int{5000, 18_000, 24_000} {
		key("ArrowRight")
		until(t, b, fmt.Sprintf(`document.querySelector('#clock').dataset.atMs === '%d'`, want))
	}
	until(t, b, `document.querySelectorAll('.log li').length === 3`)
	key("ArrowLeft")
	until(t, b, `document.querySelector('#clock').dataset.atMs === '18000' && document.querySelectorAll('.log li').length === 2`)
	b.Do(chromedp.Click(chromedp.CSS("#after")))
	until(t, b, `document.querySelector('.stage').dataset.atMs === '24000'`)
	same(t, b, `document.querySelector('.robot[data-robot="r1"]').dataset.where`, "car")
	same(t, b, `document.querySelector('#player').hasAttribute('data-playing')`, false)
	key(" ")
	until(t, b, `Number(document.querySelector('#clock').dataset.atMs) > 24500`)
	key(" ")
	until(t, b, `document.querySelector('#play').textContent === 'Play'`)
	if n := pagetest.Eval[int](b, `document.querySelectorAll('#marks rect').length`); n != 12 {
		t.Errorf("%d marks for 12 events", n)
	}
	if n := pagetest.Eval[int](b, `document.querySelectorAll('#marks rect[data-bad]').length`); n != 4 {
		t.Errorf("%d bad marks for 4 bad events", n)
	}
	// Between two frames the car is drawn between their places.
	half := (frames[30].Cars[0].PositionMM + frames[31].Cars[0].PositionMM) / 2
	until(t, b, `(() => { const s = document.querySelector('#scrub'); s.value = 6100; s.dispatchEvent(new Event('input')); return true; })()`)
	until(t, b, fmt.Sprintf(`Math.abs(document.querySelector('.shaft[data-lift="L1"]').dataset.positionMm - %d) <= 1`, half))
	b.Quiet()
}

func runsToItsEnd(t *testing.T, b *pagetest.Tab) {
	h, frames := sample("fast", 1)
	replay(t, b, recorded(t, "fast", h, frames))
	began := time.Now()
	b.Do(chromedp.Click(chromedp.CSS(`#speeds [data-speed="100"]`)))
	until(t, b, `document.querySelector('#clock').dataset.atMs === '180000' && document.querySelector('#play').textContent === 'Play'`)
	// It may have played for a moment before the click.
	if took := time.Since(began); took < time.Second {
		t.Errorf("180 s at 100× took %v", took)
	}
	until(t, b, `document.querySelector('.stage').dataset.atMs === '180000'`)
	// r1's lift ends at G.
	same(t, b, `document.querySelector('.shaft[data-lift="L1"]').dataset.positionMm`, "3600")
	b.Do(chromedp.Click(chromedp.CSS("#play"))) // begins again
	until(t, b, `Number(document.querySelector('#clock').dataset.atMs) < 180000`)
	b.Quiet()
}

func sideBySide(t *testing.T, b *pagetest.Tab) {
	h, frames := sample("first", 1)
	h2, frames2 := sample("second", 2)
	replay(t, b, recorded(t, "first", h, frames), recorded(t, "second", h2, frames2[:451])) // to 90 s
	same(t, b, `document.body.dataset.mode`, "beside")
	at(t, b, 80_000)
	until(t, b, `[...document.querySelectorAll('.stage')].map((s) => s.dataset.atMs).join() === '80000,80000'`)
	// 26 times two people; the second run's waited twice as long.
	until(t, b, texts(`[data-kind="people"] td:nth-child(2)`)+` === '52 | 52'`)
	until(t, b, `document.querySelectorAll('[data-kind="people"] .curve').length === 4`)
	means := pagetest.Eval[string](b, texts(`[data-kind="people"] td:nth-child(3)`))
	var one, two float64
	if _, err := fmt.Sscanf(means, "%f s | %f s", &one, &two); err != nil || one <= 0 || two < 1.9*one || two > 2.1*one {
		t.Errorf("means %s", means)
	}
	at(t, b, 120_000)
	until(t, b, `document.querySelectorAll('.stage')[1].dataset.atMs === '90000'`)
	same(t, b, `[...document.querySelectorAll('.stage-head .chip:not([data-aim], [hidden])')].map((n) => n.textContent).join()`, "ended at 1:30.0")
	same(t, b, `(() => { const [a, b] = [...document.querySelectorAll('.stage')].map((s) => s.getBoundingClientRect()); return Math.abs(a.top - b.top) < 2 && a.right <= b.left; })()`, true)
	b.Quiet()
}

// waitsFrame is a lift that stands, and people who waited so long.
func waitsFrame(at int64, waits ...int64) picture.Frame {
	return picture.Frame{AtMS: at, Cars: make([]picture.Car, 3), Waits: waits}
}

func waitsCounted(t *testing.T, b *pagetest.Tab) {
	// 1 s to 20 s: the mean is 10.5 s, and 19 s the least that 95 of 100 do not pass.
	var frames []picture.Frame
	for n := int64(20); n >= 1; n-- {
		frames = append(frames, waitsFrame((21-n)*1000, n*1000))
	}
	last := waitsFrame(21_000)
	last.RideWaits = []int64{30_000}
	replay(t, b, recorded(t, "waits", sampleHeader("waits"), append(frames, last)))
	at(t, b, 21_000)
	until(t, b, texts(`#plots td`)+` === '20 | 10.5 s | 19.0 s | 20.0 s | 1 | 30.0 s | 30.0 s | 30.0 s'`)
	// On a scale of 20 s over 102 units, 19 s is 96.9 above the line at 110; the last wait ended at 20 of 21 s.
	same(t, b, `document.querySelector('[data-kind="people"] .curve[data-what="p95"]').getAttribute('d').endsWith('L317.8 13.1')`, true)
	at(t, b, 2000) // 20 s and 19 s
	until(t, b, texts(`[data-kind="people"] td`)+` === '2 | 19.5 s | 20.0 s | 20.0 s'`)
	same(t, b, texts(`[data-kind="robots"] td`), "0 | – | – | –")
	b.Quiet()
}

func beliefMarked(t *testing.T, b *pagetest.Tab) {
	h, frames := sample("belief", 1)
	replay(t, b, recorded(t, "belief", h, frames))
	row := func(what string) string { return fmt.Sprintf(`.lift[data-lift="L2"] tr[data-what=%q]`, what) }
	at(t, b, 66_000) // both know the same
	same(t, b, texts(row("floor")+" td"), "1 | 1 | ")
	same(t, b, `document.querySelectorAll('.ghost[data-differs="yes"]').length`, 0)
	// L2 leaves 1 for G at 70 s; from 72 s on the agent hears nothing. It takes the
	// car for being at 1, half a floor up, and is wrong from 72.4 s on.
	at(t, b, 90_000)
	until(t, b, `document.querySelector('`+row("floor")+`').dataset.differs === 'yes'`)
	same(t, b, `document.querySelector('`+row("floor")+` .mark').textContent.startsWith('≠ 17.')`, true)
	same(t, b, texts(row("floor")+" td:not(.mark)"), "G | 1")
	same(t, b, `document.querySelector('.shaft[data-lift="L2"] .ghost').dataset.differs`, "yes")
	same(t, b, `document.querySelector('.lift[data-lift="L2"] .marks').textContent`, "silent · the agent has it wrong")
	same(t, b, `document.querySelectorAll('.lift[data-differs]').length`, 1)
	b.Quiet()
}

func unknownDrawn(t *testing.T, b *pagetest.Tab) {
	h, frames := sample("unknown", 1)
	replay(t, b, recorded(t, "unknown", h, frames))
	at(t, b, 110_000) // L3 is not seen by the agent, r2 is nowhere
	same(t, b, texts(`.lift[data-lift="L3"] tr td[data-known="no"]`), "unknown | unknown | unknown")
	same(t, b, `document.querySelectorAll('.lift[data-lift="L3"] tr[data-differs]').length`, 0)
	same(t, b, `document.querySelector('.shaft[data-lift="L3"] .ghost').hasAttribute('hidden')`, true)
	same(t, b, `document.querySelector('.shaft[data-lift="L3"] .lift-name').textContent`, "L3 ?")
	same(t, b, `document.querySelector('.robot[data-robot="r2"]').dataset.where`, "unknown")
	same(t, b, texts(".lost"), "Not known where")
	// A recording of somebody else may say null; then nothing is drawn as a number.
	raw := encoded(t, h, frames[:1])
	raw = strings.NewReplacer(`"position_mm":14400`, `"position_mm":null`, `"load_kg":0`, `"load_kg":null`, `"people":0`, `"people":null`,
		`"front":0`, `"front":null`, `"id":"r1"`, `"id":"r9"`, `"motion":"stopped"`, `"motion":""`, `"mode":"normal"`, `"mode":""`, `"lift":"L1","up":true`, `"lift":"L1","up":null`,
		`"link":"online","seen_floor":"G"`, `"link":"connecting","seen_floor":"unknown"`).Replace(raw)
	drop(t, b, "null.jsonl", raw)
	until(t, b, `document.querySelector('#run-a').selectedOptions[0].textContent === 'null.jsonl' && document.querySelector('.stage h2').textContent.includes('null.jsonl') && document.querySelector('.stage').dataset.atMs === '0'`)
	same(t, b, `document.querySelector('.car[data-lift="L1"]').hasAttribute('hidden')`, true)
	same(t, b, `document.querySelector('.shaft[data-lift="L1"] .unknown-car').hasAttribute('hidden')`, false)
	same(t, b, `document.querySelector('.shaft[data-lift="L1"]').dataset.positionMm ?? 'none'`, "none")
	same(t, b, `document.querySelector('.car[data-lift="L2"] .leaf[data-side="front"]').dataset.door`, "unknown")
	same(t, b, `document.querySelector('.robot[data-robot="r1"]').dataset.where`, "unknown") // nothing is said of it
	same(t, b, texts(`.lift[data-lift="L1"] .facts dd`), "unknown | unknown | unknown | unknown | IDLE")
	same(t, b, `document.querySelector('.lift[data-lift="L1"] .dot').dataset.up`, "unknown")
	same(t, b, texts(`.lift[data-lift="L2"] tr:is([data-what="floor"], [data-what="link"]) td`), "G | unknown |  | up | connecting | ")
	same(t, b, texts(`.lift[data-lift="L3"] tr[data-what="door"] td`), "unknown | closed | ")
	b.Quiet()
}

func encoded(t *testing.T, h picture.Header, frames []picture.Frame) string {
	t.Helper()
	var s strings.Builder
	if err := picture.Write(&s, h, frames); err != nil {
		t.Fatal(err)
	}
	return s.String()
}

// drop lets files fall on the page.
func drop(t *testing.T, b *pagetest.Tab, namesAndTexts ...string) {
	t.Helper()
	list, err := json.Marshal(namesAndTexts)
	if err != nil {
		t.Fatal(err)
	}
	until(t, b, fmt.Sprintf(`(() => {
		const list = %s, data = new DataTransfer();
		for (let i = 0; i < list.length; i += 2) data.items.add(new File([list[i + 1]], list[i]));
		document.body.dispatchEvent(new DragEvent('drop', { dataTransfer: data, bubbles: true, cancelable: true }));
		return true;
	})()`, list))
}

func hostileWords(t *testing.T, b *pagetest.Tab) {
	const evil = `<img src=x onerror="window.broken=1">"'&` + "\u202e"
	h := sampleHeader(evil)
	h.Again, h.Robots = evil, []string{evil}
	h.Floors[1].Label, h.Lifts[1].ID, h.Lifts[1].Wire = evil, evil, evil
	h.Lifts[1].Doors = map[string][]string{evil: {"front"}}
	for i := range h.Lifts {
		h.Lifts[i].Recall = ""
		delete(h.Lifts[i].Doors, "G")
	}
	f := picture.Frame{
		Cars:   []picture.Car{{}, {Floor: evil, Motion: evil, Mode: evil, Link: evil, SeenFloor: evil, SeenDoor: evil, State: evil, Owner: evil, Alarms: []string{evil}, Up: []string{evil}}, {}},
		Wait:   []picture.Wait{{Floor: evil, Up: 1}},
		Robots: []picture.Robot{{ID: evil, Where: "landing", Lift: evil, Floor: evil, Do: evil}, {ID: "__proto__", Where: evil}},
		Rides:  []picture.Ride{{ID: evil, Robot: evil, Lift: evil, From: evil, To: evil, State: evil, Phase: evil, Permit: evil, Fault: evil, Why: evil}},
		Wires:  []picture.Wire{{Lift: evil, Last: evil}},
		Faults: []picture.Fault{{Name: evil, Target: evil, Arg: evil}, {Name: evil, Target: "cloud"}},
		Events: []picture.Event{{Who: evil, Text: evil, Bad: true}},
	}
	r := recorded(t, evil[:4], h, []picture.Frame{f})
	r.Name = evil
	p, base := open(t, Options{Header: h, Site: &stand{}, Recordings: []Recording{r}, AgentURL: "javascript:window.broken=1"})
	p.Show(f)
	goTo(t, b, base)
	for _, source := range []string{"live", "0"} {
		until(t, b, fmt.Sprintf(`(() => { const s = document.querySelector('#run-a'); s.value = %q; s.dispatchEvent(new Event('change')); return true; })()`, source))
		until(t, b, fmt.Sprintf(`document.body.dataset.mode === %q`, map[string]string{"live": "live", "0": "recording"}[source]))
		for _, seen := range []string{".log span", ".ride .ride-fault", ".ride b", ".fault b", ".lift h3", ".alarms li", ".wire b", ".wire .last", ".again", "[data-aim=cloud]", ".belief td"} {
			until(t, b, fmt.Sprintf(`[...document.querySelectorAll(%q)].some((n) => n.textContent.includes('<img src=x'))`, seen))
		}
		same(t, b, `document.querySelectorAll('img[src="x"]').length + Number(window.broken ?? 0)`, 0)
	}
	same(t, b, `document.querySelector('#agent').hidden`, true)
	b.Quiet()
}

// A stream that is not there yet is neither an empty page nor an invitation to bring files.
func saysThatItConnects(t *testing.T, b *pagetest.Tab) {
	h, frames := sample("slow", 1)
	p := New(Options{Header: h, Site: &stand{}})
	p.Show(frames[0])
	let, gone := make(chan struct{}), make(chan struct{}, 1)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/sim/stream" {
			select {
			case <-gone:
				w.WriteHeader(http.StatusBadGateway)
				return
			case <-let:
			case <-r.Context().Done():
				return
			}
		}
		p.handler.ServeHTTP(w, r)
	}))
	defer server.Close()
	defer server.CloseClientConnections()
	title := func(part string) string {
		return fmt.Sprintf(`!document.querySelector('#empty').hidden && document.querySelector('#empty-title').textContent.includes(%q)`, part)
	}
	b.Do(chromedp.Navigate(server.URL + "/"))
	until(t, b, title("Connecting to the running building"))
	same(t, b, `document.querySelector('#empty').textContent.includes('recording')`, false)
	gone <- struct{}{}
	until(t, b, title("does not answer"))
	close(let)
	until(t, b, `document.querySelector('#empty').hidden && document.querySelector('.building')`)
	b.Do(chromedp.Navigate("about:blank")) // before the server goes
}

// The count of people is drawn over a robot in the same car, and goes with the car.
func peopleBesideARobot(t *testing.T, b *pagetest.Tab) {
	h, frames := sample("full", 1)
	f := frames[0]
	f.Cars, f.Robots = slices.Clone(f.Cars), []picture.Robot{{ID: h.Robots[0], Where: "car", Lift: h.Lifts[0].ID}}
	f.Cars[0].People = 12
	p, base := open(t, Options{Header: h, Site: &stand{}})
	p.Show(f)
	goTo(t, b, base)
	riders := fmt.Sprintf(`document.querySelector('.riders[data-lift=%q]')`, h.Lifts[0].ID)
	until(t, b, riders+`?.dataset.count === '12'`)
	same(t, b, riders+`.textContent`, "×12")
	same(t, b, `Boolean(document.querySelector('.robot[data-where="car"]').compareDocumentPosition(`+riders+`) & Node.DOCUMENT_POSITION_FOLLOWING)`, true)
	within := `(() => { const out = document.querySelector('.shaft .cabin').getBoundingClientRect(), n = ` + riders + `.getBoundingClientRect();
		return n.width > 0 && n.top >= out.top && n.bottom <= out.bottom + 1 && n.left >= out.left - 2 && n.right <= out.right; })()`
	until(t, b, within)
	if shot := os.Getenv("HOISTWAY_SHOT"); shot != "" {
		b.Shot(shot)
	}
	f.AtMS, f.Cars = f.AtMS+200, slices.Clone(f.Cars)
	f.Cars[0].People = 0
	p.Show(f)
	until(t, b, riders+`.hasAttribute('hidden')`)
	b.Quiet()
}

func filesOpened(t *testing.T, b *pagetest.Tab) {
	h, frames := sample("opened", 1)
	whole := encoded(t, h, frames[:100])
	torn := whole[:len(whole)-500]
	_, base := open(t, Options{})
	b.Do(chromedp.Navigate(base + "/"))
	until(t, b, `document.body.dataset.mode === 'none' && !document.querySelector('#empty').hidden`)
	drop(t, b, "whole.jsonl", whole, "torn.jsonl", torn)
	until(t, b, `document.body.dataset.mode === 'beside'`)
	until(t, b, texts(`.trouble:not([hidden])`)+`.startsWith('Line 101 cannot be read')`)
	same(t, b, `document.querySelector('#scrub').max`, "19800")
	// The picker does the same.
	file := recorded(t, "picked", h, frames[:10]).File
	raw, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(string(raw))
	if err != nil {
		t.Fatal(err)
	}
	until(t, b, fmt.Sprintf(`(() => { const data = new DataTransfer(), input = document.querySelector('#files');
		data.items.add(new File([%s], 'picked.jsonl')); input.files = data.files; input.dispatchEvent(new Event('change')); return true; })()`, text))
	until(t, b, `document.body.dataset.mode === 'recording' && document.querySelector('#scrub').max === '1800'`)
	for name, says := range map[string]string{"not JSON": "line 1", `{"hoistway_picture":2}`: "not a recording of format 1", "": "nothing in it", whole[:strings.Index(whole, "\n")+1]: "nothing in it"} {
		drop(t, b, "bad.jsonl", name)
		until(t, b, fmt.Sprintf(`document.querySelector('#said').textContent.includes(%q)`, says))
		drop(t, b, "good.jsonl", whole)
		until(t, b, `document.querySelector('#said').textContent === '' && document.querySelector('#scrub').max === '19800'`)
	}
	b.Quiet()
}

func onAPhone(t *testing.T, b *pagetest.Tab) {
	b.Do(chromedp.EmulateViewport(390, 844))
	p, base, frames := liveSite(t, Options{Site: &timed{speed: 1}})
	play(p, frames, -1, 96_000, 0)
	goTo(t, b, base)
	until(t, b, `document.querySelector('.stage[data-at-ms="96000"]') && !document.querySelector('#site-clock').hidden`)
	same(t, b, `document.documentElement.scrollWidth > innerWidth`, false)
	// Everything that can be worked has a name, and can be reached by key.
	same(t, b, `[...document.querySelectorAll('button, select, input, a')].filter((n) => !n.closest('[hidden]') && !(n.textContent.trim() || n.getAttribute('aria-label') || n.labels?.[0]?.textContent.trim())).map((n) => n.id).join()`, "")
	same(t, b, `document.querySelectorAll('[tabindex]:not([tabindex="0"], [tabindex="-1"])').length`, 0)
	b.Quiet()
}
