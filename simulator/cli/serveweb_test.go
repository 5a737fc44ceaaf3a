package cli

import (
	"strings"
	"testing"
)

// SM-2: a building over HTTP and sockets, from its file: each lift's address is said,
// lifts of one address share a service, and what is no service is told with its place.
func TestServesServices(t *testing.T) {
	lift := func(id, serve string) string {
		return "  - {id: " + id + ", serve: \"" + serve + "\", " + twoFloors + ", device: {service: {quota: 5, quota_as: 401}}}\n"
	}
	at := takenPort(t)
	out, errOut, err := servesOnce(t, "lifts:\n"+lift("L1", "http://127.0.0.1:0")+lift("L2", "http://127.0.0.1:0?shape=yun-r")+
		lift("L3", "ws://127.0.0.1:0")+lift("L4", "ws://127.0.0.1:0?shape=kone")+lift("L5", "http://"+at))
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"L1 http://127.0.0.1:", "?lift=L1", "/api/cloud?device=L2", "L3 ws://127.0.0.1:", "?deck=1001010", "it lets in gateway"} {
		if !strings.Contains(out, want) {
			t.Errorf("%q is not in\n%s", want, out)
		}
	}
	if !strings.Contains(errOut, "E-3004: lift L5") || !strings.Contains(errOut, "another program has this port") {
		t.Errorf("%s", errOut)
	}
	for serve, want := range map[string]string{
		"http://127.0.0.1:0?shape=kone": `no service of shape "kone" over http`,
		"ws://192.0.2.1:80":             "only a loopback address",
		"wss://127.0.0.1:0":             "no such protocol",
	} {
		_, errOut, err := servesOnce(t, "lifts:\n"+lift("L1", serve))
		if err == nil || !strings.Contains(errOut, want) {
			t.Errorf("%s: %s", serve, errOut)
		}
	}
}
