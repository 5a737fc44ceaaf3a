package modbus

import (
	"net/url"
	"reflect"
	"strings"
	"testing"
	"time"

	"hoistway/drivers"
	"hoistway/drivers/fieldbus"
	"hoistway/drivers/profiles"
)

func TestTargets(t *testing.T) {
	rtu := func(path string, baud int, parity string, stop int) fieldbus.Spec {
		return fieldbus.Spec{
			Network: fieldbus.Serial, Address: path, Speech: "modbus-rtu", Blind: true,
			Mode: drivers.SerialMode{Baud: baud, DataBits: 8, Parity: parity, StopBits: stop},
		}
	}
	tcp := func(at string) fieldbus.Spec {
		return fieldbus.Spec{Network: fieldbus.TCP, Address: at, Speech: "modbus-tcp"}
	}
	for link, want := range map[string]target{
		"modbus+tcp://10.0.0.5:1502?unit=7": {line: tcp("10.0.0.5:1502"), rtu: false, unit: 7, timeout: time.Second},
		"modbus+tcp://lift":                 {line: tcp("lift:502"), rtu: false, unit: 1, timeout: time.Second},
		"modbus+tcp://[fe80::1]:502?unit=0": {line: tcp("[fe80::1]:502"), rtu: false, unit: 0, timeout: time.Second},
		"modbus+tcp://lift?unit=255":        {line: tcp("lift:502"), rtu: false, unit: 255, timeout: time.Second},
		"modbus+tcp://lift/?timeout=250ms":  {line: tcp("lift:502"), rtu: false, unit: 1, timeout: 250 * time.Millisecond, timed: true},
		"modbus+rtu:///dev/ttyUSB0":         {line: rtu("/dev/ttyUSB0", 9600, "none", 1), rtu: true, unit: 1, timeout: 500 * time.Millisecond},
		"modbus+rtu:///dev/x?baud=19200&parity=even&stop=2&unit=247&timeout=1s": {
			line: rtu("/dev/x", 19200, "even", 2), rtu: true, unit: 247, timeout: time.Second, timed: true,
		},
		"modbus+rtu:///dev/x?echo=on&unit=255": {
			line: rtu("/dev/x", 9600, "none", 1), rtu: true, unit: 255, timeout: 500 * time.Millisecond, echo: true,
		},
		"modbus+rtu+tcp://ser2net:4001?unit=24": {
			line: fieldbus.Spec{Network: fieldbus.TCP, Address: "ser2net:4001", Speech: "modbus-rtu", Blind: true}, rtu: true, unit: 24, timeout: time.Second,
		},
	} {
		u, err := url.Parse(link)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := parseTarget(u); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%s:\n%+v, %v, want\n%+v", link, got, err, want)
		}
	}
}

func TestBadTargets(t *testing.T) {
	for link, say := range map[string]string{
		"modbus+tcp://:502":                    "no host",
		"modbus+tcp://lift:0":                  "port 0",
		"modbus+tcp://lift:70000":              "port 70000",
		"modbus+tcp://lift/dev/x":              "only host and port",
		"modbus+tcp://me@lift":                 "only host and port",
		"modbus+tcp://lift?unit=248":           "unit 248",
		"modbus+tcp://lift?unit=-1":            "unit -1",
		"modbus+tcp://lift?unit=one":           "unit one",
		"modbus+tcp://lift?unit=1&unit=2":      "given 2 times",
		"modbus+tcp://lift?baud=9600":          "baud is not known",
		"modbus+tcp://lift?timeout=0s":         "timeout 0s",
		"modbus+tcp://lift?timeout=5":          "timeout 5",
		"modbus+tcp://lift?a=%zz":              "after ?",
		"modbus+rtu://dev/ttyUSB0":             "no device",
		"modbus+rtu://":                        "no device",
		"modbus+rtu:///dev/x?unit=0":           "unit 0",
		"modbus+rtu:///dev/x?unit=254":         "unit 254",
		"modbus+rtu:///dev/x?echo=yes":         "echo yes",
		"modbus+tcp://lift?echo=on":            "echo is not known",
		"modbus+rtu:///dev/x?parity=mark":      "parity mark",
		"modbus+rtu:///dev/x?stop=3":           "stop 3",
		"modbus+rtu:///dev/x?baud=fast":        "baud fast",
		"modbus+rtu+tcp://lift?unit=0":         "unit 0",
		"modbus+rtu:///dev/x?baud=9600&bits=7": "bits is not known",
	} {
		u, err := url.Parse(link)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := parseTarget(u); err == nil || !strings.Contains(err.Error(), say) {
			t.Errorf("%s: %v, want something about %q", link, err, say)
		}
	}
}

// Two lifts on one serial line that name different settings are a fault of the
// configuration, found with nothing opened.
func TestFactoryChecks(t *testing.T) {
	env := drivers.Env{Now: clock()}
	lines := fieldbus.NewLines(env)
	f := RTU(lines, env)
	if _, err := f.New(spec(t, "modbus+rtu:///dev/x?baud=9600&unit=1")); err != nil {
		t.Error(err)
	}
	if _, err := f.New(spec(t, "modbus+rtu:///dev/x?baud=9600&unit=2")); err != nil {
		t.Error(err)
	}
	if _, err := f.New(spec(t, "modbus+rtu:///dev/x?baud=19200&unit=3")); err == nil {
		t.Error("two bauds on one line")
	}
	bad := spec(t, "modbus+rtu:///dev/y")
	bad.Profile = []byte("id: [")
	if _, err := f.New(bad); err == nil {
		t.Error("a broken profile")
	}
}

func TestPlanChecks(t *testing.T) {
	env := drivers.Env{Now: clock()}
	u, _ := url.Parse("modbus+tcp://lift")
	for name, b := range map[string][]profiles.Block{
		"nothing":         nil,
		"no table":        {{Count: 1, Every: time.Second}},
		"no items":        {{Table: profiles.Coils, Every: time.Second}},
		"no period":       {{Table: profiles.Coils, Count: 1}},
		"too many words":  {{Table: profiles.InputRegisters, Count: 126, Every: time.Second}},
		"too many bits":   {{Table: profiles.DiscreteInputs, Count: 2001, Every: time.Second}},
		"past the end":    {{Table: profiles.InputRegisters, Addr: 65535, Count: 2, Every: time.Second}},
		"the second only": {block(0, 1), {Table: profiles.Coils}},
	} {
		if _, err := newOpener(fieldbus.NewLines(env), env, drivers.Spec{URL: u}, &plan{blocks: b}); err == nil {
			t.Errorf("%s: taken", name)
		}
	}
}

// A probe asks for a quantity whose answer has another length: else a late answer
// would fit it, and its own answer the question after it.
func TestProbeHasAnotherLength(t *testing.T) {
	for table, limit := range map[profiles.Table]uint16{
		profiles.Coils: maxReadBits, profiles.DiscreteInputs: maxReadBits,
		profiles.HoldingRegisters: maxReadWords, profiles.InputRegisters: maxReadWords,
	} {
		size := func(n uint16) int {
			if isBits(table) {
				return int(n+7) / 8
			}
			return 2 * int(n)
		}
		for n := uint16(1); n <= limit; n++ {
			seen := map[int]bool{size(n): true}
			for i := 1; i <= probeShapes; i++ {
				p := probeCount(table, n, i)
				if p == 0 || p > limit || seen[size(p)] {
					t.Fatalf("table %d: probe %d of %d asks for %d", table, i, n, p)
				}
				seen[size(p)] = true
			}
		}
	}
}
