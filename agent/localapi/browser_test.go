package localapi

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"hoistway/agent/core"
	"hoistway/agent/explain"
	"hoistway/agent/localapi/pagetest"
	"hoistway/fsm"
	"hoistway/fsm/elevator"
)

// openStage serves a stage on a real socket and gives its address.
func openStage(t *testing.T, edit ...func(*Options)) (*stage, string) {
	t.Helper()
	began := time.Now()
	h := newHouse(t, append(edit, func(o *Options) {
		o.Now = func() elevator.Instant { return start + elevator.Instant(time.Since(began)) }
		o.Wall = time.Now
		o.Help = func(fault string) (string, string) {
			e, _ := explain.Lookup(explain.ForFault(fault))
			return e.Code, e.Do
		}
	})...)
	h.tick = h.o.Now
	h.rules.advise = fsm.Advise // its own words, as the page translates them
	front := &pageFront{inner: h.handler}
	h.handler = front
	ctx, cancel := context.WithCancel(context.Background())
	ln := listen(t)
	ended := make(chan error, 2)
	go func() { ended <- h.Run(ctx) }()
	go func() { ended <- h.Serve(ctx, ln) }()
	t.Cleanup(func() {
		cancel()
		for range 2 {
			if err := <-ended; err != nil {
				t.Error(err)
			}
		}
	})
	s := newStage(ctx, h)
	s.front = front
	return s, "http://" + ln.Addr().String()
}

// RB-5, SM-7: the page, seen by a browser.
func TestPage(t *testing.T) {
	b := pagetest.New(t, 1280, 900)
	for _, c := range []struct {
		name string
		run  func(*testing.T, *pagetest.Tab)
	}{
		{"a ride is called and seen", pageShowsARide},
		{"a picture that stands still is noticed", stillPictureIsNoticed},
		{"hostile words stay words", hostileWordsStayWords},
		{"silence is shown", silenceIsShown},
		{"pushes are shown", pushesAreShown},
		{"what is asked of a lift", pageShowsOutputs},
		{"the cloud is away", pageShowsTheCloudAway},
		{"acts", pageActs},
		{"acts by the real core", pageActsForReal},
		{"acts are asked first", pageAsksFirst},
		{"by role", pageShowsByRole},
		{"no answer yet", pageWaitsForItsWords},
		{"the token", pageKeepsTheToken},
		{"the record", pageDrawsTheRecord},
		{"Chinese", pageSpeaksChinese},
		{"a phone", pageFitsAPhone},
		{"the keyboard", pageWorksByKeyboard},
		{"faults are said", pageSaysFaultsAloud},
		{"what people set", pageShowsWhatPeopleSet},
	} {
		t.Run(c.name, func(t *testing.T) {
			b.For(t)
			c.run(t, b)
		})
	}
}

// A call made on the page reaches the loop, the car is seen to move, the ride ends in DONE.
func pageShowsARide(t *testing.T, b *pagetest.Tab) {
	s, base := openStage(t)
	b.Do(chromedp.Navigate(base + "/#token=" + techToken))
	b.Must(`document.querySelector('[data-lift="L1"] .car')`)
	b.Must(`document.querySelector('#live').dataset.live === 'live'`)
	if hash := pagetest.Eval[string](b, `location.hash + location.search`); hash != "" {
		t.Errorf("the token is still in the address: %s", hash)
	}
	b.Call("R1", "L1", "G", "3")
	b.Must(`document.querySelector('[data-ride]')`)
	want := core.CreateRide{
		Request: fsm.Request{ID: s.ride, Robot: "R1", Lift: "L1", Ready: true, Crossing: 8 * time.Second}, From: "G", To: "3",
	}
	if asked := s.h.loop.asked(); len(asked) != 1 || asked[0] != core.Order(want) {
		t.Fatalf("asked %+v, want %+v", asked, want)
	}
	played := make(chan struct{})
	go func() {
		defer close(played)
		s.play(2, 5)
	}()
	defer func() { <-played }()
	b.Must(`document.querySelector('[data-ride][data-state="MOVING"]')`)
	if err := b.CarMoves("L1", pagetest.StepWithin); err != nil {
		t.Fatal(err)
	}
	b.Must(`document.querySelector('.robot[data-robot="R1"][data-where="inside"]')`)
	b.Must(`document.querySelector('[data-ride][data-state="DONE"]')`)
	if marks := pagetest.Eval[string](b, `[...document.querySelectorAll('.line .mark')].map((m) => m.textContent).join(' ')`); marks != "REQUESTING WAITING boarding boarding MOVING riding EXITING DONE" {
		t.Errorf("time line: %s", marks)
	}
	b.Quiet()
}

