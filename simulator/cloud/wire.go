package cloud

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"hoistway/simulator/cloud/rules"
	"hoistway/sync/shadow"
)

// What can go wrong with a message on its way to a thing, by name.
const (
	Delay     = "delay"
	Duplicate = "duplicate"
	Reorder   = "reorder" // it comes after the next one to its thing, or a second late
	Lose      = "lose"
)

// The service's own troubles are the rules': refuse, throttle, wrong-version.

const (
	maxFaults    = 100
	longestDelay = 10 * time.Minute
)

// Fault is a trouble on demand.
type Fault struct {
	Name    string `json:"name"`
	Serial  string `json:"serial,omitempty"`   // "" = every thing
	Topic   string `json:"topic,omitempty"`    // its end, as update/accepted; "" = every topic. Of a service's trouble: the request's, as update
	Times   int    `json:"times,omitempty"`    // messages; 0 = until it is called off
	DelayMS int64  `json:"delay_ms,omitempty"` // of delay; 0 = 1000
	Code    int    `json:"code,omitempty"`     // of refuse; 0 = 500
}

// FaultNames are all names that [Cloud.Trouble] knows.
func FaultNames() []string {
	names := []string{Delay, Duplicate, Reorder, Lose}
	for _, k := range rules.TroubleKinds() {
		names = append(names, string(k))
	}
	return names
}

// check says what of a fault cannot be.
func (f Fault) check() error {
	switch {
	case !slices.Contains(FaultNames(), f.Name):
		return fmt.Errorf("no fault %q: there are %s", f.Name, strings.Join(FaultNames(), ", "))
	case f.Serial != "" && !shadow.ValidName(f.Serial):
		return fmt.Errorf("fault %s: %q is no serial", f.Name, f.Serial)
	case f.Times < 0 || f.DelayMS < 0 || f.DelayMS > longestDelay.Milliseconds():
		return fmt.Errorf("fault %s: times is 0 or more, the delay at most %v", f.Name, longestDelay)
	case f.Code != 0 && (f.Code < 400 || f.Code > 599):
		return fmt.Errorf("fault %s: code %d: want 400 to 599", f.Name, f.Code)
	}
	return nil
}

// ParseFault reads a fault from one line: its name, then, with commas between, serial=,
// topic=, times=, delay= (a duration) and code=.
func ParseFault(text string) (Fault, error) {
	name, rest, _ := strings.Cut(text, ",")
	f := Fault{Name: name}
	for part := range strings.SplitSeq(rest, ",") {
		key, value, _ := strings.Cut(part, "=")
		var err error
		switch key {
		case "":
		case "serial":
			f.Serial = value
		case "topic":
			f.Topic = value
		case "times":
			f.Times, err = strconv.Atoi(value)
		case "code":
			f.Code, err = strconv.Atoi(value)
		case "delay":
			var d time.Duration
			d, err = time.ParseDuration(value)
			f.DelayMS = d.Milliseconds()
		default:
			err = errors.New("want serial=, topic=, times=, delay= or code=")
		}
		if err != nil {
			return Fault{}, fmt.Errorf("fault %s: %q: %w", name, part, err)
		}
	}
	return f, f.check()
}

// Trouble begins a fault. The error says what of it cannot be.
func (c *Cloud) Trouble(f Fault) error {
	if err := f.check(); err != nil {
		return err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.faults)+len(c.service.Troubles()) >= maxFaults {
		return fmt.Errorf("%d faults are on already", maxFaults)
	}
	if !c.service.Trouble(rules.Trouble{Kind: rules.TroubleKind(f.Name), Serial: f.Serial, Request: f.Topic, Times: f.Times, Code: f.Code}) {
		c.faults = append(c.faults, f)
	}
	return nil
}

// Troubles are the faults that are on.
func (c *Cloud) Troubles() []Fault {
	c.mu.Lock()
	defer c.mu.Unlock()
	out := slices.Clone(c.faults)
	for _, t := range c.service.Troubles() {
		out = append(out, Fault{Name: string(t.Kind), Serial: t.Serial, Topic: t.Request, Times: t.Times, Code: t.Code})
	}
	return out
}

// Calm calls all faults off.
func (c *Cloud) Calm() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.faults = nil
	c.service.Calm()
	c.release()
}

// meet is the first fault that a message runs into, and counts it; mu is held.
func (c *Cloud) meet(m shadow.Message) (Fault, bool) {
	rest := strings.TrimPrefix(m.Topic, c.root+"/")
	i := slices.IndexFunc(c.faults, func(f Fault) bool {
		serial, _, _ := strings.Cut(rest, "/")
		return (f.Serial == "" || f.Serial == serial) && (f.Topic == "" || strings.HasSuffix(m.Topic, "/"+f.Topic))
	})
	if i < 0 {
		return Fault{}, false
	}
	f := c.faults[i]
	if f.Times == 1 {
		c.faults = slices.Delete(c.faults, i, i+1)
	} else if f.Times > 1 {
		c.faults[i].Times--
	}
	return f, true
}

// onItsWay is what becomes of a message: how often it goes out and how late, and whether
// it waits for the next one to pass.
func (c *Cloud) onItsWay(m shadow.Message) (copies int, late time.Duration, held bool) {
	copies, late = c.post(m)
	f, met := c.meet(m)
	if !met {
		return copies, late, false
	}
	switch f.Name {
	case Lose:
		copies = 0
	case Duplicate:
		copies *= 2
	case Delay:
		late += f.delay()
	case Reorder:
		held = true
	}
	return copies, late, held
}

func (f Fault) delay() time.Duration {
	if f.DelayMS == 0 {
		return time.Second
	}
	return time.Duration(f.DelayMS) * time.Millisecond
}

// release sends what was held back; mu is held.
func (c *Cloud) release() {
	for lane, p := range c.held {
		delete(c.held, lane)
		c.push(lane, p, 1)
	}
}
