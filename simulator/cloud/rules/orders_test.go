package rules

import (
	"fmt"
	"strings"
	"testing"

	"hoistway/sync/shadow"
)

func (g *stage) issue(at int64, o Order) {
	g.t.Helper()
	g.at, o.Serial = at, "GW-1"
	_, r, err := g.s.Issue(o, now+at)
	if err != nil {
		g.t.Fatal(err)
	}
	g.hear(r)
}

// CM-1, CM-2: a command from its issue to its result, each word answered, a repeated
// one too, and nothing that comes out of order takes it back.
func TestCommand(t *testing.T) {
	g := newStage(t, Options{})
	g.say(0, "commands/pending/get", `{"clientToken":"p"}`)
	g.gives("", `commands/pending/get/accepted {"clientToken":"p","commands":[]}`)
	g.issue(1, Order{ID: "c-1", Name: "self-test", By: "ops", Args: shadow.Tree{"deep": true}})
	g.gives("", `commands/self-test/request {"args":{"deep":true},"by":"ops","exp":1700000031,"id":"c-1"}`, `news|command||c-1|issued|self-test`)
	g.say(2, "commands/pending/get", ``)
	g.gives("", `commands/pending/get/accepted {"commands":[{"args":{"deep":true},"by":"ops","cmd":"self-test","exp":1700000031,"id":"c-1"}]}`)
	g.say(3, "commands/self-test/response", `{"id":"c-1","status":"received","clientToken":"a"}`)
	g.gives("", `commands/self-test/response/accepted {"clientToken":"a","id":"c-1","status":"received"}`, `news|command||c-1|received|self-test`)
	g.say(4, "commands/self-test/response", `{"id":"c-1","status":"running"}`)
	g.say(5, "commands/self-test/response", `{"id":"c-1","status":"received"}`)
	g.gives("news", `news|command||c-1|running|self-test`)
	g.say(6, "commands/self-test/response", `{"id":"c-1","status":"done","result":{"store":"ok"}}`)
	g.say(7, "commands/self-test/response", `{"id":"c-1","status":"done","result":{"store":"ok"}}`)
	g.gives("", `commands/self-test/response/accepted {"id":"c-1","status":"done"}`, `news|command||c-1|done|self-test`,
		`commands/self-test/response/accepted {"id":"c-1","status":"done"}`)
	g.tick(1000)
	g.gives("")
	if o := g.s.Orders("GW-1")[0]; o.State != shadow.OrderDone || o.EndedAt != now+6 || o.Result["store"] != "ok" || o.Late != "" {
		t.Errorf("%+v", o)
	}
	g.issue(1001, Order{Name: "restart"})
	g.gives("commands", `commands/restart/request {"args":{},"by":"","exp":1700001031,"id":"c-2"}`)
}

// CM-3: what is not received in 30 s, or runs beyond its limit, has failed, and somebody
// is told; a device that comes back does not do it after all, and its late word is kept.
func TestCommandsFailLoudly(t *testing.T) {
	g := newStage(t, Options{})
	g.say(0, "shadow/get", "")
	g.issue(0, Order{ID: "a", Name: "restart", Expires: now + 600})
	g.issue(0, Order{ID: "b", Name: "restart", Expires: now + 600})
	g.say(20, "commands/restart/response", `{"id":"b","status":"received"}`)
	g.lines = nil
	g.tick(30)
	g.gives("")
	g.tick(31)
	g.gives("", `news|command||a|failed|restart: not received within 30 s`, `news|command_fail||a|failed|restart: not received within 30 s`)
	g.say(40, "commands/pending/get", "")
	g.gives("", `commands/pending/get/accepted {"commands":[{"args":{},"by":"","cmd":"restart","exp":1700000600,"id":"b"}]}`)
	g.tick(140)
	g.gives("")
	g.tick(141)
	g.gives("", `news|command||b|failed|restart: not ended within 120 s`, `news|command_fail||b|failed|restart: not ended within 120 s`)
	g.say(150, "commands/restart/response", `{"id":"b","status":"done","result":{"ok":true},"late":true}`)
	g.gives("", `commands/restart/response/accepted {"id":"b","status":"done"}`)
	if o := g.s.Orders("GW-1")[1]; o.State != shadow.OrderFailed || o.Late != shadow.OrderDone || o.LateResult["ok"] != true {
		t.Errorf("%+v", o)
	}
	g.issue(200, Order{ID: "c", Name: "snapshot"})
	g.say(201, "commands/snapshot/response", `{"id":"c","status":"refused","reason":"a robot is aboard"}`)
	g.gives("news", `news|command||c|issued|snapshot`, `news|command||c|refused|snapshot: a robot is aboard`, `news|command_fail||c|refused|snapshot: a robot is aboard`)
}

