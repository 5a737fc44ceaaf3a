package cli

import (
	"os"
	"path/filepath"
	"testing"

	"hoistway/agent/config"
)

const blindProfile = `id: test/blind
title: Tells little
maturity: bench
protocol: modbus
ride: {style: car-only, confirm: none, accept_within: 3s}
wire: {lowest: 1, highest: 4}
poll: {fast: 500ms}
points:
  floor: {address: 0}
  motion: {address: 1, enum: {0: stopped, 1: up, 2: down}}
commands:
  car_call: {writes: [{address: 2, value: wire}]}
`

// A profile that never tells a door or the mode can never let a robot in. The
// loader is the real one; robot_sight stands in for the door, not for the mode.
func TestCheckSaysWhatAProfileCanNeverPermit(t *testing.T) {
	for _, c := range []struct{ sight, want string }{
		{"refused", `  L1 never permits anything: its profile does not tell the mode
  L1 never permits to enter or to leave: its profile does not tell nudging; map points.nudging, also where another point implies it
  L1 never permits anything by the front door: its profile does not tell that door
`},
		{"allowed", `  L1 never permits anything: its profile does not tell the mode
  L1 never permits to enter or to leave: its profile does not tell nudging; map points.nudging, also where another point implies it
`},
	} {
		dir := t.TempDir()
		write(t, dir, "blind.yaml", blindProfile)
		file := write(t, dir, "gw.yaml", `device: {serial: GW-1}
lifts:
  - id: L1
    profile: ./blind.yaml
    link: modbus+tcp://127.0.0.1:1502?unit=1
    robot_sight: `+c.sight+`
    floors: [{label: G, wire: 1, doors: [front]}, {label: "1", wire: 2, doors: [front]}]
`)
		a, out, errs := loaded(nil, nil)
		a.load = loadConfig
		want := file + ": fine: 1 lift, no robots, no technicians, no cloud\n" + c.want
		if exit := a.main([]string{"check", "-c", file}); exit != 0 || out.String() != want {
			t.Errorf("exit %d\n%s%s\nwant\n%s", exit, out, errs, want)
		}
	}
}

// The sample that comes with the program is fine, and its lift can permit everything.
func TestCheckOfTheSample(t *testing.T) {
	file := write(t, t.TempDir(), "gw.yaml", string(config.Sample()))
	a, out, errs := loaded(nil, nil)
	a.load = loadConfig
	if exit := a.main([]string{"check", "-c", file}); exit != 0 || errs.Len() != 0 {
		t.Errorf("exit %d\n%s%s", exit, out, errs)
	}
}

// What comes in messages is told as well as what stands in registers: each protocol's
// bench profile can permit all.
func TestCheckOfMessages(t *testing.T) {
	dir := t.TempDir()
	secrets := write(t, dir, "secrets", "client=a\npassword=b\n")
	if err := os.Chmod(secrets, 0o600); err != nil {
		t.Fatal(err)
	}
	file := write(t, dir, "gw.yaml", `device: {serial: GW-1}
lifts:
  - id: L1
    profile: bench/http-lift
    link: http://127.0.0.1:1?lift=A&secrets=`+secrets+`
    floors: [{label: G, wire: 1, doors: [front]}, {label: "1", wire: 2, doors: [front, rear]}]
  - id: L2
    profile: bench/frame-lift
    link: serial+tcp://127.0.0.1:2?unit=1
    floors: [{label: G, wire: 1, doors: [front]}, {label: "1", wire: 2, doors: [front]}]
`)
	a, out, errs := loaded(nil, nil)
	a.load = loadConfig
	want := file + ": fine: 2 lifts, no robots, no technicians, no cloud\n"
	if exit := a.main([]string{"check", "-c", file}); exit != 0 || out.String() != want {
		t.Errorf("exit %d\n%s%s\nwant\n%s", exit, out, errs, want)
	}
}

func write(t *testing.T, dir, name, text string) string {
	t.Helper()
	file := filepath.Join(dir, name)
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}
