package config

import (
	"fmt"
	"slices"
	"strings"

	"hoistway/drivers/profiles"
	"hoistway/drivers/profiles/strict"
	"hoistway/fsm/elevator"
	"hoistway/sync/shadow"
)

// checker finds what the schema cannot see. It runs over trees with faults too,
// so it looks only at values that are OK.
type checker struct {
	file       string
	read       func(string) ([]byte, error)
	device     func(path string) string // what it is, by whatever name
	faults     []strict.Fault
	inProfiles []strict.Fault // of the profiles' own files
	sources    map[string]source
	parsed     map[string]*parsed
	library    profiles.Library
	onRobot    bool // device.kind is robot
	sure       bool // of the kind
}

// problem is a fault that does not know its place yet.
type problem struct{ msg, hint string }

func (c *checker) fault(v *strict.Value, msg, hint string) {
	c.faults = append(c.faults, v.Fault(msg, hint))
}

func (c *checker) all(v *strict.Value, ps []problem) {
	for _, p := range ps {
		c.fault(v, p.msg, p.hint)
	}
}

func (c *checker) root(root *strict.Value) {
	c.parsed = map[string]*parsed{}
	kind := root.Get("device").Get("kind")
	c.onRobot, c.sure = kind.Text() == kindRobot, kind.OK()
	c.aboard(root)
	c.lifts(root.Get("lifts"), root.Get("rides"))
	c.rides(root.Get("rides"))
	c.callers(root)
	c.api(root.Get("api"))
	c.cloud(root.Get("cloud"), root.Get("lifts"))
	c.rmf(root.Get("rmf"), root.Get("robots"))
}

// once reports a value that a sibling has too.
type once struct {
	c      *checker
	what   string
	hidden bool // the value is not told
	seen   map[string]int
}

func (c *checker) once(what string) *once { return &once{c: c, what: what, seen: map[string]int{}} }

func (c *checker) onceHidden(what string) *once {
	o := c.once(what)
	o.hidden = true
	return o
}

func (o *once) add(v *strict.Value, key string) {
	if !v.OK() {
		return
	}
	if line, twice := o.seen[key]; twice {
		what := o.what
		if !o.hidden {
			what += " " + key
		}
		o.c.fault(v, what+" is there twice", fmt.Sprintf("first in line %d", line))
		return
	}
	o.seen[key] = v.Line()
}

func (c *checker) lifts(list, rides *strict.Value) {
	ids := c.once("lift")
	lines := lines{c: c, units: c.onceHidden("the device at this link"), mode: map[string]string{}, named: map[string]named{}}
	for _, l := range list.Items() {
		ids.add(l.Get("id"), l.Get("id").Text())
		if l.Get("id").Text() == "any" {
			c.fault(l.Get("id"), "any is the word for no lift in particular", "")
		}
		lines.add(l.Get("link"))
		c.floors(l)
		if c.onRobot {
			c.behind(l)
			continue
		}
		c.asked(l, "profile")
		c.profile(l, rides)
	}
	c.decks(list)
}

// decks need a name each where a car has more than one.
func (c *checker) decks(list *strict.Value) {
	cars := map[string]int{}
	for _, l := range list.Items() {
		cars[l.Get("car").Get("id").Text()]++
	}
	names := c.once("deck")
	for _, l := range list.Items() {
		car, deck := l.Get("car").Get("id"), l.Get("deck")
		switch {
		case car.Given() && car.OK() && cars[car.Text()] > 1 && !deck.Given():
			c.fault(car, "more than one lift is a deck of car "+car.Text(), "deck: upper, and deck: lower for the other")
		case deck.Given() && deck.OK() && !car.Given():
			c.fault(deck, "needs car.id beside it", "the same for all decks of the car")
		case deck.Given() && deck.OK() && car.OK():
			names.add(deck, deck.Text()+" of car "+car.Text())
		}
	}
}

func (c *checker) floors(l *strict.Value) {
	labels, wires := c.once("floor"), c.once("the controller's number")
	var known []string
	sure := true
	for _, f := range l.Get("floors").Items() {
		labels.add(f.Get("label"), f.Get("label").Text())
		if !c.onRobot {
			c.asked(f, "wire")
		}
		wires.add(f.Get("wire"), fmt.Sprint(f.Get("wire").Int()))
		known = append(known, f.Get("label").Text())
		sure = sure && f.Get("label").OK()
		doors := c.once("door")
		for _, d := range f.Get("doors").Items() {
			doors.add(d, d.Text())
		}
	}
	for _, key := range []string{"recall_floor", "safe_floor"} {
		v := l.Get(key)
		if v.OK() && v.Given() && sure && len(known) > 0 && !slices.Contains(known, v.Text()) {
			c.fault(v, "the floor table of this lift has no "+v.Text(), strict.DidYouMean(v.Text(), known))
		}
	}
}

