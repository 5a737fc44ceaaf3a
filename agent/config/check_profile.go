package config

import (
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"hoistway/drivers/profiles"
	"hoistway/drivers/profiles/strict"
	"hoistway/fsm/elevator"
)

// parsed is a profile as far as it could be had; nil inside when it could not.
type parsed struct {
	p     *profiles.Profile
	wrong []problem // why it cannot be had
}

// profile finds the profile of a lift and holds the lift against it.
func (c *checker) profile(l, rides *strict.Value) {
	v := l.Get("profile")
	if !v.OK() {
		return
	}
	got, ok := c.parsed[v.Text()]
	if !ok {
		got = c.find(v.Text())
		c.parsed[v.Text()] = got
	}
	c.all(v, got.wrong)
	if got.p != nil {
		c.fits(l, got.p)
		c.ends(l, rides, got.p)
	}
}

// find reads a profile once, from the catalog or from a file. The faults of a file
// are its own and are told once.
func (c *checker) find(ref string) *parsed {
	s, wrong := c.source(ref)
	if len(wrong) > 0 {
		return &parsed{wrong: wrong}
	}
	p, faults := c.library.Parse(s.name, s.src)
	c.inProfiles = append(c.inProfiles, faults...)
	if p != nil && p.Extends() {
		s.src = p.Resolved() // whoever reads it again has no library
	}
	c.sources[ref] = s
	return &parsed{p: p}
}

func (c *checker) source(ref string) (source, []problem) {
	if name, src, ok := c.library.Lookup(ref); ok {
		return source{name, src}, nil
	}
	if !isPath(ref) {
		hint := strict.DidYouMean(ref, c.library.IDs())
		if hint == "" {
			hint = "the catalog has " + strings.Join(c.library.IDs(), ", ") + "; a file is ./name.yaml"
		}
		return source{}, []problem{{fmt.Sprintf("there is no profile %q", ref), hint}}
	}
	path := ref
	if !filepath.IsAbs(path) {
		path = filepath.Join(filepath.Dir(c.file), path)
	}
	if c.read == nil {
		return source{}, []problem{{"no profile files can be read here", "use a catalog id"}}
	}
	src, err := c.read(path)
	if err != nil {
		return source{}, []problem{{"the profile " + path + " " + reason(err), ""}}
	}
	return source{path, src}, nil
}

func isPath(ref string) bool {
	for _, start := range []string{"/", "./", "../"} {
		if strings.HasPrefix(ref, start) {
			return true
		}
	}
	return strings.HasSuffix(ref, ".yaml") || strings.HasSuffix(ref, ".yml")
}

// fits holds the floor table against what the controller can say.
func (c *checker) fits(l *strict.Value, p *profiles.Profile) {
	lo, hi := p.WireRange()
	some := false
	for s := elevator.Front; int(s) < elevator.Sides; s++ {
		some = some || p.HasDoor(s)
	}
	for _, f := range l.Get("floors").Items() {
		if w := f.Get("wire"); w.OK() && (w.Int() < lo || w.Int() > hi) {
			c.fault(w, fmt.Sprintf("the controller's numbers run from %d to %d", lo, hi), "by profile "+p.ID)
		}
		for _, d := range f.Get("doors").Items() {
			if some && d.OK() && !p.HasDoor(sideOf(d)) {
				c.fault(d, "the controller tells nothing of a "+d.Text()+" door", "by profile "+p.ID)
			}
		}
	}
}

// ends holds the profile's holds against what a ride needs of them.
func (c *checker) ends(l, rides *strict.Value, p *profiles.Profile) {
	t := p.Traits()
	if t.HasHold && t.DiesAfter == 0 && !l.Get("accept_no_end").Given() {
		c.fault(l.Get("profile"), "the device never ends a door hold of this profile by itself",
			"fit a timed relay, or write in accept_no_end why the site accepts that")
	}
	renew := rides.Get("hold_renew")
	if most := p.LongestHold(); most > 0 && renew.OK() && most < renew.Duration()+time.Second {
		c.fault(l.Get("profile"), fmt.Sprintf("a door hold of this profile lasts %s at most, rides.hold_renew is %s", most, renew.Duration()), "set a shorter hold_renew")
	}
}
