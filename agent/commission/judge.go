package commission

import (
	"fmt"
	"net/url"
	"slices"
	"strings"
	"time"

	"hoistway/drivers"
	"hoistway/drivers/modbus"
	"hoistway/fsm/elevator"
)

// JudgeFrames says what is wrong on a line, from what passed there: of a recording,
// or of the last frames of a running agent.
func JudgeFrames(u *url.URL, frames []drivers.Frame) []Finding {
	j := judge{url: u, where: LineOf(u), tap: modbus.Tap{TCP: u.Scheme == "modbus+tcp"}, rtu: u.Scheme != "modbus+tcp"}
	for _, f := range frames {
		j.frame(f)
	}
	return j.verdict()
}

// judge counts what findings are made of.
type judge struct {
	url   *url.URL
	where string
	tap   modbus.Tap
	rtu   bool

	asked                                elevator.Instant
	reads, writes, silent, noWrite, echo int
	foreign                              int // questions that we did not ask
	late                                 int
	latest                               time.Duration
	spoilt                               int
	strangers                            []byte
}

func (j *judge) frame(f drivers.Frame) {
	if f.Out {
		j.asked = f.At
	} else if f.Note != "" {
		j.dropped(f)
		return
	}
	for _, p := range j.tap.Feed(f) {
		switch {
		case p.Silent:
			j.silent++
		case p.Code == 1 && p.Writes:
			j.noWrite++
		case p.Wrote != nil:
			j.writes++
		case p.Words != nil:
			j.reads++
		}
	}
}

// dropped looks what a piece was that no question took. A whole answer that came
// too late is one of ours; a question is not.
func (j *judge) dropped(f drivers.Frame) {
	if strings.Contains(f.Note, "question came back") {
		j.echo++
		return
	}
	frames, stray := modbus.Overheard(f.Data)
	if !j.rtu {
		frames, stray = nil, 0
	}
	for _, x := range frames {
		switch {
		case len(x.PDU) == 5 && x.PDU[0] <= 4:
			j.foreign++
			if !slices.Contains(j.strangers, x.Unit) {
				j.strangers = append(j.strangers, x.Unit)
			}
		case j.asked != 0:
			j.late++
			j.latest = max(j.latest, f.At.Sub(j.asked))
		}
	}
	if stray > 3 {
		j.spoilt++
	}
	if !j.rtu && strings.Contains(f.Note, "another question") {
		j.late++
		j.latest = max(j.latest, f.At.Sub(j.asked))
	}
}

func (j *judge) verdict() []Finding {
	var out []Finding
	say := func(is bool, code, what, do string) {
		if is {
			out = append(out, Finding{Code: code, What: what, Where: j.where, Do: do})
		}
	}
	if j.echo > 0 {
		out = append(out, echoes(j.where))
	}
	say(j.foreign > 0, "E-6014", fmt.Sprintf("%d questions that we did not ask, to units %v", j.foreign, j.strangers), "find the other master and take one of the two off the line")
	say(j.late > 1, "E-6015", fmt.Sprintf("%d answers came after the time-out, the slowest later than %d ms; the link waits %s", j.late, j.latest.Milliseconds(), timeoutOf(j.url)),
		fmt.Sprintf("set timeout=%dms in the link", roundUp(2*j.latest)))
	say(j.noWrite > 0 && j.writes == 0 && j.reads > 0, "E-6018", fmt.Sprintf("%d writes were refused with exception 1 while reads are fine", j.noWrite),
		"look in the controller's menu for remote control or a licence; then try the other write function")
	say(j.spoilt > 2, "E-6003", fmt.Sprintf("%d pieces that are no frame", j.spoilt), "look at cabling, termination, bias; see hoistway help E-6003")
	say(j.silent > 2 && j.reads == 0 && j.late == 0, "E-6002", fmt.Sprintf("none of %d questions was answered", j.silent), "hoistway help E-6002")
	return out
}

// roundUp gives milliseconds in steps of a hundred.
func roundUp(d time.Duration) int64 { return (d.Milliseconds()/100 + 1) * 100 }