func (c *checker) rides(v *strict.Value) {
	limit, renew := v.Get("hold_limit"), v.Get("hold_renew")
	if limit.OK() && renew.OK() && renew.Duration() >= limit.Duration() {
		c.fault(renew, fmt.Sprintf("hold_renew (%s) must be less than hold_limit (%s)", renew.Duration(), limit.Duration()), "")
	}
	wait, expiry := v.Get("wait_timeout"), v.Get("expiry")
	if wait.OK() && expiry.OK() && expiry.Duration() <= wait.Duration() {
		c.fault(expiry, fmt.Sprintf("expiry (%s) must be more than wait_timeout (%s)", expiry.Duration(), wait.Duration()), "")
	}
}

// callers are robots and technicians: a name and a token each.
func (c *checker) callers(root *strict.Value) {
	ids, names, tokens := c.once("robot"), c.once("technician"), c.onceHidden("this token")
	for _, r := range root.Get("robots").Items() {
		ids.add(r.Get("id"), r.Get("id").Text())
		tokens.add(r.Get("token_sha256"), strings.ToLower(r.Get("token_sha256").Text()))
	}
	for _, t := range root.Get("api").Get("technicians").Items() {
		names.add(t.Get("name"), t.Get("name").Text())
		tokens.add(t.Get("token_sha256"), strings.ToLower(t.Get("token_sha256").Text()))
	}
}

func (c *checker) api(v *strict.Value) {
	l, other := v.Get("listen"), v.Get("tls").Get("listen")
	if l.OK() {
		c.all(l, listenProblems(l.Text(), false))
	}
	if !v.Get("tls").Given() || !other.OK() {
		return
	}
	c.all(other, listenProblems(other.Text(), true))
	if l.OK() && l.Text() == other.Text() {
		c.fault(other, "the door for this machine listens there already", "another port")
	}
}

func (c *checker) cloud(v, lifts *strict.Value) {
	if !v.Given() {
		return
	}
	c.broker(v)
	names, keys := c.once("operator"), c.once("this key")
	for _, o := range v.Get("operators").Items() {
		names.add(o.Get("name"), o.Get("name").Text())
		keys.add(o.Get("key"), o.Get("key").Text())
	}
	if v.Get("flavour").Text() != AWS {
		return
	}
	for _, l := range lifts.Items() {
		if id := l.Get("id"); id.Text() == shadow.StaticShadow {
			c.fault(id, "with cloud.flavour aws the shadow of this name holds the static facts", "another id, such as L1")
		}
	}
}

// broker looks at an address and at what goes with it.
func (c *checker) broker(v *strict.Value) {
	broker := v.Get("broker")
	plain := false
	if broker.OK() && broker.Given() {
		_, ps := parseBroker(broker.Text())
		c.all(broker, ps)
		plain = len(ps) == 0 && strings.HasPrefix(broker.Text(), "mqtt:")
	}
	c.together(v, "cert_file", "key_file")
	c.together(v, "key_file", "cert_file")
	c.together(v, "password_file", "username")
	for _, key := range []string{"ca_file", "cert_file", "key_file"} {
		if f := v.Get(key); f.Given() && plain {
			c.fault(f, "an mqtt:// broker is spoken to without TLS", "use mqtts://, or leave it out")
		}
	}
}

// rmf holds each session to one robot: two of them would ride on one word.
func (c *checker) rmf(v, robots *strict.Value) {
	if !v.Given() {
		return
	}
	c.broker(v)
	for _, key := range []string{"ca_file", "cert_file", "username"} {
		c.together(v, key, "broker")
	}
	var ids []string
	sure := true
	for _, r := range robots.Items() {
		ids = append(ids, r.Get("id").Text())
		sure = sure && r.Get("id").OK()
	}
	names := c.once("session")
	for _, s := range v.Get("robots").Items() {
		name, robot := s.Get("session"), s.Get("robot")
		names.add(name, name.Text())
		if robot.OK() && sure && !slices.Contains(ids, robot.Text()) {
			c.fault(robot, "no robot "+robot.Text()+" is listed under robots", strict.DidYouMean(robot.Text(), ids))
		}
		if name.OK() && robot.OK() && name.Text() != robot.Text() && slices.Contains(ids, name.Text()) {
			c.fault(name, "is the id of another robot", "")
		}
	}
}

// together reports a key that means nothing without another.
func (c *checker) together(v *strict.Value, key, with string) {
	if v.Get(key).Given() && !v.Get(with).Given() {
		c.fault(v.Get(key), "needs "+with+" beside it", "")
	}
}

// sideOf is the side that a word of the schema names.
func sideOf(v *strict.Value) elevator.Side {
	s, _ := elevator.ParseSide(v.Text())
	return s
}
