package aws

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"hoistway/sync/shadow"
)

// SH-1, SH-17: the first connection to the public service alone: nothing is registered,
// a document that is not there is made by the first report, static facts have a shadow
// of their own, and the will's topic says who is here.
func TestFirstConnection(t *testing.T) {
	s := newStage(t)
	s.report("", shadow.Tree{"wait_timeout": json.Number("90")})
	s.report("L1", shadow.Tree{"state": "IDLE"})
	s.connect(1)
	s.wait(minute)
	for _, want := range []struct{ name, field, value string }{
		{"", "wait_timeout", "90"}, {"L1", "state", "IDLE"}, {"static", "kind", "lift-gateway"}, {"static", "campus", "C"},
	} {
		if got := fmt.Sprint(s.service.Reported(want.name, want.field)); got != want.value {
			t.Errorf("%s.%s is %s", want.name, want.field, got)
		}
	}
	if s.service.Reported("static", "store") != nil {
		t.Error("whether the store is fresh is no static fact")
	}
	if len(s.beside) != 1 || s.beside[0].Topic != x+"/presence" || !s.beside[0].Retain {
		t.Errorf("beside the service went %v", s.beside)
	}
}

// SH-8: wished, put in force once, reported, and the delta is gone.
func TestDesired(t *testing.T) {
	s := newStage(t)
	s.report("", shadow.Tree{"wait_timeout": json.Number("90")})
	s.connect(1)
	s.wait(minute)
	s.deliver(s.service.Desire("", `{"wait_timeout":120,"_intents":{"i-1":{"fields":["wait_timeout"],"ttl_s":60}}}`, s.time()))
	s.wait(minute)
	if got := s.service.Reported("", "wait_timeout"); got != json.Number("120") || len(s.service.Delta("")) != 0 {
		t.Errorf("reported %v, delta %v", got, s.service.Delta(""))
	}
	if !slices.Equal(s.applied, []string{"wait_timeout"}) {
		t.Errorf("applied %v", s.applied)
	}
}

// SH-10: what came too late is answered 408, and never handed out; what is not to be
// wished for is answered 405, once.
func TestExpiredAndObserved(t *testing.T) {
	s := newStage(t)
	s.judge["state"] = shadow.Result{Code: 405, Detail: "observed"}
	s.report("L1", shadow.Tree{"state": "IDLE"})
	s.service.Desire("L1", `{"recall":true,"state":"MOVING"}`, s.time())
	s.wait(20 * minute)
	s.connect(1)
	s.wait(minute)
	if s.ack("L1", "recall") != "408" || s.ack("L1", "state") != "405" || !slices.Equal(s.applied, []string{"state"}) {
		t.Errorf("acks %v, applied %v", s.service.Reported("L1", "_ack"), s.applied)
	}
	if v := s.session.View().Shadows[1]; !v.Settled {
		t.Errorf("not settled: %v", v.Delta)
	}
}

// SH-5: a conflict brings no document along: one get, then the report again.
func TestConflict(t *testing.T) {
	s := newStage(t)
	s.report("L1", shadow.Tree{"state": "IDLE"})
	s.connect(1)
	s.wait(minute)
	s.sent, s.service.Refuse = nil, 1
	s.report("L1", shadow.Tree{"state": "MOVING"})
	s.wait(minute)
	if got := s.service.Reported("L1", "state"); got != "MOVING" {
		t.Errorf("reported %v", got)
	}
	base := "$aws/things/GW-1/shadow/name/L1/"
	if !slices.Equal(s.sent, []string{base + "update", base + "get", base + "update"}) {
		t.Errorf("sent %q", s.sent)
	}
}

// SH-7, SH-11: what was wished while the line was down is found by the get, carried out
// once, also when the process ends and the document comes again.
func TestReconnectAndRestart(t *testing.T) {
	s := newStage(t)
	s.connect(1)
	s.wait(minute)
	s.cut()
	s.deliver(s.service.Desire("", `{"wait_timeout":120}`, s.time()))
	s.connect(2)
	s.wait(minute)
	s.begin()
	s.connect(3)
	s.wait(minute)
	if !slices.Equal(s.applied, []string{"wait_timeout"}) {
		t.Errorf("applied %v", s.applied)
	}
	s.deliver(s.service.Desire("", `{"wait_timeout":120}`, s.time())) // the same value in a later second is a new write
	s.wait(minute)
	if len(s.applied) != 2 {
		t.Errorf("applied %v", s.applied)
	}
}

