package localapi

import (
	"fmt"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"hoistway/agent/localapi/pagetest"
)

func contains(s, part string) bool { return strings.Contains(s, part) }

// openRecord shows the lanes of a ride.
func openRecord(b *pagetest.Tab, ride string) {
	at := `[data-ride="` + ride + `"] .record`
	b.Do(chromedp.Click(chromedp.CSS(at + " > summary")))
	b.Must(`document.querySelector('` + at + ` svg.lanes')`)
}

// RB-4, RB-5: the record of a ride is drawn with each of its lanes, to scale, and
// told as a list.
func pageDrawsTheRecord(t *testing.T, b *pagetest.Tab) {
	s, base := openStage(t)
	s.trouble()
	b.Do(chromedp.Navigate(base + "/#token=" + techToken))
	b.Must(`document.querySelector('[data-ride="ride-7"]')`)
	openRecord(b, "ride-7")
	lanes := pagetest.Eval[string](b, `[...document.querySelectorAll('.lane')].map((l) => l.dataset.lane + ':' + l.querySelectorAll('.item').length).join(' ')`)
	// Counted by hand in testdata/page-record.json; the two doors are two lanes.
	if lanes != "state:9 robot:6 permit:3 commands:5 door:7 door:1 floor:6 motion:5 lift:1 signals:5 orders:1 alarms:1 frames:5 notes:2" {
		t.Errorf("lanes: %s", lanes)
	}
	// The hold from 15.1 s to 22.1 s takes 7/42 of the way; boarding began there at 15 s.
	got := pagetest.Eval[float64](b, `(() => {
		const base = document.querySelector('[data-lane="commands"] .lane-base').getBoundingClientRect();
		const hold = document.querySelectorAll('[data-lane="commands"] .item rect')[2].getBoundingClientRect();
		return hold.width / base.width;
	})()`)
	if got < 7.0/42-0.01 || got > 7.0/42+0.01 {
		t.Errorf("a hold of 7 s in 42 s takes %.3f of the lane", got)
	}
	title := pagetest.Eval[string](b, `document.querySelectorAll('[data-lane="permit"] .item title')[0].textContent`)
	if title != "+0.0 s withheld: floor B1, door closed" {
		t.Errorf("why the permit was withheld: %q", title)
	}
	b.Do(chromedp.Click(chromedp.CSS(`[data-ride="ride-7"] .record details summary`)))
	b.Must(`document.querySelectorAll('[data-ride="ride-7"] tbody tr').length === 57`)
	// Nearer makes the picture wider than its place, which then scrolls; the page does not.
	b.Do(chromedp.Click(chromedp.CSS(`[data-ride="ride-7"] .tools button:nth-child(1)`)))
	b.Must(`(() => { const p = document.querySelector('[data-ride="ride-7"] .lanes-place'); return p.scrollWidth > 1.8 * p.clientWidth; })()`)
	if pagetest.Eval[bool](b, `document.documentElement.scrollWidth > innerWidth`) {
		t.Error("the page scrolls sideways")
	}
	b.Quiet()
}

