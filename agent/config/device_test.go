package config

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// DR-11: a line never has two masters: one serial device that two lifts know by two
// names is found before anything is opened, and both places are told. A device that is
// not there, and two that are, are nobody's business.
func TestOneDeviceByTwoNames(t *testing.T) {
	dir := t.TempDir()
	byID, onto, plain := filepath.Join(dir, "usb-FTDI_A1"), filepath.Join(dir, "again"), filepath.Join(dir, "plain")
	for _, err := range []error{os.Symlink("/dev/null", byID), os.Symlink(byID, onto), os.WriteFile(plain, nil, 0o600)} {
		if err != nil {
			t.Fatal(err)
		}
	}
	file := filepath.Join(dir, "c.yaml")
	two := func(first, second string) string {
		rest := fmt.Sprintf("  - id: L2\n    profile: bench/modbus-lift\n    floors: [{label: G, wire: 1, doors: [front]}, {label: '1', wire: 2, doors: [front]}]\n    link: modbus+rtu://%s?unit=2\n", second)
		text := strings.Replace(whole, "modbus+tcp://127.0.0.1:1502?unit=1", "modbus+rtu://"+first+"?unit=1", 1)
		text = strings.Replace(text, "rides: {", rest+"rides: {", 1)
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		_, faults := Load(file)
		return strings.Join(texts(faults), "\n")
	}
	for _, c := range [][2]string{{"/dev/null", byID}, {byID, onto}, {"/dev/null", "/dev/../dev/null"}, {"/dev/not-there", "/dev/./not-there"}} {
		got := two(c[0], c[1])
		if strings.Count(got, "\n") != 0 || !strings.Contains(got, ":18:11: lifts[1].link: ") || !strings.Contains(got, "is "+c[0]+" by another name") ||
			!strings.Contains(got, file+":5:11") {
			t.Errorf("%s and %s:\n%s", c[0], c[1], got)
		}
	}
	for _, c := range [][2]string{{byID, byID}, {"/dev/null", "/dev/zero"}, {"/dev/null", plain}, {"/dev/not-there", "/dev/neither"}} {
		if got := two(c[0], c[1]); got != "" {
			t.Errorf("%s and %s:\n%s", c[0], c[1], got)
		}
	}
}