// SH-12: nobody answers beats, so each shadow is read every 12 to 18 minutes, and a wish
// whose notice was lost is found.
func TestPolls(t *testing.T) {
	s := newStage(t)
	s.report("L1", shadow.Tree{"state": "IDLE"})
	s.connect(1)
	s.wait(minute)
	s.service.Desire("L1", `{"recall":false}`, s.time()+900) // nobody is told
	s.sent = nil
	s.wait(11 * minute)
	if len(s.sent) != 0 {
		t.Errorf("without a cause: %q", s.sent)
	}
	s.wait(7 * minute)
	for _, name := range []string{"", "/name/L1", "/name/static"} {
		gets := 0
		for _, topic := range s.sent {
			if topic == "$aws/things/GW-1/shadow"+name+"/get" {
				gets++
			}
		}
		if gets != 1 {
			t.Errorf("%q was read %d times: %q", name, gets, s.sent)
		}
	}
	if !slices.Equal(s.applied, []string{"recall"}) {
		t.Errorf("applied %v", s.applied)
	}
}

const firmware = `{"firmware":{"version":"2.0.0","sha256":"00","sig":"x"}}`

// CM-1: a job is a wish of firmware: judged once, told pending, then done.
func TestJob(t *testing.T) {
	s := newStage(t)
	s.connect(1)
	s.wait(minute)
	s.judge["firmware"] = shadow.Result{Code: 202, Detail: "after the ride"}
	s.deliver(s.service.Queue("j1", firmware, s.time()))
	s.wait(minute)
	j := s.service.Job("j1")
	if j.Status != "IN_PROGRESS" || !strings.Contains(j.Details, "after the ride") {
		t.Errorf("%+v", j)
	}
	s.step(shadow.Applied{Intent: "job:j1", Results: []shadow.Result{{Path: "firmware", Code: 200}}})
	if j.Status != "SUCCEEDED" || !slices.Equal(s.applied, []string{"firmware"}) {
		t.Errorf("%+v, applied %v", j, s.applied)
	}
}

// CM-1: a job's answer that was lost is given again after a restart, and nothing is
// carried out twice; one that is refused, or is no job of this device, says why.
func TestJobAcrossARestart(t *testing.T) {
	s := newStage(t)
	s.service.Queue("j1", firmware, s.time())
	s.judge["firmware"] = shadow.Result{Code: 405, Detail: "no updater"}
	s.connect(1)
	s.wait(minute)
	s.service.Job("j1").Status = "IN_PROGRESS" // as if the answer had not come
	s.begin()
	s.connect(2)
	s.wait(minute)
	if j := s.service.Job("j1"); j.Status != "REJECTED" || !strings.Contains(j.Details, "405") {
		t.Errorf("%+v", j)
	}
	s.deliver(s.service.Queue("j2", `{"reboot":true}`, s.time()))
	if j := s.service.Job("j2"); j.Status != "REJECTED" {
		t.Errorf("%+v", j)
	}
	if !slices.Equal(s.applied, []string{"firmware"}) {
		t.Errorf("applied %v", s.applied)
	}
}