// RB-5: the page in Chinese is Chinese: not one word of English is left where a
// person reads, but names and what is typed.
func pageSpeaksChinese(t *testing.T, b *pagetest.Tab) {
	s, base := openStage(t)
	s.trouble()
	b.Do(chromedp.Navigate(base + "/#token=" + techToken))
	b.Must(`document.querySelector('[data-ride="ride-7"]')`)
	if lang := pagetest.Eval[string](b, `document.documentElement.lang + ' ' + document.querySelector('#lifts-title').textContent`); lang != "en Lifts" {
		t.Errorf("before: %s", lang)
	}
	b.Do(chromedp.Click(chromedp.CSS(`[data-lang="zh"]`)))
	b.Must(`document.documentElement.lang === 'zh-Hans' && document.querySelector('[data-ride="ride-7"]')`)
	openRecord(b, "ride-7")
	b.Must(`document.querySelector('#fault-list .fault')`)
	english := pagetest.Eval[string](b, `(() => {
		const found = new Set();
		const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
		while (walk.nextNode()) {
			const at = walk.currentNode.parentElement;
			if (at.closest('code, pre, script, noscript, .languages, #version, h1, [data-lane="frames"], [data-lane="orders"], [data-lane="notes"]')) continue;
			for (const word of walk.currentNode.textContent.replace(/hoistway help [^ ]+ --lang zh/g, '').match(/[A-Za-z]{3,}/g) ?? []) found.add(word);
		}
		for (const e of document.querySelectorAll('[title], [aria-label]')) {
			for (const word of ((e.title ?? '') + (e.ariaLabel ?? '')).match(/[A-Za-z]{3,}/g) ?? []) found.add(word);
		}
		// Names of keys and codes, of a person, a word of the driver's own; a machine that is slow may tell of a lift that is offline, by its link.
		for (const word of ['desired', 'reported', 'delta', 'rides', 'wait', 'timeout', 'CALL', 'NOT', 'ACCEPTED', 'link', 'answer', 'site', 'technician']) found.delete(word);
		return [...found].join(' ');
	})()`)
	if english != "" {
		t.Errorf("left in English: %s", english)
	}
	if what := pagetest.Eval[string](b, `document.querySelector('#fault-list .fault').textContent`); !contains(what, "轿厢未及时到达") || !contains(what, "怎么办") {
		t.Errorf("the fault: %s", what)
	}
	// A reason within a reason, a time that is none, the parts of a permit, what a person typed.
	b.Do(chromedp.Evaluate[chromedp.Void](`void import('/web/text.js').then((texts) => { window.words = texts.why; })`))
	b.Must(`window.words`)
	for reason, want := range map[string]string{
		"L2 in place of L1: L1 takes no rides: MAINTENANCE": "L2 代替 L1：电梯 L1 不接受任务：维护中",
		"no permit: door front open, signals left_shut":     "尚无许可：门 前 打开，信号 从关闭的门离开",
		"too late to start; go through if you have started": "来不及出发；若已出发请通过",
		"no car in 1m30s":                                                         "1m30s 内没有轿厢到达",
		"ann stopped it: all left":                                                "ann 已将其停用：all left",
		`this gateway has no lift "L9"`:                                           `本网关没有电梯 "L9"`,
		`there is no floor "7"; known: B1, G`:                                     `没有楼层 "7"；已知：B1, G`,
		`wanted: 0 to 3600 seconds`:                                               `应为：0 到 3600 秒`,
		`ride r-1: to was "1", is "2"; lift was "", is "L2"`:                      `任务 r-1：to 原为 "1"，现为 "2"；lift 原为 ""，现为 "L2"`,
		`robot R1 is 0.9 m wide, the door of lift L1 0.8 m`:                       `机器人 R1 为 0.9 米宽，而门（电梯 L1）为 0.8 米`,
		`lift L1 is stopped: water in the pit; ask again once that stop is ended`: `电梯 L1 已停用：water in the pit；停用解除后请重试`,
		`3 of lift L1`: `电梯 L1 的 3 层`,
	} {
		if got := pagetest.Eval[string](b, fmt.Sprintf("words(%q)", reason)); got != want {
			t.Errorf("%q is %q, want %q", reason, got, want)
		}
	}
	// The switch is remembered; then back, for the tests that follow.
	b.Do(chromedp.Navigate("about:blank"), chromedp.Navigate(base+"/"))
	b.Must(`document.documentElement.lang === 'zh-Hans' && document.querySelector('[data-lang="zh"]').getAttribute('aria-pressed') === 'true'`)
	b.Do(chromedp.Click(chromedp.CSS(`[data-lang="en"]`)))
	b.Must(`document.documentElement.lang === 'en'`)
	b.Quiet()
}

// RB-5: before its words have come the page says in both languages that it loads, then that
// the gateway does not answer, and goes on by itself when it does.
func pageWaitsForItsWords(t *testing.T, b *pagetest.Tab) {
	s, base := openStage(t)
	s.front.silent("/web/text/en.json")
	b.Do(chromedp.Navigate(base + "/"))
	b.Must(`document.querySelector('#no-answer').checkVisibility()`)
	for _, words := range []string{"does not answer", "没有应答"} {
		if said := pagetest.Eval[string](b, `document.querySelector('#no-answer').textContent`); !contains(said, words) {
			t.Errorf("it says %q, without %q", said, words)
		}
	}
	if pagetest.Eval[bool](b, `document.querySelector('main').checkVisibility() || document.querySelector('#loading').checkVisibility()`) {
		t.Error("headings without words are shown")
	}
	s.front.silent("")
	b.Must(`document.querySelector('main').checkVisibility() && !document.querySelector('#no-answer') && document.querySelector('[data-lift="L1"]')`)
}

