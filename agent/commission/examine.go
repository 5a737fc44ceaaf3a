package commission

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"slices"
	"strings"
	"syscall"
	"time"

	"hoistway/drivers"
	"hoistway/drivers/modbus"
	"hoistway/drivers/profiles"
)

// Examine listens to a controller's Modbus line and asks it a few reads, to find out
// why it does not talk, or how well it does. It has the line for itself and writes
// nothing. For links of other protocols see [World.Visit].
func (w World) Examine(ctx context.Context, u *url.URL, p *profiles.Profile) []Finding {
	w = w.filled()
	x := examination{World: w, url: u, where: LineOf(u), question: firstRead(p), unit: unitOf(u)}
	if !IsModbus(u) {
		return nil
	}
	if isSerial(u) {
		x.port()
		if slices.ContainsFunc(x.found, func(f Finding) bool { return !f.Hint }) {
			return x.found
		}
	}
	m, err := ModeOf(u)
	if err != nil {
		return append(x.found, Finding{Code: "E-1111", What: err.Error(), Where: x.where, Do: "mend the link"})
	}
	x.line(ctx, m)
	return x.found
}

type examination struct {
	World
	url      *url.URL
	where    string
	question []byte
	unit     byte
	found    []Finding
}

func (x *examination) say(code, what, do string) {
	x.found = append(x.found, Finding{Code: code, What: what, Where: x.where, Do: do})
}

// port looks at the port without opening it.
func (x *examination) port() {
	for _, h := range x.Holders(x.url.Path) {
		x.say("E-6009", fmt.Sprintf("process %d (%s) has the port open", h.PID, h.Command), "stop it: a line has one master")
	}
	if strings.HasPrefix(x.url.Path, "/dev/ttyUSB") || strings.HasPrefix(x.url.Path, "/dev/ttyACM") {
		x.say("E-6020", "the name of the port may be another adapter's after a restart", "use its name in /dev/serial/by-id: hoistway ports")
		x.found[len(x.found)-1].Hint = true
	}
}

func (x *examination) line(ctx context.Context, m drivers.SerialMode) {
	raw, err := x.raw(ctx, x.url, m, nil)
	if err != nil {
		x.unopened(err)
		return
	}
	defer func() { _ = raw.Close() }()
	if isSerial(x.url) && x.strangers(ctx, raw) {
		return
	}
	switch s := x.ask(ctx, raw); {
	case s.err != nil:
		x.say("E-6001", "the connection broke: "+s.err.Error(), "the controller may serve one client at a time, and have one already")
	case s.good > 0:
		x.judgeGood(s)
	case s.echo > 0:
		x.found = append(x.found, echoes(x.where))
	default:
		_ = raw.Close()
		x.mute(ctx, m, s)
	}
}

func (x *examination) unopened(err error) {
	switch {
	case errors.Is(err, fs.ErrPermission):
		x.say("E-6008", "this user may not open the port", "add the user to the port's group: hoistway ports shows which")
	case errors.Is(err, fs.ErrNotExist):
		x.say("E-6001", "there is no such port", "is the adapter plugged in? hoistway ports lists what there is")
	case errors.Is(err, syscall.EBUSY):
		x.say("E-6009", "the port is busy", "fuser -v shows who has it")
	case errors.Is(err, syscall.ECONNREFUSED):
		x.say("E-6001", "the connection is refused", "a machine answers at this address, but no program listens on this port: compare the port with the controller's network menu")
	default:
		x.say("E-6001", err.Error(), "look at power, cable and address")
	}
}

// strangers listens before anything is said.
func (x *examination) strangers(ctx context.Context, raw *modbus.Raw) bool {
	in, err := raw.Listen(ctx, 2*time.Second)
	if err != nil || len(in) == 0 {
		return false
	}
	h := heardOf("", in)
	if h.Frames == 0 {
		x.say("E-6017", fmt.Sprintf("%d bytes came unasked, and none is a frame: another setting, or noise", h.Bytes), "hoistway probe finds the setting; else look at bias and termination")
		return false
	}
	x.say("E-6014", fmt.Sprintf("%d frames came in 2 s that nobody here asked for, of units %v", h.Frames, h.Units), "another master is on the line: take one of the two off")
	return true
}

// asked is what a few questions brought.
type asked struct {
	good, silent, damaged, foreign, echo, twice int
	exception                                   byte
	slowest                                     time.Duration
	of                                          byte // who answered in the unit's place
	err                                         error
}

const questions = 5

