package commission

import (
	"fmt"
	"net/url"

	"hoistway/drivers"
	"hoistway/drivers/modbus"
)

// take looks what a reply is worth; an answer and a valid no both prove a unit.
func (r *scan) take(rep modbus.Reply, u byte, setting string, m drivers.SerialMode) bool {
	r.seen[rep.Kind]++
	if rep.Kind == modbus.Damaged {
		r.spoil[setting]++
	}
	if rep.Kind == modbus.Exception && (rep.Code == 10 || rep.Code == 11) {
		r.seen[rep.Kind]-- // a gateway says that nobody is there
		r.seen[modbus.Silence]++
		return false
	}
	if rep.Kind != modbus.Answered && rep.Kind != modbus.Exception {
		return false
	}
	r.found.Unit, r.found.mode, r.found.Done = u, m, true
	if isSerial(r.Link) {
		r.found.Setting = setting
	}
	r.found.Link = linkWith(r.Link, m, u).String()
	r.found.Answer = rep.Kind.String()
	if rep.Kind == modbus.Exception {
		r.found.Answer = fmt.Sprintf("exception %d", rep.Code)
	}
	if rep.Echo {
		r.found.Notes = append(r.found.Notes, echoes(LineOf(r.Link)))
	}
	if rep.Frames > 1 {
		r.found.Notes = append(r.found.Notes, shared(LineOf(r.Link), u, "two answers came upon one question"))
	}
	return true
}

// linkWith is the link with what was found filled in.
func linkWith(u *url.URL, m drivers.SerialMode, unit byte) *url.URL {
	out := *u
	q := out.Query()
	q.Set("unit", fmt.Sprint(unit))
	if isSerial(u) {
		q.Set("baud", fmt.Sprint(m.Baud))
		q.Set("parity", m.Parity)
		q.Set("stop", fmt.Sprint(m.StopBits))
	}
	out.RawQuery = q.Encode()
	return &out
}

// explain says what it means that nothing, or only something odd, was found.
func (r *scan) explain() []Finding {
	where := LineOf(r.Link)
	if r.found.Link != "" || r.found.Setting != "" || r.found.Tries == 0 {
		return nil
	}
	switch {
	case r.seen[modbus.EchoOnly] > 0:
		return []Finding{echoes(where)}
	case len(r.spoil) > 0:
		best, n := "", 0
		for s, k := range r.spoil {
			if k > n || k == n && s < best {
				best, n = s, k
			}
		}
		return []Finding{{
			Code: "E-6017", Where: where, What: fmt.Sprintf("somebody answers at %s, but damaged (%d times): the baud rate is near, parity or stop bits differ", best, n),
			Do: "try --settings all; if it stays, look at termination and bias",
		}}
	case r.seen[modbus.Foreign] > 0:
		return []Finding{{Code: "E-6016", Where: where, What: "answers of another unit came", Do: "widen --units"}}
	case !isSerial(r.Link) && r.found.Done:
		return []Finding{{Code: "E-6022", Where: where, What: "the port is open, and none of the units answers", Do: "widen --units (0 and 255 as well); the controller may serve one client at a time and have one"}}
	case r.found.Done:
		return []Finding{{Code: "E-6022", Where: where, What: "silence at every setting: no unit is powered, wired and of these ids", Do: "look at power, A/B and the common wire, then at the unit id in the controller's menu"}}
	}
	return nil
}