// RB-5: on the narrowest phone nothing is wider than the screen, and what is to be
// tapped is large enough, in both languages, with everything open.
func pageFitsAPhone(t *testing.T, b *pagetest.Tab) {
	s, base := openStage(t)
	s.trouble()
	s.locked("a-ride-with-a-very-long-name-0123456789-0123456789")
	b.Do(chromedp.EmulateViewport(360, 740))
	for _, lang := range []string{"en", "zh"} {
		b.Do(chromedp.Navigate("about:blank"), chromedp.Navigate(base+"/#token="+techToken))
		b.Must(`document.querySelector('[data-ride="ride-7"]')`)
		b.Do(chromedp.Click(chromedp.CSS(`[data-lang="` + lang + `"]`)))
		b.Must(`document.documentElement.lang.startsWith('` + lang + `') && document.querySelector('[data-ride="ride-7"]')`)
		openRecord(b, "ride-7")
		wide := pagetest.Eval[string](b, `[...document.querySelectorAll('body *')].filter((e) => e.checkVisibility() && !e.closest('svg, .unseen, .lanes-place, pre') && e.getBoundingClientRect().right > innerWidth + 0.5).map((e) => e.tagName + '.' + e.className).join(' ')`)
		if wide != "" || pagetest.Eval[bool](b, `document.documentElement.scrollWidth > innerWidth`) {
			t.Errorf("%s: wider than 360: %s", lang, wide)
		}
		small := pagetest.Eval[string](b, `[...document.querySelectorAll('button, input, select, summary')].filter((e) => e.checkVisibility() && e.getBoundingClientRect().height < 24).map((e) => e.textContent).join()`)
		if small != "" {
			t.Errorf("%s: too small to tap: %s", lang, small)
		}
	}
	b.Do(chromedp.Click(chromedp.CSS(`[data-lang="en"]`)), chromedp.EmulateViewport(1280, 900))
	b.Must(`document.documentElement.lang === 'en'`)
}

// RB-5: all of it works by keyboard: the skip link first, then everything in the order
// of the page, each with a focus that is seen, and no place that does not let go.
func pageWorksByKeyboard(t *testing.T, b *pagetest.Tab) {
	s, base := openStage(t)
	s.trouble()
	b.Do(chromedp.Navigate(base + "/#token=" + techToken))
	b.Must(`document.querySelector('[data-ride="ride-7"]')`)
	b.Do(chromedp.Evaluate[chromedp.Void](`document.querySelector('[data-ride="ride-7"] .record').open = true; undefined`)) // a click would be where the focus begins
	b.Must(`document.querySelector('[data-ride="ride-7"] svg.lanes')`)
	// What can have the focus, in the order of the page. The lists that change while
	// this goes on are not rebuilt, so marks on nodes hold.
	n := pagetest.Eval[int](b, `(() => {
		const all = [...document.querySelectorAll('a[href], button, input, select, summary, [tabindex="0"]')].filter((e) => e.checkVisibility() && !e.disabled);
		all.forEach((e, i) => e.dataset.turn = i);
		return all.length;
	})()`)
	if n < 20 {
		t.Fatalf("only %d places", n)
	}
	for i := range n {
		b.Do(chromedp.KeyEvent("\t"))
		turn := pagetest.Eval[string](b, `(() => { const e = document.activeElement; const o = getComputedStyle(e); return e.dataset.turn + ' ' + (o.outlineStyle !== 'none' && parseFloat(o.outlineWidth) >= 2); })()`)
		if want := fmt.Sprintf("%d true", i); turn != want {
			t.Fatalf("after %d tabs: place and seen focus %s, want %s: %s", i+1, turn, want, pagetest.Eval[string](b, `document.activeElement.outerHTML.slice(0, 200)`))
		}
	}
	b.Do(chromedp.KeyEvent("\t")) // out of the page, and not back to its last place
	if again := pagetest.Eval[string](b, `document.activeElement.dataset.turn ?? ''`); again == fmt.Sprint(n-1) {
		t.Error("the last place does not let go")
	}
}

