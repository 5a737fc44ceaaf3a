package rules

import (
	"fmt"
	"strings"
	"testing"

	"hoistway/sync/shadow"
)

// SH-20: a write for a device that is away is queued; what becomes of it is seen to the
// end. The headed one is in force when its header is mirrored, the other when reported
// says so.
func TestWishInForce(t *testing.T) {
	g := newStage(t, Options{})
	g.desire(0, "", `{"wait_timeout":120,"retries":2,"hold":9,"_intents":{"i-31":{"fields":["wait_timeout","retries"],"batch":"B-1","by":"ops"}}}`)
	g.gives("news", `news|write||i-31|queued|`, `news|write||hold@1|queued|`)
	g.say(1, "heartbeat", `{"epoch":1,"session":1,"seq":1,"versions":{"":0}}`)
	g.gives("news")
	g.say(2, "heartbeat", `{"epoch":1,"session":1,"seq":2,"versions":{"":1}}`)
	g.gives("news", `news|write||i-31|fetched|`, `news|write||hold@1|fetched|`)
	g.say(3, "shadow/update", `{"state":{"reported":{"wait_timeout":120,"retries":2}}}`)
	g.gives("news") // equal values are no word on the intent
	g.say(4, "shadow/update", `{"state":{"reported":{"hold":9,"_intents":{"i-31":{"fields":["wait_timeout","retries"],"batch":"B-1","by":"ops"}}}}}`)
	g.gives("news", `news|write||i-31|in_force|`, `news|write||hold@1|in_force|`)
	w := g.s.Wishes("GW-1")[0]
	if w.Batch != "B-1" || w.By != "ops" || w.At != now || w.EndedAt != now+4 || fmt.Sprint(w.Fields) != "[wait_timeout retries]" {
		t.Errorf("%+v", w)
	}
}

// A refusal is told with the code of the field that was wrong, and not of those that
// were held back with it; 202 is on its way, 408 is expired, an older ack is of another
// write.
func TestWishAnswered(t *testing.T) {
	g := newStage(t, Options{})
	g.desire(0, "", `{"a":1,"b":2,"_intents":{"i-1":{"fields":["a","b"]}}}`)
	g.desire(1, "", `{"c":3}`)
	g.desire(2, "", `{"d":4}`)
	g.desire(3, "", `{"e":5}`)
	g.say(4, "shadow/get", "")
	g.lines = nil
	g.say(5, "shadow/update", `{"state":{"reported":{"_ack":{
		"a":{"ac":424,"av":1,"id":"i-1"},"b":{"ac":400,"av":1,"id":"i-1","ad":"above 10"},
		"c":{"ac":202,"av":2,"ad":"after ride r-17"},"d":{"ac":408,"av":3},"e":{"ac":400,"av":2}}}}}`)
	g.gives("news", `news|write||i-1|refused|above 10`, `news|write||c@2|accepted|after ride r-17`, `news|write||d@3|expired|`)
	if w := g.s.Wishes("GW-1"); w[0].Code != 400 || w[1].Ended() || w[2].Code != 408 || w[3].State != WishFetched {
		t.Errorf("%+v", w)
	}
	g.say(6, "shadow/update", `{"state":{"reported":{"c":3,"_ack":{"c":null}}}}`)
	g.gives("news", `news|write||c@2|in_force|`)
}

// SH-8: the newest write wins; what it took is superseded.
func TestWishSuperseded(t *testing.T) {
	g := newStage(t, Options{})
	g.desire(0, "L1", `{"a":1,"b":1,"_intents":{"i-1":{"fields":["a","b"]}}}`)
	g.desire(1, "L1", `{"a":2}`)
	g.gives("news", `news|write|L1|i-1|queued|`, `news|write|L1|a@2|queued|`)
	g.desire(2, "L1", `{"b":null}`)
	g.gives("news", `news|write|L1|i-1|superseded|`)
	g.desire(3, "L1", `{"a":3,"_intents":{"i-1":{"fields":["a"]}}}`) // an id used again is another write
	g.gives("news", `news|write|L1|a@2|superseded|`, `news|write|L1|i-1|queued|`)
	g.say(4, "shadow/name/L1/update", `{"state":{"desired":null}}`)
	g.gives("news", `news|write|L1|i-1|superseded|`)
}

// SH-11: the view of what waits, in the order of its execution, fifty a page; the values
// of one; what is over is 410, what never was 404.
func TestIntentsView(t *testing.T) {
	g := newStage(t, Options{})
	for i := range 52 {
		g.desire(int64(i), "", fmt.Sprintf(`{"f%d":%d,"_intents":{"i-%d":{"fields":["f%d"]}}}`, i, i, i, i))
	}
	g.desire(60, "L1", `{"emergency":true,"_intents":{"stop":{"fields":["emergency"],"priority":0,"by":"ops","batch":"B"}}}`)
	g.lines = nil
	g.say(61, "intents/get", `{"page":1,"clientToken":"p"}`)
	g.gives("", `intents/get/accepted {"clientToken":"p","intents":[{"fields":["f49"],"id":"i-49","priority":5},{"fields":["f50"],"id":"i-50","priority":5},{"fields":["f51"],"id":"i-51","priority":5}]}`)
	g.say(62, "intents/get", ``)
	if got := g.lines[0]; !strings.HasPrefix(got, `intents/get/accepted {"intents":[{"batch":"B","by":"ops","fields":["emergency"],"id":"stop","priority":0,"shadow":"L1"},{"fields":["f0"],"id":"i-0","priority":5},`) || !strings.HasSuffix(got, `"next":1}`) {
		t.Errorf("%s", got)
	}
	g.lines = nil
	g.say(63, "intents/get", `{"page":9}`)
	g.gives("", `intents/get/accepted {"intents":[]}`)
	g.say(64, "intents/stop/get", `{"clientToken":"v"}`)
	g.gives("", `intents/stop/get/accepted {"clientToken":"v","id":"stop","values":{"emergency":true}}`)
	g.say(65, "shadow/update", `{"state":{"reported":{"f0":0,"_intents":{"i-0":{"fields":["f0"]}}}}}`)
	g.lines = nil
	g.say(66, "intents/i-0/get", ``)
	g.say(67, "intents/i-99/get", ``)
	g.say(68, "intents/get", `{"page":-1}`)
	g.gives("", `intents/i-0/get/rejected {"code":410,"message":"The intent is over","timestamp":1700000066}`,
		`intents/i-99/get/rejected {"code":404,"message":"No such intent","timestamp":1700000067}`,
		`intents/get/rejected {"code":400,"message":"Invalid page","timestamp":1700000068}`)
}