// CM-4, SE-4: what may move something is signed and short-lived; nothing else than the
// known commands goes out.
func TestCommandRights(t *testing.T) {
	s := New(Root)
	take(s, "shadow/get", "")
	sig := shadow.Tree{"key": "ops-1", "sig": "AA=="}
	for name, c := range map[string]struct {
		o    Order
		code int
	}{
		"unknown thing":   {Order{Serial: "GW-9", Name: "restart"}, 404},
		"unknown command": {Order{Name: "write-register"}, 400},
		"bad id":          {Order{Name: "restart", ID: "a/b"}, 400},
		"over already":    {Order{Name: "restart", Expires: now}, 400},
		"for a day":       {Order{Name: "restart", Expires: now + 86400}, 400},
		"unsigned door":   {Order{Name: "open-door"}, 403},
		"unsigned reset":  {Order{Name: "reset-fault"}, 403},
		"door for long":   {Order{Name: "open-door", Sig: sig, Expires: now + 61}, 400},
		"too large":       {Order{Name: "snapshot", Args: shadow.Tree{"a": strings.Repeat("x", maxResultSize)}}, 413},
		"signed door":     {Order{Name: "open-door", Sig: sig, ID: "d", Expires: now + 60}, 0},
		"used id":         {Order{Name: "restart", ID: "used"}, 409},
	} {
		if name == "used id" {
			c.o.Serial = "GW-1"
			if _, _, err := s.Issue(c.o, now); err != nil {
				t.Fatal(err)
			}
		}
		if c.o.Serial == "" {
			c.o.Serial = "GW-1"
		}
		_, r, err := s.Issue(c.o, now)
		rejection, _ := err.(*shadow.Rejection)
		if (err == nil) != (c.code == 0) || err != nil && rejection.Code != c.code || err != nil && len(r.Messages) > 0 {
			t.Errorf("%s: %v, want %d", name, err, c.code)
		}
		if name == "signed door" && !strings.Contains(string(r.Messages[0].Payload), `"sig":{"key":"ops-1","sig":"AA=="}`) {
			t.Errorf("the signature goes along: %s", r.Messages[0].Payload)
		}
	}
	for payload, want := range map[string]string{
		`{"id":"nobody","status":"done"}`: `"code":404`, `{"id":"d","status":"issued"}`: `"code":400`,
		`{"id":"d","status":"half"}`: `"code":400`, `{"id":7,"status":"done"}`: `"code":404`,
		`{"id":"d","status":"done"}`: `"code":404`, // on another command's topic
		`{"id":"used","status":"done","result":{"a":"` + strings.Repeat("x", maxResultSize) + `"}}`: `"code":413`,
	} {
		if r := take(s, "commands/restart/response", payload); !strings.Contains(string(r.Messages[0].Payload), want) {
			t.Errorf("%.60s: %s", payload, r.Messages[0].Payload)
		}
	}
}

// The oldest that ended goes first; the store forgets it as well.
func TestCommandsAreBounded(t *testing.T) {
	g, d := newStage(t, Options{}), disk{}
	d.commit(t, take(g.s, "shadow/update", `{"state":{"reported":{"a":1}}}`))
	for i := range maxOrders + 1 {
		_, r, err := g.s.Issue(Order{Serial: "GW-1", Name: "restart", ID: fmt.Sprintf("o-%d", i)}, now+int64(i))
		if err != nil {
			t.Fatal(err)
		}
		d.commit(t, r)
		if i == 3 {
			d.commit(t, take(g.s, "commands/restart/response", `{"id":"o-3","status":"done"}`))
		}
	}
	orders := g.s.Orders("GW-1")
	if len(orders) != maxOrders || orders[0].ID != "o-0" || orders[3].ID != "o-4" {
		t.Errorf("%d commands, the first %s, the fourth %s", len(orders), orders[0].ID, orders[3].ID)
	}
	d.agrees(t, g.s)
}
