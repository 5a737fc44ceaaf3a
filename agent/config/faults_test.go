package config

import (
	"strconv"
	"strings"
	"testing"
)

// One change of a whole file, and what must be said about it, and where.
func TestEachFault(t *testing.T) {
	for _, c := range []struct{ name, old, new, want string }{
		{"lift id", "id: L1", "id: 'L 1'", `3:9: lifts[0].id: "L 1" is not 1 to 32 letters, digits, _ or -`},
		{"lift any", "id: L1", "id: any", `3:9: lifts[0].id: any is the word for no lift in particular`},
		{"serial", "GW-8842,", "GW/8842,", `1:18: device.serial: "GW/8842" is not 1 to 64 letters`},
		{"wire twice", "wire: 2", "wire: 1", `8:27: lifts[0].floors[1].wire: the controller's number 1 is there twice (first in line 7)`},
		{"wire beyond the profile", "wire: 2", "wire: 17", `8:27: lifts[0].floors[1].wire: the controller's numbers run from 1 to 16`},
		{"door word", "[front, rear]", "[front, reer]", "8:45: lifts[0].floors[1].doors[1]: \"reer\" is none of front, rear, left, right (did you mean `rear`?)"},
		{"door twice", "[front, rear]", "[front, front]", `8:45: lifts[0].floors[1].doors[1]: door front is there twice`},
		{"door that the profile lacks", "[front, rear]", "[front, left]", `8:45: lifts[0].floors[1].doors[1]: the controller tells nothing of a left door`},
		{"recall floor", "recall_floor: G", "recall_floor: H", `10:19: lifts[0].recall_floor: the floor table of this lift has no H`},
		{"safe floor", "safe_floor: B1", "safe_floor: B2", "11:17: lifts[0].safe_floor: the floor table of this lift has no B2 (did you mean `B1`?)"},
		{"label empty", "label: B1", "label: ''", `7:17: lifts[0].floors[0].label: "" is not a label`},
		{"label null", "label: B1", "label: ~", `7:17: lifts[0].floors[0].label: has no value`},
		{"label true", "label: B1", "label: true", `7:17: lifts[0].floors[0].label: wants text, is the truth value "true" (put it in quotes if text is meant)`},

		{"scheme of later", "modbus+tcp://", "bacnet://", `5:11: lifts[0].link: links of kind "bacnet" are not supported by this version`},
		{"scheme misspelt", "modbus+tcp://", "modbus+tpc://", "5:11: lifts[0].link: links of kind \"modbus+tpc\" are not supported by this version (did you mean `modbus+tcp`?)"},
		{"no host", "127.0.0.1:1502?unit=1", "?unit=1", `5:11: lifts[0].link: has no host`},
		{"port", ":1502?", ":99999?", `5:11: lifts[0].link: has port "99999"`},
		{"unit", "unit=1", "unit=248", `5:11: lifts[0].link: unit is "248", must be 0 to 247, or 255`},
		{"unit word", "unit=1", "unit=one", `5:11: lifts[0].link: unit is "one"`},
		{"unit twice", "unit=1", "unit=1&unit=2", `5:11: lifts[0].link: unit is there twice`},
		{"parameter", "unit=1", "unti=1", "5:11: lifts[0].link: has no parameter \"unti\" (did you mean `unit`?)"},
		{"path", ":1502?", ":1502/x?", `5:11: lifts[0].link: takes no path, has "/x"`},
		{"user", "127.0.0.1:1502?", "me:secret@127.0.0.1:1502?", `5:11: lifts[0].link: only the place of the device and parameters are taken`},
		{"rtu without device", "modbus+tcp://127.0.0.1:1502?unit=1", "modbus+rtu://ttyS0?unit=1", `5:11: lifts[0].link: has no device (three slashes`},
		{"rtu parity", "modbus+tcp://127.0.0.1:1502?unit=1", "modbus+rtu:///dev/ttyS0?parity=odd1", `5:11: lifts[0].link: parity is "odd1", must be none, even or odd`},
		{"rtu unit 0", "modbus+tcp://127.0.0.1:1502?unit=1", "modbus+rtu:///dev/ttyS0?unit=0", `5:11: lifts[0].link: unit is "0", must be 1 to 247`},

		{"no unit of time", "wait_timeout: 80s", "wait_timeout: 80", `15:23: rides.wait_timeout: wants a duration such as 90s, is the number "80" (say the unit: 80s)`},
		{"wait too long", "wait_timeout: 80s", "wait_timeout: 2h", `15:23: rides.wait_timeout: is 2h, must be 5s to 1h`},
		{"renew past limit", "hold_limit: 50s", "hold_limit: 9s", `15:68: rides.hold_renew: hold_renew (9s) must be less than hold_limit (9s)`},
		{"renew past the device", "hold_renew: 9s", "hold_renew: 30s", `4:14: lifts[0].profile: a door hold of this profile lasts 30s at most, rides.hold_renew is 30s`},
		{"expiry before wait", "expiry: 14m", "expiry: 1m", `15:81: rides.expiry: expiry (1m0s) must be more than wait_timeout (1m20s)`},
		{"retries", "retries: 2", "retries: 11", `15:37: rides.retries: is 11, must be 0 to 10`},

		{"token short", `"2c26`, `"c26`, `16:33: robots[0].token_sha256: (hidden) is not 64 hexadecimal digits`},
		{"token of two", "fcde2b2edba56bf408601fb721fe9b5c338d10ee429ea04fae5511b68fbf8fb9", "2C26B46B68FFC68FF99B453C1D30413413422D706483BFA0F98A5E886266E7AE", `17:151: api.technicians[0].token_sha256: this token is there twice (first in line 16)`},
		{"footprint", "[0.5, 0.6]", "[0.5]", `16:128: robots[0].footprint_m: has 1 element, must have 2`},
		{"listen open", "127.0.0.1:8733", "0.0.0.0:8733", `17:17: api.listen: an address that others can reach needs TLS`},
		{"listen name", "127.0.0.1:8733", "gateway.example:8733", `17:17: api.listen: an address that others can reach needs TLS`},
		{"tls twice", `"0.0.0.0:8734"`, "127.0.0.1:8733", `17:47: api.tls.listen: the door for this machine listens there already`},
		{"tls without key", `, key_file: a.key`, "", `17:38: api.tls.key_file: is missing`},
		{"tls no port", `"0.0.0.0:8734"`, "gateway.example", `17:47: api.tls.listen: "gateway.example" is no address to listen at`},
		{"listen port only", "127.0.0.1:8733", "8733", `17:17: api.listen: wants text, is the number "8733"`},
		{"listen no port", "127.0.0.1:8733", "127.0.0.1", `17:17: api.listen: "127.0.0.1" is no address to listen at`},

		{"broker in the open", "mqtts://broker.example", "mqtt://broker.example", `18:17: cloud.broker: mqtt:// is readable by everyone on the way`},
		{"broker kind", "mqtts://broker.example", "ssl://broker.example", `18:17: cloud.broker: brokers of kind "ssl" are not supported`},
		{"broker password", "mqtts://broker.example", "mqtts://u:hunter2@broker.example", `18:17: cloud.broker: a name and password do not belong in the URL`},
		{"broker path", "mqtts://broker.example", "mqtts://broker.example/x", `18:17: cloud.broker: only host and port are taken`},
		{"flavour", "flavour: hoistway", "flavour: hoistwat", "18:50: cloud.flavour: \"hoistwat\" is none of hoistway, aws (did you mean `hoistway`?)"},
		{"key alone", "cert_file: c.pem, ", "", `18:149: cloud.key_file: needs cert_file beside it`},
		{"password alone", "username: gw, ", "", `18:95: cloud.password_file: needs username beside it`},
		{"operator's key", "Og7hcvPapiMlrwIaaPcHURo=", "Og==", `18:205: cloud.operators[0].key: "11qYAYKxCrfVS/7TyWQHOg==" is not 32 bytes in base64`},
		{"operator twice", "URo=}", "URo=}, {name: ops-1, key: PUAXw+hDiVqStwqnTRt+vJyYLM8uxJaMwM1V8Sr0Zgw=}", `18:259: cloud.operators[1].name: operator ops-1 is there twice (first in line 18)`},
		{"key of two operators", "URo=}", "URo=}, {name: ops-2, key: 11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo=}", `18:271: cloud.operators[1].key: this key 11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo= is there twice (first in line 18)`},
		{"rmf broker in the open", "store: {", "rmf: {broker: 'mqtt://10.0.0.1', prefix: rmf}\nstore: {", `20:15: rmf.broker: mqtt:// is readable by everyone on the way`},
		{"rmf topics", "store: {", "rmf: {prefix: 'a/+'}\nstore: {", `20:15: rmf.prefix: "a/+" is not 1 to 4 levels of a topic`},
		{"rmf login without a broker", "store: {", "rmf: {username: x}\nstore: {", `20:17: rmf.username: needs broker beside it`},
		{"rmf robot", "store: {", "rmf: {robots: [{session: f/r1, robot: R9}]}\nstore: {", `20:39: rmf.robots[0].robot: no robot R9 is listed under robots`},
		{"rmf session twice", "store: {", "rmf: {robots: [{session: f/r1, robot: R1}, {session: f/r1, robot: R1}]}\nstore: {", `20:54: rmf.robots[1].session: session f/r1 is there twice (first in line 20)`},
		{"cloud empty", "store: {", "cloud:\nstore: {", `20:1: cloud: the key is there twice (first in line 18)`},
		{"no lifts", "  - id: L1", "  - {}\n  - id: L1", `3:5: lifts[0].id: is missing`},
		{"deck of no car", "group: G1", "deck: upper", `9:11: lifts[0].deck: needs car.id beside it`},
		{"sharing", "sharing: exclusive", "sharing: alone", `12:14: lifts[0].sharing: "alone" is none of with_people, exclusive`},
	} {
		t.Run(c.name, func(t *testing.T) {
			text := strings.Replace(whole, c.old, c.new, 1)
			if text == whole {
				t.Fatalf("%q is not in the file", c.old)
			}
			conf, faults := Parse("c.yaml", []byte(text), nil)
			if conf != nil {
				t.Error("there is a Config all the same")
			}
			got := strings.Join(texts(faults), "\n")
			if !strings.Contains(got, "c.yaml:"+c.want) {
				t.Errorf("got\n%s\nwant\n%s", got, c.want)
			}
			if strings.Contains(got, "hunter2") || strings.Contains(got, "2c26b46b") || strings.Contains(got, "me:secret") {
				t.Errorf("a secret is repeated: %s", got)
			}
			if len(faults) != 1 && c.name != "no lifts" {
				t.Errorf("%d faults, one change:\n%s", len(faults), got)
			}
		})
	}
}