// SH-10: what was not consumed in its time is cleared, and somebody is told; what only
// restricts holds, and an operation grows old without being told when.
func TestExpiry(t *testing.T) {
	g := newStage(t, Options{})
	g.desire(0, "L1", `{"a":1,"b":1,"_intents":{"i-1":{"fields":["a"],"ttl_s":60,"batch":"B"}}}`)
	g.desire(0, "L1", `{"recovery":{"do":"wait"}}`)
	g.desire(0, "L1", `{"emergency":true,"_intents":{"stop":{"fields":["emergency"],"ttl_s":60,"priority":1}}}`)
	g.desire(0, "L1", `{"maintenance":{"on":false},"_intents":{"end":{"fields":["maintenance"],"ttl_s":60}}}`)
	g.lines = nil
	g.tick(59)
	g.gives("")
	g.tick(60)
	g.gives("shadow/name/L1/update/accepted news",
		`shadow/name/L1/update/accepted {"metadata":{"desired":{"_intents":{}}},"state":{"desired":{"_intents":{"i-1":null},"a":null}},"timestamp":1700000060,"version":5}`,
		`shadow/name/L1/update/accepted {"metadata":{"desired":{"_intents":{}}},"state":{"desired":{"_intents":{"end":null},"maintenance":null}},"timestamp":1700000060,"version":6}`,
		`news|write|L1|i-1|expired|not consumed in its time`, `news|expired|L1|i-1||`,
		`news|write|L1|end|expired|not consumed in its time`, `news|expired|L1|end||`)
	g.say(61, "intents/i-1/get", ``)
	g.gives("", `intents/i-1/get/rejected {"code":410,"message":"The intent is over","timestamp":1700000061}`)
	g.tick(600)
	g.gives("news", `news|write|L1|recovery@2|expired|not consumed in its time`, `news|expired|L1|recovery@2||`)
	g.tick(100_000)
	d, _ := g.s.Document("GW-1", "L1")
	if fmt.Sprint(d.Desired) != "map[_intents:map[stop:map[fields:[emergency] priority:1 ttl_s:60]] b:1 emergency:true]" {
		t.Errorf("left %v", d.Desired)
	}
}

// What was consumed in time stays, however long it takes to come about.
func TestConsumedDoesNotExpire(t *testing.T) {
	g := newStage(t, Options{})
	g.desire(0, "", `{"a":1,"_intents":{"i-1":{"fields":["a"],"ttl_s":60}}}`)
	g.say(50, "shadow/update", `{"state":{"reported":{"_ack":{"a":{"ac":202,"av":1,"id":"i-1"}},"_intents":{"i-1":{"fields":["a"],"ttl_s":60}}}}}`)
	g.gives("news", `news|write||i-1|queued|`, `news|write||i-1|accepted|`)
	g.tick(5000)
	g.gives("")
	g.say(6000, "shadow/update", `{"state":{"reported":{"a":1,"_ack":null}}}`)
	g.gives("news", `news|write||i-1|in_force|`)
}

// SH-9: a promote clears the operations that wait, of its own shadow or, on the
// gateway's, of all; settings stay.
func TestPromote(t *testing.T) {
	g := newStage(t, Options{})
	for _, lift := range []string{"L1", "L2"} {
		g.desire(0, lift, `{"recovery":{"do":"retry"},"wait_timeout":90}`)
	}
	g.lines = nil
	g.desire(1, "L1", `{"emergency":true,"_intents":{"stop":{"fields":["emergency"],"priority":0}}}`)
	g.gives("news", `news|write|L1|stop|queued|`, `news|write|L1|recovery@1|refused|cleared by promote`)
	g.desire(2, "", `{"emergency":true,"_intents":{"all":{"fields":["emergency"],"priority":0}}}`)
	g.gives("news", `news|write||all|queued|`, `news|write|L2|recovery@1|refused|cleared by promote`)
	for _, lift := range []string{"L1", "L2"} {
		if d, _ := g.s.Document("GW-1", lift); d.Desired["recovery"] != nil || !shadow.Equal(d.Desired["wait_timeout"], number(90)) {
			t.Errorf("%s: %v", lift, d.Desired)
		}
	}
}

// However many writes there are, and whatever their names, memory and store stay small
// and agree.
func TestWishesAreBounded(t *testing.T) {
	g, d := newStage(t, Options{}), disk{}
	for i := range maxWishes + 50 {
		patch := shadow.Tree{"a": number(int64(i)), intentsKey: shadow.Tree{fmt.Sprintf("%0*d", i+1, i): shadow.Tree{"fields": []any{"a"}}}}
		r, err := g.s.Desire("GW-1", "", patch, now)
		if err != nil {
			t.Fatal(err)
		}
		d.commit(t, r)
	}
	if n := len(g.s.Wishes("GW-1")); n != maxWishes {
		t.Errorf("%d writes", n)
	}
	d.agrees(t, g.s)
}