// The check itself: it must not be content with a picture that stands still.
func stillPictureIsNoticed(t *testing.T, b *pagetest.Tab) {
	s, base := openStage(t)
	b.Do(chromedp.Navigate(base + "/#token=" + techToken))
	b.Call("R1", "L1", "G", "3")
	b.Must(`document.querySelector('[data-ride]')`)
	s.frozen.Store(true)
	ctx, cancel := context.WithCancel(s.ctx)
	defer cancel()
	s.ctx = ctx
	s.state(fsm.Moving, fsm.Riding, fsm.Inside, "")
	go s.travel(5)
	if err := b.CarMoves("L1", 2*time.Second); err == nil {
		t.Error("the car stands, and was taken to move")
	}
	// Now the lift moves, and what the page says too, but nothing is drawn.
	b.Do(chromedp.Evaluate[chromedp.Void](`window.requestAnimationFrame = () => 0; undefined`))
	// A frame that was asked for before that may still come, and the page may settle
	// by a pixel; neither is a car that moves.
	b.Must(`(window.stilled ??= performance.now()) + 1000 < performance.now()`)
	moved := make(chan struct{})
	go func() {
		defer close(moved)
		s.frozen.Store(false)
		s.travel(4)
	}()
	err := b.CarMoves("L1", 3*time.Second)
	if err == nil || !strings.Contains(err.Error(), "drawn at 1") && !strings.Contains(err.Error(), "drawn at 2") {
		t.Errorf("the drawing stands, and the check said: %v", err)
	}
	<-moved
}

// Words from outside are shown as they are and never become markup.
func hostileWordsStayWords(t *testing.T, b *pagetest.Tab) {
	s, base := openStage(t)
	const evil = `<img src=x onerror="window.broken=1">`
	s.each(func(v *core.View) {
		r := rideView("ride-x", evil, v.Lifts[0].Floors, s.h.clock())
		r.Ride.Code = fsm.Code("VENDOR:" + evil)
		r.Marks[0].Why = evil
		v.Rides = append(v.Rides, r)
		v.Lifts[0].Alarms = []fsm.Alarm{{Code: evil, On: true, Detail: evil}}
		v.Shadow.Shadows[0].Reported = map[string]any{"state": evil}
	})
	b.Do(chromedp.Navigate(base + "/"))
	b.Must(`document.querySelector('[data-ride="ride-x"] h3')?.textContent.includes('<img src=x')`)
	b.Must(`document.querySelector('.alarms li')?.textContent.includes('<img src=x')`)
	if n := pagetest.Eval[int](b, `document.querySelectorAll('img[src="x"]').length + Number(window.broken ?? 0)`); n != 0 {
		t.Error("a word became markup")
	}
	if offered := pagetest.Eval[string](b, `[...document.querySelectorAll('main button')].filter((each) => each.checkVisibility() && !each.closest('#tech-form, fieldset:disabled')).map((each) => each.textContent).join()`); offered != "" {
		t.Errorf("without a token the page offers %s", offered)
	}
	b.Quiet()
}

