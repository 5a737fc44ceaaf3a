package config

import (
	"strings"
	"testing"
	"time"
)

// onRobot is the whole file of a robot's agent.
const onRobot = `device: {serial: R1-box, kind: robot}
lifts:
  - id: L1
    link: hoistway+https://gateway.site:8732?lift=L1&secrets=/etc/hoistway/gateway.secret
    floors:
      - {label: B1, doors: [front]}
      - {label: G, doors: [front, rear]}
robots: [{id: R1, token_sha256: 2c26b46b68ffc68ff99b453c1d30413413422d706483bfa0f98a5e886266e7ae}]
robot: {displacement: http://127.0.0.1:9100/where, every: 250ms}
store: {dir: /tmp/hoistway}
`

// SH-21 and the roles: one program; on a robot it has neither profile nor controller's numbers.
func TestRobotIsFine(t *testing.T) {
	c, faults := Parse("robot.yaml", []byte(onRobot), nil)
	if len(faults) > 0 {
		t.Fatal(faults)
	}
	want := Aboard{Displacement: "http://127.0.0.1:9100/where", Every: 250 * time.Millisecond, Timeout: time.Second}
	if c.Robot != want || !c.Device.OnRobot() || c.Lifts[0].Table().ByLabel("G") != 2 {
		t.Errorf("%+v", c)
	}
	copied := strings.Replace(onRobot, "label: G,", "label: G, wire: 7,", 1) // a gateway's table, as it is
	if _, faults := Parse("robot.yaml", []byte(copied), nil); len(faults) > 0 {
		t.Errorf("%v", faults)
	}
}

// One change of a robot's file, and what must be said about it, and where.
func TestEachFaultOfARobot(t *testing.T) {
	for _, c := range []struct{ name, old, new, want string }{
		{"a controller", "hoistway+https://gateway.site:8732?lift=L1&secrets=/etc/hoistway/gateway.secret", "modbus+tcp://10.0.0.7?unit=1", "4:11: lifts[0].link: a robot rides by a gateway, and commands no lift by modbus+tcp"},
		{"in the clear", "hoistway+https", "hoistway+http", "4:11: lifts[0].link: hoistway+http is for a gateway on this machine"},
		{"no token", "&secrets=/etc/hoistway/gateway.secret", "", "4:11: lifts[0].link: names no secrets"},
		{"misspelt link", "hoistway+https", "hoistway+htps", "links of kind \"hoistway+htps\" are not supported"},
		{"profile", "    floors:\n", "    profile: bench/modbus-lift\n    floors:\n", "5:14: lifts[0].profile: is the gateway's to say"},
		{"safe floor", "    floors:\n", "    safe_floor: G\n    floors:\n", "5:17: lifts[0].safe_floor: is the gateway's to say"},
		{"rides", "store:", "rides: {retries: 2}\nstore:", "10:8: rides: is the gateway's to say"},
		{"rmf", "store:", "rmf: {}\nstore:", "10:6: rmf: is the gateway's to say"},
		{"cloud", "store:", "cloud: {broker: 'mqtts://b.example'}\nstore:", "10:8: cloud: the agent on a robot has no shadow of its own"},
		{"no robot", "robots: [{id: R1, token_sha256: 2c26b46b68ffc68ff99b453c1d30413413422d706483bfa0f98a5e886266e7ae}]\n", "", "robots: the agent on a robot serves that robot alone, here are 0"},
		{"displacement in the clear", "http://127.0.0.1:9100/where", "http://10.0.0.9/where", "9:23: robot.displacement: http:// is for this machine alone"},
		{"displacement of nothing", "http://127.0.0.1:9100/where", "where", "9:23: robot.displacement: is no source of displacement"},
		{"a program without a path", "http://127.0.0.1:9100/where", "'exec:where --json'", "9:23: robot.displacement: a program is named by its whole path"},
		{"password", "http://127.0.0.1:9100/where", "http://me:you@127.0.0.1/where", "9:23: robot.displacement: takes no name, password or #"},
		{"too often", "every: 250ms", "every: 1ms", "robot.every: is 1ms, must be 100ms to 10s"},
		{"a gateway with senses", "kind: robot", "kind: lift-gateway", "9:8: robot: is of the agent on a robot"},
		{"a gateway without a profile", "kind: robot", "kind: lift-gateway", "3:5: lifts[0].profile: is missing"},
		{"a gateway without numbers", "kind: robot", "kind: lift-gateway", "6:9: lifts[0].floors[0].wire: is missing"},
	} {
		t.Run(c.name, func(t *testing.T) {
			src := strings.Replace(onRobot, c.old, c.new, 1)
			if src == onRobot {
				t.Fatal("nothing was changed")
			}
			conf, faults := Parse("robot.yaml", []byte(src), nil)
			var said []string
			found := false
			for _, f := range faults {
				said = append(said, f.Error())
				found = found || strings.Contains(f.Error(), c.want)
			}
			if conf != nil || !found {
				t.Errorf("want %q, got\n%s", c.want, strings.Join(said, "\n"))
			}
		})
	}
}