// Two lifts of one device, or of one line spoken in two ways.
func TestLines(t *testing.T) {
	lift := "  - {id: %s, profile: bench/modbus-lift, floors: [{label: G, wire: 1, doors: [front]}], link: '%s'}\n"
	for _, c := range []struct{ name, a, b, want string }{
		{"one device", "modbus+tcp://10.0.0.7:502?unit=1", "modbus+tcp://10.0.0.7", "the device at this link is there twice (first in line 3)"},
		{"one device by two names", "modbus+tcp://127.0.0.1:502?unit=1", "modbus+tcp://localhost?unit=1", "the device at this link is there twice (first in line 3)"},
		{"one line by two names", "modbus+tcp://127.0.0.1:502?unit=1", "modbus+rtu+tcp://localhost:502?unit=2", "another lift speaks otherwise on the same line"},
		{"two units", "modbus+tcp://10.0.0.7?unit=1", "modbus+tcp://10.0.0.7?unit=2", ""},
		{"two bauds", "modbus+rtu:///dev/ttyS0?unit=1", "modbus+rtu:///dev/ttyS0?unit=2&baud=19200", "another lift speaks otherwise on the same line"},
		{"one baud", "modbus+rtu:///dev/ttyS0?unit=1", "modbus+rtu:///dev/ttyS0?unit=2&baud=9600", ""},
		{"two protocols", "modbus+tcp://10.0.0.7?unit=1", "modbus+rtu+tcp://10.0.0.7?unit=2", "another lift speaks otherwise on the same line"},
	} {
		t.Run(c.name, func(t *testing.T) {
			text := "device: {serial: GW-1}\nlifts:\n" + strings.NewReplacer("%s", "L1").Replace(strings.Replace(lift, "'%s'", "'"+c.a+"'", 1)) +
				strings.NewReplacer("%s", "L2").Replace(strings.Replace(lift, "'%s'", "'"+c.b+"'", 1))
			_, faults := Parse("c.yaml", []byte(text), nil)
			got := strings.Join(texts(faults), "\n")
			if c.want == "" && got != "" || !strings.Contains(got, c.want) {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

// A configuration is bounded.
func TestBounds(t *testing.T) {
	lift := "{id: L%, profile: bench/modbus-lift, link: 'modbus+tcp://10.0.0.%', floors: [{label: G, wire: 1, doors: [front]}]}"
	for _, c := range []struct{ name, lifts, want string }{
		{"no lift", "[]", "lifts: has 0 elements, must have 1 to 16"},
		{"17 lifts", "[" + many(lift, 17) + "]", "lifts: has 17 elements, must have 1 to 16"},
		{"16 lifts", "[" + many(lift, 16) + "]", ""},
		{"65 floors", "[{id: L1, profile: bench/modbus-lift, link: 'modbus+tcp://10.0.0.1', floors: [" + many("{label: F%, wire: %, doors: []}", 65) + "]}]", "lifts[0].floors: has 65 elements, must have 1 to 64"},
		{"no floors", "[{id: L1, profile: bench/modbus-lift, link: 'modbus+tcp://10.0.0.1', floors: []}]", "lifts[0].floors: has 0 elements, must have 1 to 64"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, faults := Parse("c.yaml", []byte("device: {serial: GW-1}\nlifts: "+c.lifts+"\n"), nil)
			got := strings.Join(texts(faults), "\n")
			if (c.want == "") != (got == "") || !strings.Contains(got, c.want) || len(faults) > 1 {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

// many writes a text n times with % as 1 to n.
func many(text string, n int) string {
	out := make([]string, n)
	for i := range out {
		out[i] = strings.ReplaceAll(text, "%", strconv.Itoa(i+1))
	}
	return strings.Join(out, ", ")
}
