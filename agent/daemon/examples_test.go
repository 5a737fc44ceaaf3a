package daemon

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// RB-1, RD-18: the examples that robots' makers start from take a whole ride, each by the public page alone.
func TestExamplesRide(t *testing.T) {
	here, err := filepath.Abs("../localapi/examples")
	if err != nil {
		t.Fatal(err)
	}
	built := filepath.Join(t.TempDir(), "robot")
	for name, c := range map[string]struct {
		needs string
		make  []string
		run   []string
	}{
		"go":     {"go", []string{"go", "build", "-o", built, here}, []string{built}},
		"python": {"python3", nil, []string{"python3", "-W", "error", filepath.Join(here, "robot.py")}},
	} {
		t.Run(name, func(t *testing.T) {
			if _, err := exec.LookPath(c.needs); err != nil {
				if os.Getenv("HOISTWAY_REQUIRE") == "all" {
					t.Fatal(err)
				}
				t.Skipf("%s is not there", c.needs)
			}
			t.Parallel()
			if c.make != nil {
				if out, err := exec.Command(c.make[0], c.make[1:]...).CombinedOutput(); err != nil {
					t.Fatalf("%v: %s", err, out)
				}
			}
			r := newRig(t)
			r.start()
			r.online()
			robot := exec.CommandContext(t.Context(), c.run[0], append(c.run[1:], "R1", "G", "2")...)
			robot.Env = append(os.Environ(), "HOISTWAY_API="+r.base, "HOISTWAY_TOKEN=robot")
			out, err := robot.CombinedOutput()
			if err != nil || !strings.Contains(string(out), "arrived at 2") {
				t.Fatalf("%v:\n%s", err, out)
			}
			for _, word := range []string{"enter:", "stay:", "leave:"} {
				if !strings.Contains(string(out), word) {
					t.Errorf("it was never told to %s\n%s", word, out)
				}
			}
			robot = exec.CommandContext(t.Context(), c.run[0], append(c.run[1:], "R1", "G", "Q")...)
			robot.Env = append(os.Environ(), "HOISTWAY_API="+r.base, "HOISTWAY_TOKEN=robot")
			if out, err := robot.CombinedOutput(); err == nil || !strings.Contains(string(out), "E-2101") {
				t.Errorf("to nowhere: %v %s", err, out)
			}
		})
	}
}
