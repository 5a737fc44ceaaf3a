package cli

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"hoistway/simulator/cloud"
	"hoistway/simulator/cloud/conformance"
)

// SH-1: the stand-in, judged over a broker by the command that judges others.
func TestCheckJudgesTheStandIn(t *testing.T) {
	t.Parallel()
	c, err := cloud.Start(t.Context(), cloud.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	var out, errs bytes.Buffer
	if code := Main([]string{"cloud", "--check", c.URL(), "--json", "--case", "m"}, nil, &out, &errs); code != exitFine {
		t.Fatalf("exit %d: %s%s", code, &out, &errs)
	}
	var r conformance.Report
	if err := json.Unmarshal(out.Bytes(), &r); err != nil || len(r.Cases) != 3 || r.Judged != "service" {
		t.Errorf("%v %s", err, &out)
	}
	for _, wrong := range []struct {
		args []string
		code int
		says string
	}{
		{[]string{"--check", c.URL(), "--case", "zzz"}, exitUsage, "no case"},
		{[]string{"--check", c.URL(), "--serial", "a b"}, exitUsage, "--serial"},
		{[]string{"--as-device", c.URL()}, exitUsage, "--serial"},
		{[]string{"--check", c.URL(), "--listen", "127.0.0.1:0"}, exitUsage, "check"},
		{[]string{"--check", "ssl://x"}, exitReach, "ssl"},
	} {
		errs.Reset()
		if code := Main(append([]string{"cloud"}, wrong.args...), nil, &out, &errs); code != wrong.code || !strings.Contains(errs.String(), wrong.says) {
			t.Errorf("%v: exit %d, %s", wrong.args, code, &errs)
		}
	}
}

// A service that nobody is: each case says what did not come.
func TestCheckWithoutAService(t *testing.T) {
	t.Parallel()
	c, err := cloud.Start(t.Context(), cloud.Options{Prefix: "elsewhere"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	var out, errs bytes.Buffer
	code := Main([]string{"cloud", "--check", c.URL(), "--case", "get-unknown", "--limit", "100ms"}, nil, &out, &errs)
	if code != exitFinding || !strings.Contains(out.String(), "FAIL  get-unknown") || !strings.Contains(out.String(), "within 100ms") || !strings.Contains(errs.String(), "E-8110") {
		t.Errorf("exit %d\n%s%s", code, &out, &errs)
	}
}
