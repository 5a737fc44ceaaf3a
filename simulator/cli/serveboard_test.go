package cli

import (
	"fmt"
	"strings"
	"testing"
)

// SM-2: boards with frames of their own are served beside Modbus; several lifts share
// the line of one that takes them; what cannot be is said.
func TestBoardsAreServed(t *testing.T) {
	lift := func(id, serve string) string {
		return fmt.Sprintf("  - {id: %s, serve: %q, %s}\n", id, serve, twoFloors)
	}
	out, errOut, err := servesOnce(t, "lifts:\n"+
		lift("L1", "serial://bus?speaks=stx-board&unit=1")+lift("L2", "serial://bus?speaks=stx-board&unit=2")+
		lift("L3", "serial+tcp://127.0.0.1:0?speaks=mc1e")+lift("L4", "serial+tcp://127.0.0.1:0?speaks=e-lip")+
		lift("L5", "serial+udp://127.0.0.1:0?speaks=elsgw")+lift("L6", "serial://?speaks=button-board"))
	if err != nil {
		t.Fatalf("%v %s", err, errOut)
	}
	for _, want := range []string{
		"L1 serial:///dev/pts/", "L2 serial:///dev/pts/", "(stx-board, unit 2)", "L3 serial+tcp://127.0.0.1:", "(mc1e, unit 1)",
		"L4 serial+tcp://127.0.0.1:", "L5 serial+udp://127.0.0.1:", "L6 serial:///dev/pts/",
	} {
		if !strings.Contains(out, want) {
			t.Errorf("%q is not in\n%s", want, out)
		}
	}
	for serve, want := range map[string]string{
		"serial://?speaks=modbus":                     "a board speaks one of stx-board",
		"serial:///dev/ttyS1?speaks=stx-board":        "a line has a name",
		"serial+tcp://10.0.0.1:1?speaks=mc1e":         "only a loopback address",
		"serial+sctp://127.0.0.1:1?speaks=mc1e":       "no such protocol",
		"serial+tcp://127.0.0.1:0?speaks=mc1e&unit=0": "unit 0",
	} {
		if _, errOut, err := servesOnce(t, "lifts:\n"+lift("L1", serve)); err == nil || !strings.Contains(errOut, want) {
			t.Errorf("%s: %v %s", serve, err, errOut)
		}
	}
	_, errOut, err = servesOnce(t, "lifts:\n"+lift("L1", "serial://bus?speaks=mc1e&unit=1")+lift("L2", "serial://bus?speaks=mc1e&unit=2"))
	if err == nil || !strings.Contains(errOut, "this kind of board has one lift") {
		t.Errorf("two lifts on a PLC: %v %s", err, errOut)
	}
}
