package cli

import (
	"strings"
	"testing"
)

// SM-2, WH-1: lifts of a service that pushes, from their file: where each answers and with
// what secrets; an address that is none, or is not on this machine, is told with its place.
func TestServesAServiceThatPushes(t *testing.T) {
	lift := func(id, serve, more string) string {
		return "  - {id: " + id + ", serve: \"" + serve + "\", " + twoFloors + more + "}\n"
	}
	out, errOut, err := servesOnce(t, "lifts:\n"+lift("L1", "http://127.0.0.1:0?shape=push&to=http://127.0.0.1:9/v1/webhooks/L1", "")+
		lift("L2", "http://127.0.0.1:0?shape=push", ", device: {service: {pushes: by_queue}}"))
	if err != nil || errOut != "" {
		t.Fatal(err, errOut)
	}
	for _, want := range []string{"L1 http://127.0.0.1:", "?lift=L1&attach=sim", "?lift=L2&attach=sim", "access=bench-access app_key=bench-key app_secret=bench-secret"} {
		if !strings.Contains(out, want) {
			t.Errorf("%q is not in\n%s", want, out)
		}
	}
	for more, want := range map[string]string{
		"http://127.0.0.1:0?shape=push&to=http://192.0.2.1:80/x":  "no address that is pushed to",
		"http://127.0.0.1:0?shape=push&to=https://127.0.0.1:80/x": "no address that is pushed to",
		"http://127.0.0.1:0?shape=push&to=http://127.0.0.1/x":     "no address that is pushed to",
		"http://127.0.0.1:0?to=http://127.0.0.1:80/x":             "only a service of shape push",
		"ws://127.0.0.1:0?shape=push":                             `no service of shape "push" over ws`,
	} {
		if _, errOut, err := servesOnce(t, "lifts:\n"+lift("L1", more, "")); err == nil || !strings.Contains(errOut, want) || !strings.Contains(errOut, ":2:") {
			t.Errorf("%s: %s", more, errOut)
		}
	}
	if _, errOut, err := servesOnce(t, "lifts:\n"+lift("L1", "http://127.0.0.1:0?shape=push", ", device: {service: {pushes: sometimes}}")); err == nil || !strings.Contains(errOut, "sometimes") {
		t.Error(errOut)
	}
}
