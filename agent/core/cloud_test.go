package core

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	"hoistway/fsm"
	"hoistway/fsm/elevator"
	"hoistway/sync/shadow"
)

// wished is a value of desired, from JSON as it would come.
func wished(t *testing.T, raw string) shadow.Tree {
	t.Helper()
	v, err := shadow.Decode([]byte(raw))
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// cloudy is a play whose core is asked by a cloud; the session is the real one, unconnected.
func cloudy(boot Boot) *play {
	p := newPlay(boot)
	p.session = shadow.New(shadow.Config{Serial: "GW", Prefix: "p", Beside: "b", Shadows: []string{"", "L1"}, Rules: Rules()})
	return p
}

// asks brings one intent to the core as the session would, and gives back its acks by path.
func (p *play) asks(t *testing.T, name, values string, now elevator.Instant) map[string]shadow.Result {
	t.Helper()
	ps := &pass{Core: p.Core, t: p.at(now)}
	in := shadow.Apply{Shadow: name, Intent: "i", Values: wished(t, values), By: "ops", Batch: "B1", Now: 1_700_000_000}
	out := map[string]shadow.Result{}
	for _, r := range ps.apply(in).Results {
		out[r.Path] = r
	}
	ps.report()
	p.keep(ps.res)
	return out
}

// codes lists them as path=code.
func codes(rs map[string]shadow.Result) string {
	m := map[string]int{}
	for path, r := range rs {
		m[path] = r.Code
	}
	return strings.TrimPrefix(fmt.Sprint(m), "map")
}

// RD-15, SH-8: settings are judged together: each in its bounds, and against each other and
// those in force; one that is bad takes its whole intent with it, and nothing changes.
func TestSettingsAreJudgedTogether(t *testing.T) {
	p := cloudy(Boot{ID: "b"})
	for _, c := range []struct{ values, want string }{
		{`{"wait_timeout":120,"retries":2}`, "[retries:200 wait_timeout:200]"},
		{`{"wait_timeout":4}`, "[wait_timeout:400]"},
		{`{"wait_timeout":90.5}`, "[wait_timeout:400]"},
		{`{"wait_timeout":"90"}`, "[wait_timeout:400]"},
		{`{"wait_timeout":3600,"retries":1}`, "[retries:424 wait_timeout:400]"}, // expiry is 900
		{`{"wait_timeout":3600,"expiry":7200,"retries":1}`, "[expiry:200 retries:200 wait_timeout:200]"},
		{`{"hold_limit":10}`, "[hold_limit:400]"}, // hold_renew is 10
		{`{"hold_limit":10,"hold_renew":9}`, "[hold_limit:200 hold_renew:200]"},
		{`{"retries":3,"colour":"red"}`, "[colour:405 retries:424]"},
		{`{"batch":""}`, "[batch:400]"},
	} {
		before := p.settings
		got := p.asks(t, "", c.values, second)
		if codes(got) != c.want {
			t.Errorf("%s: %s, want %s", c.values, codes(got), c.want)
		}
		if bad := strings.Contains(c.want, ":4"); bad != reflect.DeepEqual(before, p.settings) {
			t.Errorf("%s: in force %+v", c.values, p.settings)
		}
	}
	if got := p.View(p.at(second)).Params; got.WaitTimeout != time.Hour || got.HoldRenew != 9*time.Second || got.Retries != 1 {
		t.Errorf("in force %+v", got)
	}
	if got := codes(p.asks(t, "L1", `{"wait_timeout":60}`, second)); got != "[wait_timeout:405]" {
		t.Errorf("in a lift's shadow: %s", got)
	}
}

// OP-1: reported says which batch is in force, and readers see where each value comes from,
// also after a restart; what desired asks for no longer is the file's again.
func TestWhereASettingComesFrom(t *testing.T) {
	p := cloudy(Boot{ID: "b"})
	p.asks(t, "", `{"wait_timeout":120}`, second)
	again := p.restart(t, Boot{ID: "b"}, 2*second)
	for _, q := range []*play{p, again} {
		seen := map[string]SettingView{}
		for _, s := range q.View(q.at(3 * second)).Settings {
			seen[s.Path] = s
		}
		if w := seen["wait_timeout"]; w.Value != json.Number("120") || !w.Cloud || w.Batch != "B1" || w.By != "ops" {
			t.Errorf("wait_timeout %+v", w)
		}
		if r := seen["retries"]; r.Value != json.Number("3") || r.Cloud || r.Batch != "" {
			t.Errorf("retries %+v", r)
		}
		if b := q.inForce("batch"); b != "B1" {
			t.Errorf("batch %v", b)
		}
	}
	p.asks(t, "", `{"wait_timeout":null,"batch":null}`, 3*second)
	if v := p.inForce("wait_timeout"); v != json.Number("90") || p.View(p.at(4*second)).Params.WaitTimeout != 90*time.Second || p.inForce("batch") != nil {
		t.Errorf("wait_timeout %v of the file, batch %v", v, p.inForce("batch"))
	}
}

// OP-1: stored settings for which the file leaves no room any more give way to those before
// them, or to the file, and that is said.
func TestLastGoodSettings(t *testing.T) {
	p := cloudy(Boot{ID: "b"})
	p.asks(t, "", `{"retries":5}`, second)
	p.asks(t, "", `{"hold_limit":12}`, second) // with hold_renew of 10 s in the file
	load := func(renew, wait time.Duration) *View {
		q := cloudy(Boot{ID: "b"})
		q.file.HoldRenew, q.file.WaitTimeout = renew, wait
		var recs []shadow.Record
		for k, v := range p.store {
			bucket, key, _ := strings.Cut(k, "/")
			recs = append(recs, shadow.Record{Bucket: bucket, Key: key, Value: v})
		}
		if _, errs := q.Load(recs, q.at(2*second)); len(errs) > 0 {
			t.Fatal(errs)
		}
		return q.View(q.at(3 * second))
	}
	if v := load(11*time.Second, 90*time.Second); v.FellBack != "" || v.Params.HoldLimit != 12*time.Second || v.Params.Retries != 5 {
		t.Errorf("with room: %q %+v", v.FellBack, v.Params)
	}
	v := load(20*time.Second, 90*time.Second)
	if !strings.Contains(v.FellBack, "hold_renew (20s) must be less than hold_limit (12s)") || v.Params.HoldLimit != time.Minute || v.Params.Retries != 5 {
		t.Errorf("without: %q %+v", v.FellBack, v.Params)
	}
	if v := load(20*time.Second, time.Hour); v.FellBack == "" || v.Params.Retries != 3 || v.Params.WaitTimeout != time.Hour {
		t.Errorf("with room for neither: %q %+v", v.FellBack, v.Params)
	}
}

// OP-3: a window holds by the site's clock, over midnight too, and never by a clock that
// was not set. 2025-06-14 is a Saturday.
func TestMaintenanceWindows(t *testing.T) {
	at := func(stamp string, zone int) Time {
		w, err := time.Parse(time.RFC3339, stamp)
		if err != nil {
			t.Fatal(err)
		}
		return Time{Now: 1000 * second, Wall: w.UnixMilli(), Zone: zone}
	}
	var s Settings
	if !readWindows(wished(t, `{"v":[{"days":["sat"],"from":"22:00","to":"02:30"},{"from":"12:00","to":"12:01"}]}`)["v"], &s) {
		t.Fatal("refused")
	}
	for stamp, left := range map[string]time.Duration{
		"2025-06-14T21:59:59Z": 0,
		"2025-06-14T22:00:00Z": 270 * time.Minute,
		"2025-06-15T02:29:30Z": 30 * time.Second,
		"2025-06-15T02:30:00Z": 0,
		"2025-06-15T23:00:00Z": 0,
		"2025-06-11T12:00:15Z": 45 * time.Second,
		"2019-06-15T01:00:00Z": 0, // nobody has set this clock: it is a Saturday night there
	} {
		want := elevator.Instant(0)
		if left > 0 {
			want = (1000 * second).Add(left)
		}
		if got := s.windowEnd(at(stamp, 0)); got != want {
			t.Errorf("at %s until %d, want %d", stamp, got, want)
		}
	}
	if s.windowEnd(at("2025-06-14T20:00:00Z", 7200)) == 0 {
		t.Error("22:00 of a site two hours east is no 22:00")
	}
	for _, bad := range []string{
		`"x"`, `[{}]`, `[{"from":"2:00","to":"03:00"}]`, `[{"from":"02:00","to":"02:00"}]`, `[{"from":"24:00","to":"03:00"}]`,
		`[{"from":"02:00","to":"25:00"}]`, `[{"days":["fry"],"from":"02:00","to":"03:00"}]`, `[{"days":[],"from":"02:00","to":"03:00"}]`,
		`[{"from":"02:00","to":"03:00","lift":"L1"}]`, `[` + strings.Repeat(`{"from":"02:00","to":"03:00"},`, 32) + `{"from":"02:00","to":"03:00"}]`,
	} {
		if readWindows(wished(t, `{"v":`+bad+`}`)["v"], &Settings{}) {
			t.Errorf("taken: %.80s", bad)
		}
	}
}

// OP-3: a window of the settings keeps rides waiting and is reported, and ends by itself.
func TestAWindowBeginsAndEnds(t *testing.T) {
	p := cloudy(Boot{ID: "b", Wall0: 1_750_032_000_000}) // 2025-06-16, a Monday, 00:00
	got := p.asks(t, "", `{"maintenance_windows":[{"days":["mon"],"from":"00:01","to":"00:03"}]}`, second)
	if codes(got) != "[maintenance_windows:200]" || p.NextWake() != 60*second {
		t.Fatalf("%v, wake %d", got, p.NextWake()/second)
	}
	in := func(now elevator.Instant) (is bool) {
		p.do(Tick{}, now)
		f := (&pass{Core: p.Core, t: p.at(now)}).controlsOf("L1")["maintenance"].(shadow.Tree)
		return f["on"] == true && f["by"] == "window"
	}
	if in(59*second) || !in(60*second) || !in(179*second) || in(180*second) {
		t.Error("the window is not from 60 s to 180 s")
	}
	p.asks(t, "", `{"maintenance_windows":null}`, 181*second)
	if p.windowAt != 0 {
		t.Error("windows that are gone are looked at")
	}
}

// SH-8, SH-9: the cloud may stop and maintain a lift, beside what people on site want; what
// stands on site it does not release, and what people end is ended.
func TestOrdersOfTheCloud(t *testing.T) {
	p := cloudy(Boot{ID: "b"})
	p.do(&Seen{Lift: "L1", Car: car(1, 0, second)}, second)
	now := func(path string) any {
		return (&pass{Core: p.Core, t: p.at(second)}).controlsOf("L1")[path]
	}
	person := func(o Order) {
		t.Helper()
		if a := answered(t, p.do(Ordered{Token: 1, Order: o}, second)); a.Status != Accepted {
			t.Fatalf("%+v", a)
		}
	}
	ask := func(name, values, want string) {
		t.Helper()
		if got := codes(p.asks(t, name, values, second)); got != want {
			t.Errorf("%s: %s, want %s", values, got, want)
		}
	}
	ask("L1", `{"emergency":"yes"}`, "[emergency:400]")
	ask("L1", `{"maintenance":true}`, "[maintenance:400]")
	ask("L1", `{"maintenance":{"on":true,"why":"x"}}`, "[maintenance:400]")
	ask("L1", `{"maintenance":{"on":true,"until":1699999999}}`, "[maintenance:410]")
	ask("", `{"maintenance":{"on":true}}`, "[maintenance:405]")
	ask("L1", `{"emergency":true}`, "[emergency:200]")
	ask("L1", `{"maintenance":{"on":true,"until":1700000060}}`, "[maintenance:200]")
	if now("emergency") != true || now("emergency_by") != "cloud" || !reflect.DeepEqual(now("maintenance"), shadow.Tree{"on": true, "by": "cloud", "until": json.Number("1700000060")}) {
		t.Errorf("emergency %v by %v, maintenance %v", now("emergency"), now("emergency_by"), now("maintenance"))
	}
	person(StopAll{Lift: "L1", On: true, By: "kim"})
	ask("L1", `{"emergency":false}`, "[emergency:423]")
	ask("L1", `{"maintenance":{"on":false}}`, "[maintenance:423]")
	ask("L1", `{"reset":{"ride":"r","fault_no":1,"robot_is":"outside"}}`, "[reset:410]")
	if now("emergency_by") != "local" {
		t.Errorf("by %v", now("emergency_by"))
	}
	person(StopAll{Lift: "L1", By: "kim"})
	if now("emergency") != false || now("emergency_by") != nil {
		t.Errorf("a person has ended it, and it is %v by %v", now("emergency"), now("emergency_by"))
	}
	ask("", `{"emergency":true}`, "[emergency:200]")
	if v := p.View(p.at(second)); v.Lifts[0].Why != WhyStopped || v.Lifts[0].Stopped.By != "ops, by the cloud" {
		t.Errorf("%s %+v", v.Lifts[0].Why, v.Lifts[0].Stopped)
	}
	ask("", `{"emergency":false}`, "[emergency:200]")
	keyed := car(1, 0, second)
	keyed.Mode.Value = elevator.Inspection
	p.do(&Seen{Lift: "L1", Car: keyed}, second)
	ask("L1", `{"maintenance":{"on":false}}`, "[maintenance:423]")
}

// OP-9: a plan is for one fault of one ride of this lift, and taken once. SE-4: a stale one
// is told to be over.
func TestRecoveryByTheCloud(t *testing.T) {
	p := cloudy(Boot{ID: "b"})
	p.do(&Seen{Lift: "L1", Car: car(1, 0, second)}, second)
	p.do(Ordered{Token: 1, Order: order()}, second)
	now := second
	for lit := elevator.FloorSet(0).With(2); now < 400*second && p.Ride("Ride_1").State != fsm.Fault; now += second / 5 {
		p.do(&Seen{Lift: "L1", Car: car(1, lit, now)}, now)
		p.do(Tick{}, now)
	}
	no := p.Ride("Ride_1").FaultNo
	plan := func(what, want string) {
		t.Helper()
		if got := codes(p.asks(t, "L1", `{"recovery":`+what+`}`, now)); got != want {
			t.Errorf("%s: %s, want %s", what, got, want)
		}
	}
	plan(`{"ride":"Ride_1","fault_no":1,"do":"open_door"}`, "[recovery:400]")
	plan(`{"ride":"Ride_1","fault_no":1,"do":"retry","wait_s":3601}`, "[recovery:400]")
	plan(`{"ride":"Ride_1","fault_no":99,"do":"retry"}`, "[recovery:410]")
	plan(`{"ride":"other","fault_no":1,"do":"retry"}`, "[recovery:410]")
	plan(fmt.Sprintf(`{"ride":"Ride_1","fault_no":%d,"do":"wait","wait_s":7}`, no), "[recovery:200]")
	if at := p.Ride("Ride_1").RetryAt; at != now.Add(7*time.Second) {
		t.Errorf("it tries again at %d, not at %d", at, now.Add(7*time.Second))
	}
	plan(fmt.Sprintf(`{"ride":"Ride_1","fault_no":%d,"do":"lock"}`, no), "[recovery:410]")
	plan(`null`, "[recovery:200]")
	reset := func(what, want string) {
		t.Helper()
		if got := codes(p.asks(t, "L1", `{"reset":`+what+`}`, now)); got != want {
			t.Errorf("reset %s: %s, want %s", what, got, want)
		}
	}
	reset(`{"ride":"Ride_1","fault_no":99}`, "[reset:410]")
	reset(`{"ride":"Ride_1","fault_no":"1"}`, "[reset:400]")
	reset(fmt.Sprintf(`{"ride":"Ride_1","fault_no":%d,"robot_is":"somewhere"}`, no), "[reset:400]")
	reset(fmt.Sprintf(`{"ride":"Ride_1","fault_no":%d}`, no), "[reset:200]")
	if s := p.Ride("Ride_1").State; s != fsm.Done {
		t.Errorf("the ride is %s", s)
	}
}

// SE-4, SH-4, SH-21: no field of desired writes a register, presses a button or opens a
// door: whatever nobody has put into the field table is refused with 405, by itself and
// beside others, and no command leaves.
func TestNothingElseIsWritten(t *testing.T) {
	p := cloudy(Boot{ID: "b"})
	p.do(&Seen{Lift: "L1", Car: car(1, 0, second)}, second)
	words := append(verbs(), "task", "firmware", "registers", "register:40001", "coil_17", "modbus", "outputs", "raw", "write", "link", "wire", "profile", "open-door")
	for _, name := range []string{"", "L1"} {
		for _, path := range words {
			for _, v := range []string{`1`, `true`, `"on"`, `{"address":40001,"value":3}`, `[1,2]`} {
				raw, _ := json.Marshal(path)
				got := p.asks(t, name, `{`+string(raw)+`:`+v+`}`, second)
				if r := got[path]; r.Code != ackNotYours || r.Detail == "" || r.Value != nil {
					t.Errorf("%s/%s %s: %+v", name, path, v, r)
				}
			}
		}
	}
	if len(p.sent) != 0 {
		t.Errorf("commands left: %+v", p.sent)
	}
	for _, verb := range verbs() {
		if why := whyNot(verb); !strings.Contains(why, "command") {
			t.Errorf("%s: %s", verb, why)
		}
	}
}

// SH-3: what a lift reports is in the field table, observed or controlled.
func TestTheFieldTableIsWhole(t *testing.T) {
	p := cloudy(Boot{ID: "b"})
	known := map[string]bool{}
	for _, r := range Rules() {
		if known[r.Path] || r.Class == shadow.Unclassed {
			t.Errorf("%s: twice, or without a class", r.Path)
		}
		known[r.Path] = true
	}
	ps := &pass{Core: p.Core, t: p.at(second)}
	for path := range ps.fields(p.site.Cars()[0]) {
		if !known[path] {
			t.Errorf("%s is reported and not in the table", path)
		}
	}
}
