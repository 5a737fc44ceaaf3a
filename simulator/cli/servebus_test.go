package cli

import (
	"net"
	"regexp"
	"strings"
	"testing"
)

// SM-2: lifts on an OPC UA server and behind a broker, several on one.
func TestBusesOfAFile(t *testing.T) {
	at := freeAt(t)
	out, errOut, err := servesOnce(t, `lifts:
  - {id: L1, serve: "opc.tcp://127.0.0.1:0", also: ["mqtt://`+at+`?strangers=true"], `+twoFloors+`}
  - {id: L2, serve: "mqtt://`+at+`?strangers=true", `+twoFloors+`}
`)
	if err != nil || errOut != "" {
		t.Fatal(err, errOut)
	}
	for _, want := range []string{
		`(?m)^L1 opc\.tcp://127\.0\.0\.1:\d+\?base=ns=2;s=L1\.$`,
		`(?m)^L1 mqtt://` + regexp.QuoteMeta(at) + `\?building=sim&bank=A&elevator=1$`,
		`(?m)^L2 mqtt://` + regexp.QuoteMeta(at) + `\?building=sim&bank=A&elevator=2$`,
	} {
		if !regexp.MustCompile(want).MatchString(out) {
			t.Errorf("no %s in\n%s", want, out)
		}
	}
	for bad, want := range map[string]string{
		"mqtt://0.0.0.0:1883":              "only a loopback address",
		"mqtt://127.0.0.1:0?strangers=may": "strangers=may is nothing",
		"opc.tcp://127.0.0.1:0?base=x":     "base=x is nothing",
	} {
		if _, errOut, err := servesOnce(t, `lifts: [{id: L1, serve: "`+bad+`", `+twoFloors+"}]\n"); err == nil || !strings.Contains(errOut, want) {
			t.Errorf("%s: %v\n%s", bad, err, errOut)
		}
	}
}

// freeAt is an address that nobody has.
func freeAt(t *testing.T) string {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = ln.Close() }()
	return ln.Addr().String()
}