// CM-1, CM-2: a command and its answers, word by word.
func TestCommand(t *testing.T) {
	d := New("GW-1", x)
	hear := func(topic, payload string) (string, string) {
		in, say := d.Hear(shadow.Received{Message: shadow.Message{Topic: d.commands + topic, Payload: []byte(payload)}})
		switch {
		case len(in) == 1:
			m := in[0].(shadow.Received)
			return m.Topic, string(m.Payload)
		case len(say) == 1:
			return say[0].Topic, string(say[0].Payload)
		}
		return "", ""
	}
	say := func(cmd, payload string) (string, string) {
		out := d.Say(shadow.Publish{Token: "t", Message: shadow.Message{Topic: x + "/commands/" + cmd, Payload: []byte(payload)}})
		if len(out) != 1 {
			return "", ""
		}
		return out[0].Topic, string(out[0].Payload)
	}
	c := "$aws/commands/things/GW-1/executions/e1/"
	for _, step := range []struct {
		do             func(string, string) (string, string)
		topic, payload string
		want, body     string
	}{
		{hear, "e1/request/json", `{"cmd":"restart","by":"ops","exp":1700000030}`, x + "/commands/restart/request", `{"by":"ops","exp":1700000030,"id":"e1"}`},
		{say, "restart/response", `{"id":"e1","status":"received","clientToken":"1-7"}`, c + "response/json", `{"status":"IN_PROGRESS","statusReason":{"reasonCode":"RECEIVED"}}`},
		{hear, "e1/response/accepted/json", `{}`, x + "/commands/restart/response/accepted", `{"clientToken":"1-7","id":"e1","status":"received"}`},
		{say, "restart/response", `{"id":"e1","status":"refused","reason":"a robot\nis aboard"}`, c + "response/json", `{"status":"REJECTED","statusReason":{"reasonCode":"REFUSED","reasonDescription":"a robot is aboard"}}`},
		{hear, "e1/response/rejected/json", `{"error":"RequestThrottled"}`, "", ""},
		{hear, "e1/response/rejected/json", `{"error":"TerminalStateReached"}`, x + "/commands/restart/response/accepted", `{"id":"e1","status":"refused"}`},
		{say, "snapshot/response", `{"id":"e2","status":"done","result":{"a":1}}`, strings.Replace(c, "e1", "e2", 1) + "response/json", `{"result":{"result":{"s":"{\"a\":1}"}},"status":"SUCCEEDED","statusReason":{"reasonCode":"DONE"}}`},
		{hear, "e3/request/json", `{"args":{}}`, strings.Replace(c, "e1", "e3", 1) + "response/json", `{"status":"REJECTED","statusReason":{"reasonCode":"REFUSED","reasonDescription":"the payload is no object that names its cmd"}}`},
		{hear, "e9/response/accepted/json", `{}`, "", ""},
	} {
		topic, body := step.do(step.topic, step.payload)
		if topic != step.want || body != step.body {
			t.Errorf("%s %s\n got  %s %s\n want %s %s", step.topic, step.payload, topic, body, step.want, step.body)
		}
	}
}

// DD-2: events are had in the order of their numbers, when the broker took them: a
// later one does not speak for an earlier one that was not taken.
func TestEventsAreHadWhenTaken(t *testing.T) {
	d := New("GW-1", x)
	say := func(seq int, token string) {
		d.Say(shadow.Publish{Token: token, Message: shadow.Message{
			Topic: x + "/events", Payload: fmt.Appendf(nil, `{"epoch":0,"seq":%d,"kind":"ride.done"}`, seq),
		}})
	}
	upto := func(token string, err error) (out []string) {
		inputs, _ := d.Hear(shadow.Sent{Token: token, Err: err})
		for _, in := range inputs[1:] {
			out = append(out, string(in.(shadow.Received).Payload))
		}
		return out
	}
	say(4, "a")
	say(5, "b")
	if got := upto("b", nil); got != nil {
		t.Errorf("5 alone: %v", got)
	}
	if got := upto("a", errors.New("cut")); got != nil {
		t.Errorf("4 failed: %v", got)
	}
	say(4, "c")
	if got := upto("c", nil); !slices.Equal(got, []string{`{"epoch":0,"upto":4}`, `{"epoch":0,"upto":5}`}) {
		t.Errorf("both: %v", got)
	}
}

// CM-2: who asks for what waits is told that nothing does.
func TestNothingIsPending(t *testing.T) {
	d := New("GW-1", x)
	d.Say(shadow.Publish{Message: shadow.Message{Topic: x + "/commands/pending/get", Payload: []byte(`{"clientToken":"1-9"}`)}})
	inputs, _ := d.Hear(shadow.Tick{})
	if m, ok := inputs[0].(shadow.Received); !ok || m.Topic != x+"/commands/pending/get/accepted" || string(m.Payload) != `{"clientToken":"1-9","commands":[]}` {
		t.Errorf("%v", inputs)
	}
	if inputs, _ := d.Hear(shadow.Tick{}); len(inputs) != 1 {
		t.Errorf("again: %v", inputs)
	}
}

// What the service, or whoever stands in its place, sends can do nothing but be refused.
func FuzzHear(f *testing.F) {
	f.Add("$aws/commands/things/GW-1/executions/e1/request/json", []byte(`{"cmd":"restart"}`))
	f.Add("$aws/things/GW-1/jobs/start-next/accepted", []byte(`{"execution":{"jobId":"j","jobDocument":`+firmware+`,"queuedAt":1}}`))
	f.Add("$aws/things/GW-1/jobs/notify-next", []byte(`{"execution":null}`))
	f.Fuzz(func(t *testing.T, topic string, payload []byte) {
		d := New("GW-1", x)
		_, say := d.Hear(shadow.Received{Message: shadow.Message{Topic: topic, Payload: payload}})
		for _, p := range say {
			if !json.Valid(p.Payload) {
				t.Fatalf("said %q", p.Payload)
			}
		}
	})
}