func (x *examination) ask(ctx context.Context, raw *modbus.Raw) (s asked) {
	wait := max(3*timeoutOf(x.url), 1500*time.Millisecond)
	for range questions {
		rep, err := raw.Ask(ctx, x.unit, x.question, wait)
		if err != nil {
			s.err = err
			return s
		}
		if s.take(rep); s.silent == 2 && s.good == 0 {
			return s // it will not speak at the third either
		}
	}
	return s
}

func (s *asked) take(rep modbus.Reply) {
	if rep.Echo {
		s.echo++
	}
	if rep.Frames > 1 {
		s.twice++
	}
	switch rep.Kind {
	case modbus.Exception:
		s.exception = rep.Code
		s.good++
	case modbus.Answered:
		s.good++
	case modbus.Damaged:
		s.damaged++
	case modbus.Foreign:
		s.foreign++
		s.of = rep.Unit
	case modbus.Silence:
		s.silent++
	}
	s.slowest = max(s.slowest, rep.Took)
}

func (x *examination) judgeGood(s asked) {
	limit := timeoutOf(x.url)
	if s.echo > 0 {
		x.found = append(x.found, echoes(x.where))
	}
	if s.twice > 0 {
		x.found = append(x.found, shared(x.where, x.unit, "one question was answered twice"))
	} else if s.damaged > 0 {
		x.found = append(x.found, shared(x.where, x.unit, "good and damaged answers came in turn (or the cabling is bad)"))
	}
	if s.slowest > limit {
		x.say("E-6015", fmt.Sprintf("the slowest answer took %d ms, the link waits %s", s.slowest.Milliseconds(), limit), fmt.Sprintf("set timeout=%dms in the link", roundUp(2*s.slowest)))
	}
	if s.silent > 0 {
		x.say("E-6002", fmt.Sprintf("%d of %d questions were not answered", s.silent, questions), "look at cabling and at the load of the controller")
	}
	switch s.exception {
	case 0:
	case 10, 11:
		x.say("E-6002", fmt.Sprintf("the gateway answers for the unit (exception %d): it does not reach it", s.exception), "look at the line behind the gateway and at the unit id")
	default:
		x.say("E-6005", fmt.Sprintf("the controller refuses a read of its profile (exception %d)", s.exception), "compare model and firmware with the profile")
	}
}

// mute finds out why the unit does not speak: another unit, or another parity.
func (x *examination) mute(ctx context.Context, m drivers.SerialMode, s asked) {
	if s.foreign > 0 {
		x.say("E-6016", fmt.Sprintf("unit %d answers in the place of unit %d", s.of, x.unit), "set unit in the link, after a look at the controller's menu")
		return
	}
	if u, ok := x.another(ctx, m); ok {
		x.say("E-6016", fmt.Sprintf("unit %d is silent, unit %d answers", x.unit, u), fmt.Sprintf("set unit=%d in the link, after a look at the controller's menu: it may be another lift", u))
		return
	}
	if isSerial(x.url) {
		for _, p := range []string{"none", "even", "odd"} {
			if other := m; p != m.Parity {
				other.Parity = p
				if x.answers(ctx, other) {
					x.say("E-6017", fmt.Sprintf("the unit answers at %s, the link says %s", ModeWords(other), ModeWords(m)), fmt.Sprintf("set parity=%s in the link", p))
					return
				}
			}
		}
	}
	if s.damaged > 0 {
		x.say("E-6017", "somebody answers, but damaged: baud rate, parity or stop bits differ, or the wiring spoils it", "hoistway probe finds the setting")
		return
	}
	x.say("E-6002", "the line is open and nobody answers", "look at unit, baud and parity in the link, at power and A/B; hoistway probe searches")
}

// another asks the first eight units briefly.
func (x *examination) another(ctx context.Context, m drivers.SerialMode) (byte, bool) {
	raw, err := x.raw(ctx, x.url, m, nil)
	if err != nil {
		return 0, false
	}
	defer func() { _ = raw.Close() }()
	for u := byte(1); u <= 8; u++ {
		if u == x.unit {
			continue
		}
		rep, err := raw.Ask(ctx, u, x.question, 250*time.Millisecond)
		if err != nil {
			return 0, false
		}
		if rep.Kind == modbus.Answered || rep.Kind == modbus.Exception && rep.Code != 10 && rep.Code != 11 {
			return u, true
		}
	}
	return 0, false
}

func (x *examination) answers(ctx context.Context, m drivers.SerialMode) bool {
	raw, err := x.raw(ctx, x.url, m, nil)
	if err != nil {
		return false
	}
	defer func() { _ = raw.Close() }()
	rep, err := raw.Ask(ctx, x.unit, x.question, timeoutOf(x.url))
	return err == nil && (rep.Kind == modbus.Answered || rep.Kind == modbus.Exception)
}
