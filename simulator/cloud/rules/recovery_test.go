package rules

import (
	"fmt"
	"strings"
	"testing"
)

// lift is what a lift reports: a fault of ride r-1, with what the case makes of it.
func lift(changes ...string) string {
	report := `{"state":{"reported":{"state":"FAULT","fault_code":"WAIT_TIMEOUT","retry_count":0,"link":"online","mode":"normal","emergency":false,"maintenance":{"on":false},"occupied":false,"accepting":true,"owner":"R1","ride":{"id":"r-1","robot":"R1","fault_no":1}}}}`
	return strings.NewReplacer(changes...).Replace(report)
}

const idle = `{"state":{"reported":{"state":"IDLE","link":"online","mode":"normal","emergency":false,"maintenance":{"on":false},"occupied":false,"accepting":true}}}`

// OP-9: the table: what a fault, with the lift as it is, asks for; what needs a person,
// or where the robot may be inside, is left alone.
func TestRecoveryTable(t *testing.T) {
	for name, c := range map[string]struct {
		report, other, want string
	}{
		"again":                    {lift(), "", "retry 5"},
		"another has the lift":     {lift(`"owner":"R1"`, `"owner":"R2"`), "", "wait 30"},
		"the lease was given up":   {lift(`"owner":"R1",`, ``), "", "retry 5"},
		"tried three times":        {lift(`"retry_count":0`, `"retry_count":3`), "", "lock 0"},
		"too many people":          {lift("WAIT_TIMEOUT", "OVERLOAD"), "", "wait 60"},
		"another lift is free":     {lift("WAIT_TIMEOUT", "OVERLOAD"), idle, "other_lift 0"},
		"the other is busy":        {lift("WAIT_TIMEOUT", "OVERLOAD"), strings.Replace(idle, "IDLE", "MOVING", 1), "wait 60"},
		"the other is unknown":     {lift("WAIT_TIMEOUT", "OVERLOAD"), strings.Replace(idle, `"mode":"normal",`, "", 1), "wait 60"},
		"inspection":               {lift(`"mode":"normal"`, `"mode":"inspection"`), "", "wait 60"},
		"inspection, another free": {lift(`"mode":"normal"`, `"mode":"inspection"`), idle, "other_lift 0"},
		"the link is unknown":      {lift(`"link":"online",`, ``), "", "wait 60"},
		"fire":                     {lift("WAIT_TIMEOUT", "MODE_FIRE"), idle, ""},
		"emergency stop":           {lift("WAIT_TIMEOUT", "EMERGENCY_STOP"), idle, ""},
		"signals contradict":       {lift("WAIT_TIMEOUT", "SIGNAL_CONFLICT"), idle, ""},
		"a code of tomorrow":       {lift("WAIT_TIMEOUT", "NEW_CODE"), idle, ""},
		"the robot may be inside":  {lift(`"occupied":false`, `"occupied":true`), idle, ""},
		"nobody knows who is in":   {lift(`"occupied":false,`, ``), idle, ""},
		"locked":                   {lift(`"FAULT"`, `"FAULT_LOCKED"`), idle, ""},
		"no ride":                  {lift(`"id":"r-1",`, ``), idle, ""},
	} {
		t.Run(name, func(t *testing.T) {
			g := newStage(t, Options{Planned: true})
			g.say(0, "register", `{"store":"kept","lifts":["L1","L2","L3"],"static":{"groups":{"G1":["L1","L2"],"G2":["L3"]}}}`)
			if c.other != "" {
				g.say(1, "shadow/name/L2/update", c.other)
			}
			g.say(1, "shadow/name/L3/update", idle) // of another group
			g.lines = nil
			g.say(2, "shadow/name/L1/update", c.report)
			d, _ := g.s.Document("GW-1", "L1")
			if c.want == "" {
				g.gives("news")
				if d.Desired != nil {
					t.Errorf("desired %v", d.Desired)
				}
				return
			}
			var do string
			var wait int64
			_, _ = fmt.Sscan(c.want, &do, &wait)
			want := fmt.Sprintf("map[_intents:map[recovery-r-1-1:map[by:recovery fields:[recovery] ttl_s:%d]] recovery:map[do:%s fault_no:1 ride:r-1 wait_s:%d]]", wait+120, do, wait)
			if got := fmt.Sprint(d.Desired); got != want {
				t.Errorf("got  %s\nwant %s", got, want)
			}
		})
	}
}

// One plan for each fault, by whatever it is noticed; the next fault of the ride has its
// own; too many in a while are left to people; nothing without being asked to plan.
func TestRecoveryIsBounded(t *testing.T) {
	g := newStage(t, Options{Planned: true})
	const event = `{"epoch":1,"seq":1,"kind":"ride.fault","lift":"L1","ride":"r-1","code":"WAIT_TIMEOUT"}`
	g.say(0, "events", event) // the shadow does not say so yet
	g.gives("news|recovery")
	g.say(1, "shadow/name/L1/update", lift())
	g.say(2, "shadow/name/L1/update", lift())
	g.say(3, "events", strings.Replace(event, `"seq":1`, `"seq":2`, 1))
	g.gives("news|recovery", "news|recovery|L1|r-1|retry||5")
	for no := 2; no <= 9; no++ {
		g.say(int64(no)*100+1, "shadow/name/L1/update", lift(`"fault_no":1`, fmt.Sprintf(`"fault_no":%d`, no)))
	}
	const tooMany = "news|recovery|L1|r-1|too_many|faults come too often for a plan; somebody has to look|6"
	const retry = "news|recovery|L1|r-1|retry||5"
	g.gives("news|recovery", retry, retry, retry, retry, retry, tooMany, tooMany, retry) // the first is past by then
	quiet := newStage(t, Options{})
	quiet.say(1, "shadow/name/L1/update", lift())
	quiet.gives("news")
}
