package config

import (
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"hoistway/drivers/profiles"
	"hoistway/drivers/profiles/strict"
	"hoistway/fsm/elevator"
)

// One file with five faults: an unknown key, a wrong type, two lifts of one id, a
// floor twice, a profile that does not exist. All are told at once, each at its place.
func TestFiveFaultsAtOnce(t *testing.T) {
	want := []string{
		"testdata/five_faults.yaml:9:17: lifts[0].floors[2].label: floor G is there twice (first in line 8)",
		"testdata/five_faults.yaml:10:5: lifts[0].safe_flor: unknown key (did you mean `safe_floor`?)",
		"testdata/five_faults.yaml:11:9: lifts[1].id: lift L1 is there twice (first in line 3)",
		"testdata/five_faults.yaml:12:14: lifts[1].profile: there is no profile \"bench/modbus-lfit\" (did you mean `bench/modbus-lift`?)",
		"testdata/five_faults.yaml:18:12: rides.retries: wants a whole number, is the text \"many\"",
	}
	c, faults := Load("testdata/five_faults.yaml")
	if c != nil {
		t.Error("there is a Config all the same")
	}
	if got := texts(faults); !reflect.DeepEqual(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

func texts(fs []strict.Fault) []string {
	var out []string
	for _, f := range fs {
		out = append(out, f.Error())
	}
	return out
}

const whole = `device: {serial: GW-8842, kind: lift-gateway, site: {campus: Riverside, building: A}}
lifts:
  - id: L1
    profile: bench/modbus-lift
    link: modbus+tcp://127.0.0.1:1502?unit=1
    floors:
      - {label: B1, wire: 1, doors: [front], robots: refused}
      - {label: G,  wire: 2, doors: [front, rear]}
    group: G1
    recall_floor: G
    safe_floor: B1
    sharing: exclusive
    robot_sight: allowed
    car: {width_m: 1.1, depth_m: 1.4, load_kg: 630, door_m: 0.9}
rides: {wait_timeout: 80s, retries: 2, hold_limit: 50s, hold_renew: 9s, expiry: 14m, standby: 4m}
robots: [{id: R1, token_sha256: "2c26b46b68ffc68ff99b453c1d30413413422d706483bfa0f98a5e886266e7ae", crossing: 7s, footprint_m: [0.5, 0.6], mass_kg: 60}]
api:   {listen: 127.0.0.1:8733, tls: {listen: "0.0.0.0:8734", cert_file: a.pem, key_file: a.key}, technicians: [{name: site-technician, token_sha256: "fcde2b2edba56bf408601fb721fe9b5c338d10ee429ea04fae5511b68fbf8fb9"}]}
cloud: {broker: mqtts://broker.example, flavour: hoistway, connect_spread: 0s, username: gw, password_file: /run/secret, ca_file: ca.pem, cert_file: c.pem, key_file: k.pem, operators: [{name: ops-1, key: 11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo=}]}
profiles: {dir: /srv/profiles}
store: {dir: /tmp/hoistway}
`

// Every key arrives where it belongs.
func TestEveryKeyArrives(t *testing.T) {
	want := Config{
		Device: Device{Serial: "GW-8842", Kind: "lift-gateway", Site: Site{"Riverside", "A"}},
		Lifts: []Lift{{
			ID: "L1", Profile: "bench/modbus-lift", Link: "modbus+tcp://127.0.0.1:1502?unit=1",
			Floors: []Floor{{"B1", 1, []string{"front"}, true}, {"G", 2, []string{"front", "rear"}, false}},
			Group:  "G1", Area: "building", RecallFloor: "G", SafeFloor: "B1", Sharing: "exclusive", RobotSight: "allowed",
			Car: Car{WidthM: 1.1, DepthM: 1.4, DoorM: 0.9, LoadKg: 630},
		}},
		Rides: Rides{
			WaitTimeout: 80 * time.Second, Retries: 2, HoldLimit: 50 * time.Second,
			HoldRenew: 9 * time.Second, Expiry: 14 * time.Minute, Standby: 4 * time.Minute,
		},
		Robots: []Robot{{
			ID: "R1", TokenSHA256: "2c26b46b68ffc68ff99b453c1d30413413422d706483bfa0f98a5e886266e7ae",
			Crossing: 7 * time.Second, FootprintM: [2]float64{0.5, 0.6}, MassKg: 60,
		}},
		API: API{Listen: "127.0.0.1:8733", TLS: &TLS{"0.0.0.0:8734", "a.pem", "a.key"}, Technicians: []Technician{{"site-technician", "fcde2b2edba56bf408601fb721fe9b5c338d10ee429ea04fae5511b68fbf8fb9"}}},
		Cloud: &Cloud{
			Broker: "mqtts://broker.example:8883", Flavour: "hoistway", CAFile: "ca.pem", CertFile: "c.pem", KeyFile: "k.pem",
			Username: "gw", PasswordFile: "/run/secret",
			Operators: []Operator{{"ops-1", unhex(t, "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a")}},
		},
		Store:    Store{Dir: "/tmp/hoistway"},
		Profiles: Profiles{Dir: "/srv/profiles"},
	}
	got := parse(t, whole)
	got.sources = nil
	if !reflect.DeepEqual(*got, want) {
		t.Errorf("got\n%+v\nwant\n%+v", *got, want)
	}
}

func parse(t *testing.T, text string) *Config {
	t.Helper()
	c, faults := Parse("c.yaml", []byte(text), nil)
	for _, f := range faults {
		t.Error(f)
	}
	if c == nil {
		t.FailNow()
	}
	return c
}

func TestDefaults(t *testing.T) {
	want := Config{
		Device: Device{Kind: "lift-gateway"},
		Rides: Rides{
			WaitTimeout: 90 * time.Second, Retries: 3, HoldLimit: time.Minute, HoldRenew: 10 * time.Second,
			Expiry: 15 * time.Minute, Standby: 5 * time.Minute,
		},
		API:      API{Listen: "127.0.0.1:8732"},
		Store:    Store{Dir: "/var/lib/hoistway"},
		Profiles: Profiles{Dir: DefaultProfiles},
	}
	if got := Default(); !reflect.DeepEqual(*got, want) {
		t.Errorf("got %+v\nwant %+v", *got, want)
	}
	c := parse(t, minimal)
	l, r := c.Lifts[0], c.Robots[0]
	if l.Group != "L1" || l.Sharing != "with_people" || l.RobotSight != "refused" || l.RecallFloor != "" || r.Crossing != 8*time.Second {
		t.Errorf("got %+v, %+v", l, r)
	}
}

const minimal = `device: {serial: GW-1}
lifts:
  - id: L1
    profile: bench/modbus-lift
    link: modbus+tcp://10.0.0.7
    floors:
      - {label: 1, wire: 1, doors: [front]}
      - {label: 007, wire: 2, doors: [rear]}
robots: [{id: R1, token_sha256: 2c26b46b68ffc68ff99b453c1d30413413422d706483bfa0f98a5e886266e7ae}]
`

// Labels are taken as the building has them and mapped to the controller's numbers.
// RD-14
func TestWhatOthersAskOfALift(t *testing.T) {
	c := parse(t, minimal)
	table := elevator.Table{
		{Label: "1", Wire: 1, Doors: []elevator.Side{elevator.Front}},
		{Label: "007", Wire: 2, Doors: []elevator.Side{elevator.Rear}},
	}
	if got := c.Lifts[0].Table(); !reflect.DeepEqual(got, table) {
		t.Errorf("table %+v", got)
	}
	if got := c.Lifts[0].URL().String(); got != "modbus+tcp://10.0.0.7:502?unit=1" {
		t.Errorf("URL %s", got)
	}
	if (Lift{Link: "nonsense"}).URL() != nil {
		t.Error("a link that is refused has a URL")
	}
	name, src := c.ProfileSource("L1")
	if name != "bench/modbus-lift" || !strings.Contains(string(src), "id: bench/modbus-lift") {
		t.Errorf("profile %s, %d bytes", name, len(src))
	}
	if name, src := c.ProfileSource("L9"); name != "" || src != nil {
		t.Error("a lift that is not there has a profile")
	}
	bare := Config{Lifts: []Lift{{ID: "L1", Profile: "bench/modbus-lift"}}}
	if _, src := bare.ProfileSource("L1"); len(src) == 0 {
		t.Error("a Config that no file made has no catalog")
	}
}

func TestUnreadableFile(t *testing.T) {
	for path, want := range map[string]string{
		"testdata/absent.yaml": "testdata/absent.yaml:1:1: cannot be read: no such file or directory",
		"testdata":             "testdata:1:1: cannot be read: is not a plain file",
	} {
		_, faults := Load(path)
		if got := texts(faults); len(got) != 1 || got[0] != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
	big := t.TempDir() + "/big.yaml"
	if err := os.WriteFile(big, []byte(strings.Repeat("# more\n", 200_000)), 0o600); err != nil {
		t.Fatal(err)
	}
	_, faults := Load(big)
	if len(faults) != 1 || !strings.Contains(faults[0].Msg, "1048577 bytes") {
		t.Errorf("got %v", texts(faults))
	}
}

// A profile of one's own lies beside the configuration. Its faults come in the
// same list, with its own name and places. A hold that the device never ends is
// taken only with the site's reason.
// DR-7, RD-7, IL-10
func TestProfileFiles(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) {
		if err := os.WriteFile(dir+"/"+name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("mine.yaml", endless)
	write("broken.yaml", strings.Replace(endless, "bit: 0", "bitt: 0", 1))
	lift := "  - {id: %s, profile: %s, link: 'modbus+tcp://10.0.0.7?unit=%d', floors: [{label: G, wire: 1, doors: [front]}]%s}\n"
	head := "device: {serial: GW-1}\nlifts:\n"

	write("fine.yaml", head+fmt.Sprintf(lift, "L1", "./mine.yaml", 1, ", accept_no_end: 'timed relay fitted, 30 s'"))
	c, faults := Load(dir + "/fine.yaml")
	if len(faults) > 0 {
		t.Fatal(texts(faults))
	}
	if name, src := c.ProfileSource("L1"); name != dir+"/mine.yaml" || string(src) != endless {
		t.Errorf("profile %q", name)
	}

	write("bad.yaml", head+fmt.Sprintf(lift, "L1", "./mine.yaml", 1, "")+fmt.Sprintf(lift, "L2", "broken.yaml", 2, "")+
		fmt.Sprintf(lift, "L3", "broken.yaml", 3, "")+fmt.Sprintf(lift, "L4", "./absent.yaml", 4, ""))
	_, faults = Load(dir + "/bad.yaml")
	want := []string{
		dir + "/bad.yaml:3:23: lifts[0].profile: the device never ends a door hold of this profile by itself (fit a timed relay, or write in accept_no_end why the site accepts that)",
		dir + "/bad.yaml:6:23: lifts[3].profile: the profile " + dir + "/absent.yaml cannot be read: no such file or directory",
		dir + "/broken.yaml:8:39: points.door.front.bitt: unknown key (did you mean `bits`?)",
	}
	if got := texts(faults); !reflect.DeepEqual(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

const endless = `id: mine/relay
title: A relay on the door button
protocol: modbus
ride: {style: car-only, confirm: none}
points:
  floor: {address: 0}
  door:
    front: {table: input, address: 1, bit: 0, enum: {0: closed, 1: open}}
commands:
  car_call: {writes: [{table: coil, address: 0, plus: wire, value: 1, pulse: 500ms}]}
  hold: {front: {writes: [{table: coil, address: 9, value: 1}], no_end: true}}
  lapse: {front: {writes: [{table: coil, address: 9, value: 0}]}}
`

// A file in the folder of local profiles goes before the bundled profile of its id, and
// whoever reads it later needs no folder.
// DR-7
func TestLocalProfiles(t *testing.T) {
	dir := t.TempDir()
	own := filepath.Join(dir, "profiles", "bench")
	if err := os.MkdirAll(own, 0o755); err != nil {
		t.Fatal(err)
	}
	write := func(path, text string) {
		t.Helper()
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write(filepath.Join(own, "modbus-lift.yaml"), "id: bench/modbus-lift\ntitle: Ours\nextends: bench/modbus-lift\nmaturity: bench\nride: {accept_within: 4s}\n")
	gateway := strings.Replace(string(Sample()), DefaultProfiles, filepath.Join(dir, "profiles"), 1)
	write(filepath.Join(dir, "gw.yaml"), gateway)
	c, faults := Load(filepath.Join(dir, "gw.yaml"))
	if c == nil {
		t.Fatal(faults)
	}
	name, src := c.ProfileSource("L1")
	p, faults := profiles.Parse(name, src)
	if p == nil || p.Title != "Ours" || p.Traits().AcceptWithin != 4*time.Second {
		t.Errorf("%s: %v", name, faults)
	}
	write(filepath.Join(own, "second.yaml"), "title: no id\n")
	if _, faults := Load(filepath.Join(dir, "gw.yaml")); len(faults) != 1 || !strings.Contains(faults[0].Error(), "second.yaml:1:1: id: is missing") {
		t.Errorf("%v", faults)
	}
}

// IL-8, RD-13: an area of its own, and two decks of one car, arrive where they belong.
func TestAreasAndDecksArrive(t *testing.T) {
	two := strings.Replace(whole, "    group: G1\n", "    area: wing A\n    deck: upper\n", 1)
	two = strings.Replace(two, "car: {width_m", "car: {id: C1, width_m", 1)
	l := parse(t, two).Lifts[0]
	if l.Area != "wing A" || l.Deck != "upper" || l.Car.ID != "C1" {
		t.Errorf("area %q, deck %q, car %q", l.Area, l.Deck, l.Car.ID)
	}
}

func unhex(t *testing.T, s string) []byte {
	b, err := hex.DecodeString(s)
	if err != nil {
		t.Fatal(err)
	}
	return b
}
