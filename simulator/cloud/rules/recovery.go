package rules

import (
	"fmt"
	"slices"

	"hoistway/sync/shadow"
)

// What the planner of recoveries may do.
const (
	plansMost  = 6       // of one lift
	plansIn    = 15 * 60 // seconds
	planLife   = 120     // seconds that a plan holds beyond its wait
	retryMost  = 3       // then the ride is locked
	busyWait   = 30      // seconds for a lift that somebody else uses
	causeWait  = 60      // seconds for a cause to go
	retryPause = 5       // seconds before a ride tries again
)

// plans are those of one lift.
type plans struct {
	ride    string // of the last
	faultNo int64
	at      []int64 // of the latest, epoch seconds
}

// remedy is what a kind of fault asks for.
type remedy uint8

const (
	leaveIt remedy = iota // the device ends it, or a person must
	tryAgain
	waitForCause
)

// remedies by fault code. What is not here is left to the device and to people: fire,
// an emergency stop, an invariant, a robot whose place is in doubt.
var remedies = map[string]remedy{
	"CALL_NOT_ACCEPTED": tryAgain, "WAIT_TIMEOUT": tryAgain, "DOOR_CLOSED_EARLY": tryAgain, "BOARD_TIMEOUT": tryAgain,
	"NETWORK_TIMEOUT": tryAgain, "IO_ERROR": tryAgain, "RESTARTED": tryAgain, "CLAIM_REFUSED": tryAgain,
	"OVERLOAD": waitForCause, "BUSY": waitForCause, "STALE": waitForCause, "LINK_LOST": waitForCause,
	"MODE_INSPECTION": waitForCause, "MODE_INDEPENDENT": waitForCause, "OUT_OF_SERVICE": waitForCause,
}

// heal reads a lift that reports a fault, and wishes what is to be done about it,
// once for each fault.
func (c *call) heal(lift string) {
	d := c.thing.shadows[lift]
	ride, _ := d.Reported["ride"].(shadow.Tree)
	id, _ := ride["id"].(string)
	no, numbered := integer(ride["fault_no"])
	if !c.service.options.Planned || lift == "" || d.Reported["state"] != "FAULT" || id == "" || !numbered {
		return
	}
	p := c.thing.plansOf(lift)
	if p.ride == id && p.faultNo == no {
		return
	}
	p.ride, p.faultNo = id, no
	do, wait := c.remedy(lift, d.Reported)
	if do == "" {
		return
	}
	p.at = slices.DeleteFunc(p.at, func(at int64) bool { return c.now-at >= plansIn })
	if len(p.at) >= plansMost {
		c.tell(News{Kind: Recovery, Shadow: lift, ID: id, Code: "too_many", Count: plansMost, Text: "faults come too often for a plan; somebody has to look"})
		return
	}
	p.at = append(p.at, c.now)
	c.plan(lift, id, no, do, wait)
}

func (t *thing) plansOf(lift string) *plans {
	if t.plans == nil {
		t.plans = map[string]*plans{}
	}
	if t.plans[lift] == nil {
		t.plans[lift] = &plans{}
	}
	return t.plans[lift]
}

// remedy is the table: "" leaves it alone.
func (c *call) remedy(lift string, reported shadow.Tree) (do string, wait int64) {
	code, _ := reported["fault_code"].(string)
	tries, _ := integer(reported["retry_count"])
	kind := remedies[code]
	switch {
	case kind == leaveIt || reported["occupied"] != false: // or the robot may be inside
		return "", 0
	case kind == tryAgain && tries >= retryMost:
		return "lock", 0
	case (kind == waitForCause || !usable(reported)) && c.otherFree(lift):
		return "other_lift", 0
	case kind == waitForCause || !usable(reported):
		return "wait", causeWait
	case usedByAnother(reported):
		return "wait", busyWait
	}
	return "retry", retryPause
}

func usedByAnother(reported shadow.Tree) bool {
	ride, _ := reported["ride"].(shadow.Tree)
	return reported["owner"] != nil && reported["owner"] != ride["robot"]
}

// usable: the lift is there and runs for everybody. What is unknown is not usable.
func usable(reported shadow.Tree) bool {
	return reported["link"] == "online" && reported["mode"] == "normal" && reported["emergency"] == false && off(reported["maintenance"])
}

// off: a level that says so.
func off(level any) bool {
	t, _ := level.(shadow.Tree)
	return t["on"] == false
}

// otherFree: another lift of the same group could take the ride at once.
func (c *call) otherFree(lift string) bool {
	static, _ := c.thing.facts.Facts["static"].(shadow.Tree)
	groups, _ := static["groups"].(shadow.Tree)
	for _, group := range groups {
		lifts, _ := group.([]any)
		if slices.Contains(lifts, any(lift)) && slices.ContainsFunc(lifts, func(other any) bool { return other != lift && c.free(other) }) {
			return true
		}
	}
	return false
}

func (c *call) free(lift any) bool {
	name, _ := lift.(string)
	r := c.thing.shadows[name].Reported
	return usable(r) && r["state"] == "IDLE" && r["occupied"] == false && r["accepting"] == true
}

func (c *call) plan(lift, ride string, no int64, do string, wait int64) {
	id := fmt.Sprintf("recovery-%s-%d", ride, no)
	patch := shadow.Tree{
		"recovery": shadow.Tree{"do": do, "wait_s": number(wait), "ride": ride, "fault_no": number(no)},
		intentsKey: shadow.Tree{id: shadow.Tree{"fields": []any{"recovery"}, "ttl_s": number(wait + planLife), "by": "recovery"}},
	}
	if err := c.write(lift, shadow.Update{Desired: superseded(c.thing.shadows[lift], patch)}); err != nil {
		c.result.Note = "no plan: " + err.Error()
		return
	}
	c.tell(News{Kind: Recovery, Shadow: lift, ID: ride, Code: do, Count: wait})
}