// RB-5: trouble is said aloud once, and not again while only its age grows.
func pageSaysFaultsAloud(t *testing.T, b *pagetest.Tab) {
	s, base := openStage(t)
	b.Do(chromedp.Navigate(base + "/"))
	b.Must(`document.querySelector('#no-faults').checkVisibility()`)
	b.Do(chromedp.Evaluate[chromedp.Void](`window.said = 0; new MutationObserver(() => window.said++).observe(document.querySelector('#fault-said'), { childList: true, characterData: true, subtree: true }); undefined`))
	s.trouble()
	b.Must(`document.querySelector('#fault-list [data-fault="WAIT_TIMEOUT"]')`)
	b.Must(`document.querySelector('#fault-said').textContent === 'New fault: no car came in time, R2, lift L2'`)
	b.Must(`/since [3-9] s/.test(document.querySelector('#fault-list .fault').textContent)`)
	if n := pagetest.Eval[int](b, `window.said`); n != 1 {
		t.Errorf("it was said %d times", n)
	}
	if polite := pagetest.Eval[string](b, `document.querySelector('#fault-said').getAttribute('aria-live')`); polite != "assertive" {
		t.Errorf("aria-live is %s", polite)
	}
}

// RB-5: what a person stopped or took out of service is said on the lift's card.
func pageShowsWhatPeopleSet(t *testing.T, b *pagetest.Tab) {
	s, base := openStage(t)
	s.trouble()
	b.Do(chromedp.Navigate(base + "/#token=" + techToken))
	b.Must(`document.querySelector('[data-lift="L2"] .queue li')?.textContent.includes('1. R2')`)
	b.Do(chromedp.Evaluate[chromedp.Void](`(async () => {
		const { LiftCard } = await import('/web/lift.js');
		const told = (await (await fetch('/v1/lifts')).json())[0];
		const card = new LiftCard({ ...told, id: 'L9' });
		card.update({ ...told, id: 'L9', area: 'A', stopped: { by: 'M. Weber', why: 'water' }, maintenance: { by: 'technician', until: '2026-11-30T06:00:00Z' }, area_alarm: { kind: 'fire', latched: true } }, [], performance.now());
		document.querySelector('#lifts').append(card.node);
	})(); undefined`))
	b.Must(`document.querySelector('[data-lift="L9"] [data-banner="stopped"]')`)
	for banner, want := range map[string]string{"stopped": "water, by M. Weber", "maintenance": "2026", "alarm": "fire"} {
		if got := pagetest.Eval[string](b, `document.querySelector('[data-lift="L9"] [data-banner="`+banner+`"]').textContent`); !contains(got, want) {
			t.Errorf("%s: %s", banner, got)
		}
	}
	if offered := pagetest.Eval[string](b, `[...document.querySelectorAll('[data-lift="L9"] .desk button')].filter((e) => !e.hidden).map((e) => e.textContent).join()`); offered != "End maintenance…,Car is empty…,Clear the area alarm…" {
		t.Errorf("offered: %s", offered)
	}
}

// RB-5: the browser's language decides where nobody chose, and one that asks for less
// motion gets none. Dark and Chinese at once, as a phone has it.
func TestPageAsTheBrowserWishes(t *testing.T) {
	b := pagetest.New(t, 360, 740, chromedp.Flag("accept-lang", "fr-FR,zh-CN,en"), chromedp.Flag("force-prefers-reduced-motion", true),
		chromedp.Flag("blink-settings", "preferredColorScheme=0"))
	s, base := openStage(t)
	s.trouble()
	b.Do(chromedp.Navigate(base + "/"))
	b.Must(`document.documentElement.lang === 'zh-Hans' && document.querySelector('[data-lift="L1"] .leaf')`)
	if moves := pagetest.Eval[string](b, `[...document.querySelectorAll('*')].map((e) => getComputedStyle(e)).filter((c) => c.animationName !== 'none' || c.transitionDuration.split(', ').some((d) => d !== '0s') && c.transitionProperty !== 'none').length + ' ' + getComputedStyle(document.body).backgroundColor`); moves != "0 rgb(16, 21, 29)" {
		t.Errorf("things that move, and the ground: %s", moves)
	}
	b.Quiet()
}