// IL-3, RB-5: a lift that falls silent is shown so, and so is a stream that broke.
func silenceIsShown(t *testing.T, b *pagetest.Tab) {
	s, base := openStage(t)
	talking, hush := context.WithCancel(s.ctx)
	s.ctx = talking
	silent := make(chan struct{})
	go func() {
		defer close(silent)
		s.wait(time.Hour)
	}()
	b.Do(chromedp.EmulateViewport(390, 844), chromedp.Navigate(base+"/"))
	b.Must(`document.querySelector('[data-lift="L1"]') && !document.querySelector('[data-lift="L1"]').hasAttribute('data-stale')`)
	hush()
	<-silent
	// Nothing is published from here on.
	b.Must(`document.querySelector('[data-lift="L1"][data-stale]')`)
	b.Must(`document.querySelector('[data-lift="L1"] .heard').textContent.startsWith('last heard')`)
	b.Must(`document.querySelector('[data-lift="L1"] [data-link="offline"]')`)
	if pagetest.Eval[bool](b, `document.documentElement.scrollWidth > innerWidth`) {
		t.Error("the page is wider than a phone")
	}
	s.h.end()
	b.Must(`document.querySelector('#live').dataset.live === 'lost'`)
	// All of it is grey then, and a person reads since when.
	b.Must(`document.querySelector('#lost').checkVisibility() && /No word from the gateway for [0-9]+ s/.test(document.querySelector('#lost').textContent)`)
	for _, old := range []string{"#rides", "section.lifts", "section.shadows", "section.faults"} {
		b.Must(`getComputedStyle(document.querySelector('` + old + `').closest('main > *')).filter === 'grayscale(1)'`)
	}
	b.Do(chromedp.Navigate("about:blank")) // its reconnects end
}

// Pictures for people: HOISTWAY_PICTURES=folder go test -run TestPictures ./agent/localapi
func TestPictures(t *testing.T) {
	folder := os.Getenv("HOISTWAY_PICTURES")
	if folder == "" {
		return // no check: it only draws
	}
	s, base := openStage(t)
	s.trouble()
	for i, p := range []struct {
		name          string
		width, height int
		when          string
		more          []chromedp.ExecAllocatorOption
	}{
		{"boarding", 1320, 900, "WAITING", nil},
		{"moving", 1320, 900, "MOVING", nil},
		{"dark", 1320, 900, "EXITING", []chromedp.ExecAllocatorOption{chromedp.Flag("blink-settings", "preferredColorScheme=0")}},
		{"phone", 390, 844, "DONE", nil},
		{"phone-zh", 360, 780, "MOVING", []chromedp.ExecAllocatorOption{chromedp.Flag("accept-lang", "zh-CN")}},
	} {
		t.Run(p.name, func(t *testing.T) {
			b := pagetest.New(t, p.width, p.height, p.more...)
			b.Do(chromedp.Navigate(base + "/#token=" + techToken))
			b.Must(`document.querySelector('[data-lift="L1"]')`)
			id := fmt.Sprintf("ride-%d", i)
			if _, err := s.answer(core.CreateRide{Request: fsm.Request{ID: id, Robot: "R1", Lift: "L1"}, From: "G", To: "3"}); err != nil {
				t.Fatal(err)
			}
			played := make(chan struct{})
			go func() {
				defer close(played)
				s.play(2, 5)
			}()
			b.Must(`document.querySelector('[data-ride="` + id + `"][data-state="` + p.when + `"]')`)
			if p.name == "moving" || p.name == "phone-zh" {
				b.Do(chromedp.Evaluate[chromedp.Void](`document.querySelector('[data-ride="` + id + `"] .record').open = true; undefined`))
				b.Must(`document.querySelector('svg.lanes')`)
			}
			time.Sleep(map[string]time.Duration{"WAITING": 2800 * time.Millisecond, "MOVING": 2500 * time.Millisecond}[p.when])
			b.Shot(filepath.Join(folder, p.name+".png"))
			<-played
		})
	}
}
