package config

import (
	"fmt"
	"net/url"
	"path/filepath"
	"strings"

	"hoistway/drivers/profiles/strict"
)

const kindRobot = "robot"

// asked reports a key that a gateway needs and a robot does not.
func (c *checker) asked(v *strict.Value, key string) {
	if c.sure && v.OK() && !v.Get(key).Given() {
		k := v.Get(key)
		c.fault(k, "is missing", "")
	}
}

// aboard holds the file of a robot's agent to what such an agent does: it rides, and runs
// no lift.
func (c *checker) aboard(root *strict.Value) {
	own, robots := root.Get("robot"), root.Get("robots")
	if !c.onRobot {
		if own.Given() && c.sure {
			c.fault(own, "is of the agent on a robot", "device.kind: robot, or leave it out")
		}
		return
	}
	for _, key := range []string{"rides", "rmf"} {
		if v := root.Get(key); v.Given() {
			c.fault(v, "is the gateway's to say; on a robot it means nothing", "leave it out")
		}
	}
	if v := root.Get("cloud"); v.Given() {
		c.fault(v, "the agent on a robot has no shadow of its own in this version", "the gateway reports the ride")
	}
	if n := len(robots.Items()); n != 1 {
		c.fault(robots, fmt.Sprintf("the agent on a robot serves that robot alone, here are %d", n), "one entry: the id that the gateway knows it by, and the sum of the token by which its software asks here")
	}
	c.displacement(own.Get("displacement"))
}

// gatewaysOwn are settings of a lift that only the gateway before it may have.
var gatewaysOwn = []string{"profile", "recall_floor", "safe_floor", "sharing", "robot_sight", "accept_no_end"}

// behind holds a lift of a robot's agent to a gateway: two masters of one door are one too many.
func (c *checker) behind(l *strict.Value) {
	for _, key := range gatewaysOwn {
		if v := l.Get(key); v.Given() {
			c.fault(v, "is the gateway's to say; on a robot it means nothing", "leave it out")
		}
	}
	v := l.Get("link")
	if !v.OK() {
		return
	}
	u, err := url.Parse(v.Text())
	if err != nil || !strings.HasPrefix(u.Scheme, "hoistway+") {
		if got, ps := parseLink(v.Text()); len(ps) == 0 {
			c.fault(v, fmt.Sprintf("a robot rides by a gateway, and commands no lift by %s", got.scheme), "hoistway+https://gateway:8732?lift=L1&secrets=FILE")
		}
		return
	}
	if u.Scheme == "hoistway+http" && !loopback(u.Hostname()) && u.Hostname() != "" {
		c.fault(v, "hoistway+http is for a gateway on this machine: others could read the token", "hoistway+https")
	}
	if !u.Query().Has("secrets") {
		c.fault(v, "names no secrets: without a token a gateway gives no ride", "secrets=FILE with one line token=…, or secrets=credential:NAME")
	}
}

// displacement reads where the robot's own motion is told.
func (c *checker) displacement(v *strict.Value) {
	if !v.OK() || !v.Given() {
		return
	}
	const looks = "http://127.0.0.1:9100/where, https://host/path, or exec:/path/to/program with its arguments"
	if words, isProgram := strings.CutPrefix(v.Text(), "exec:"); isProgram {
		if f := strings.Fields(words); len(f) == 0 || !filepath.IsAbs(f[0]) {
			c.fault(v, "a program is named by its whole path", looks)
		}
		return
	}
	u, err := url.Parse(v.Text())
	switch {
	case err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "":
		c.fault(v, "is no source of displacement", looks)
	case u.User != nil || u.Fragment != "":
		c.fault(v, "takes no name, password or #", looks)
	case u.Scheme == "http" && !loopback(u.Hostname()):
		c.fault(v, "http:// is for this machine alone: others could tell of a door that is not open", "https://, or a program")
	}
}
