package shadow

import (
	"crypto/ed25519"
	"encoding/base64"
	"fmt"
	"strings"
	"testing"
)

// An open-door is carried out once, and only with an operator's signature over what it
// says, in its time, by proven time. // SE-4 CM-1 CM-2
func TestSignedCommand(t *testing.T) {
	key := ed25519.NewKeyFromSeed([]byte(strings.Repeat("k", ed25519.SeedSize)))
	sign := func(text string) string { return base64.StdEncoding.EncodeToString(ed25519.Sign(key, []byte(text))) }
	const said = `{"exp":1700000030,"id":"c-1","path":"commands/open-door","serial":"GW-1","value":{"lift":"L1"}}`
	request := func(id, lift string, exp int, sig string) string {
		return fmt.Sprintf(`broker brings commands/open-door/request {"id":%q,"exp":%d,"args":{"lift":%q},"sig":{"key":"ops-1","sig":%q}}`, id, exp, lift, sig)
	}
	stage := func(clock string) *stage {
		s := newStage(t)
		s.config.Operators = []Operator{{Name: "ops-1", Key: key.Public().(ed25519.PublicKey)}}
		s.config.Commands = []Command{{Name: "open-door", Limit: 30, Signed: true}}
		s.session = New(s.config)
		s.happen("up 1")
		if clock != "" {
			s.wire = nil
			s.happen(`broker brings register/accepted {"clientToken":"1-2","epoch":1` + clock + `}`)
		} else {
			s.settle()
		}
		s.take()
		return s
	}
	for what, c := range map[string]struct {
		line, clock, want string
	}{
		"as signed":     {request("c-1", "L1", 1700000030, sign(said)), "", "perform open-door c-1"},
		"another lift":  {request("c-1", "L2", 1700000030, sign(said)), "", "does not belong"},
		"another id":    {request("c-2", "L1", 1700000030, sign(said)), "", "does not belong"},
		"a longer time": {request("c-1", "L1", 1700000050, sign(said)), "", "does not belong"},
		"another gateway": {
			request("c-1", "L1", 1700000030, sign(strings.Replace(said, "GW-1", "GW-2", 1))), "", "does not belong",
		},
		"over a minute": {
			request("c-1", "L1", 1700000090, sign(strings.Replace(said, "1700000030", "1700000090", 1))), "", "more than 60 s",
		},
		"too late": {request("c-1", "L1", 1700000030, sign(said)), `,"server_time":1700000030`, `"expired"`},
		"no clock": {request("c-1", "L1", 1700000030, sign(said)), `,"created":false`, "time unknown"},
	} {
		s := stage(c.clock)
		s.happen(c.line)
		s.wait(11 * second) // where no get is answered, as long as a report may wait
		said := strings.Join(s.take(), "")
		if !strings.Contains(said, c.want) || strings.Contains(said, "perform") != (what == "as signed") {
			t.Errorf("%s: %s", what, said)
		}
		s.happen(c.line)
		if again := strings.Join(s.take(), ""); strings.Contains(again, "perform") {
			t.Errorf("%s, again: %s", what, again)
		}
	}
}

// CM-2: what is remembered is bounded, and what is under way too.
func TestCommandsAreBounded(t *testing.T) {
	s := newStage(t)
	s.happen(`commands [{"name":"snapshot","limit":60}]`)
	s.happen("up 1")
	s.settle()
	ask := func(i int) {
		s.happen(fmt.Sprintf(`broker brings commands/snapshot/request {"id":"c-%d","exp":1700000600}`, i))
		s.settle()
	}
	for i := range maxOpenOrders + 1 {
		ask(i)
	}
	said := strings.Join(s.take(), "")
	if n := strings.Count(said, "perform"); n != maxOpenOrders || !strings.Contains(said, "too many") {
		t.Errorf("%d under way", n)
	}
	for i := range maxOpenOrders {
		s.step(Performed{ID: fmt.Sprint("c-", i), Status: OrderDone, Result: Tree{"text": strings.Repeat("x", maxOrderResult-11)}})
		s.settle()
	}
	if n := strings.Count(strings.Join(s.take(), ""), `"done"`); n != maxOpenOrders {
		t.Errorf("%d were done", n)
	}
	for i := range maxOrders + 10 {
		ask(100 + i)
		s.step(Performed{ID: fmt.Sprint("c-", 100+i), Status: OrderDone})
		s.settle()
	}
	s.wait(11 * second)
	size, records := 0, 0
	for k, r := range s.records {
		if strings.HasPrefix(k, orderPrefix) {
			size, records = size+len(r.Value), records+1
		}
	}
	if records != maxOrders || size > 200<<10 {
		t.Errorf("%d records of %d bytes", records, size)
	}
	s.take()
	ask(100 + maxOrders)
	if said := strings.Join(s.take(), ""); strings.Contains(said, "perform") || !strings.Contains(said, `"done"`) {
		t.Errorf("an id of before: %s", said)
	}
	s.step(Performed{ID: "nobody's", Status: OrderDone})
	s.step(Performed{ID: "c-0", Status: OrderFailed}) // it was done
	if said := strings.Join(s.take(), ""); said != "" {
		t.Errorf("said %s", said)
	}
}

// Whatever a request or a record says: no panic, and no id is performed twice.
func FuzzCommand(f *testing.F) {
	f.Add("restart", []byte(`{"id":"c-1","exp":1700000300,"args":{}}`))
	f.Add("open-door", []byte(`{"id":"c-1","by":"ops","exp":1700000030,"sig":{"key":"a","sig":"AA=="}}`))
	f.Add("pending", []byte(`{"n":1,"id":"c-1","cmd":"restart","status":"running"}`))
	f.Fuzz(func(t *testing.T, name string, raw []byte) {
		s := newStage(t)
		s.config.Commands = []Command{{Name: "restart", Limit: 120}, {Name: "open-door", Limit: 30, Signed: true}}
		s.restart()
		s.step(Loaded{Records: []Record{{Bucket: Bucket, Key: orderKey(0), Value: raw}}})
		s.happen("up 1")
		s.settle()
		for range 2 {
			s.step(Received{Message{Topic: testBeside + "/commands/" + name + "/request", Payload: raw}})
			s.settle()
		}
		if n := strings.Count(strings.Join(s.take(), ""), "perform "); n > 1 {
			t.Fatalf("performed %d times", n)
		}
	})
}
