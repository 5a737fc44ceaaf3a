package cli

import (
	"io"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"hoistway/simulator/devices"
)

// aBoard is a register map as a technician writes one. Landing 2 of it is floor 1 below.
const aBoard = `id: acme/lc-20
title: Acme LC-20
maturity: bench
protocol: modbus
base: {holding: 40001}
ride: {style: car-only, confirm: state, accept_within: 3s}
wire: {lowest: 1, highest: 60}
points:
  floor: {table: holding, address: 40001, sentinel: [255]}
  door:
    front: {table: holding, address: 40002, mask: 0xFF00, enum: {0: closed, 1: opening, 2: open, 3: closing}}
  mode: {table: holding, address: 40003, enum: {5: normal, 1: inspection}}
commands:
  car_call: {writes: [{address: 40010, value: wire, cleared: {within: 2s}}]}
`

// SM-2: a lift is served by the registers of a profile: of the catalog, or of a file
// beside the building file.
func TestALiftByAProfile(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "lc-20.yaml"), []byte(aBoard), 0o600); err != nil {
		t.Fatal(err)
	}
	p, bad := readBuilding(filepath.Join(dir, "b.yaml"), []byte(`lifts:
  - {id: L1, serve: "modbus+tcp://127.0.0.1:0", device: {profile: ./lc-20.yaml}, `+twoFloors+`}
  - {id: L2, serve: "modbus+tcp://127.0.0.1:0", device: {profile: seer/v1}, `+twoFloors+`}
`))
	if len(bad) > 0 {
		t.Fatal(bad)
	}
	var out, errOut strings.Builder
	r := raise(devices.NewRealWorld(p.b), p.lifts, devices.ServePTY, &out, &errOut)
	for _, c := range r.closers {
		t.Cleanup(func() { _ = c.Close() })
	}
	lines := strings.Split(out.String(), "\n")
	if errOut.Len() > 0 || len(lines) != 3 {
		t.Fatalf("%s%s", out.String(), errOut.String())
	}
	at := func(n int) string {
		_, addr, _ := strings.Cut(lines[n], "modbus+tcp://")
		addr, _, _ = strings.Cut(addr, "?")
		return addr
	}
	// Landing 1, door closed, mode normal: three registers from 0.
	asks(t, at(0), "\x00\x01\x00\x00\x00\x06\x01\x03\x00\x00\x00\x03", "\x00\x01\x00\x00\x00\x09\x01\x03\x06\x00\x01\x00\x00\x00\x05")
	asks(t, at(0), "\x00\x02\x00\x00\x00\x06\x01\x06\x00\x09\x00\x02", "\x00\x02\x00\x00\x00\x06\x01\x06\x00\x09\x00\x02")
	// The call is taken, and so reads 0 again.
	asks(t, at(0), "\x00\x04\x00\x00\x00\x06\x01\x03\x00\x09\x00\x01", "\x00\x04\x00\x00\x00\x05\x01\x03\x02\x00\x00")
	// The landing in input 1.
	asks(t, at(1), "\x00\x03\x00\x00\x00\x06\x01\x04\x00\x01\x00\x01", "\x00\x03\x00\x00\x00\x05\x01\x04\x02\x00\x01")
	var told strings.Builder
	r.lifts[0].tell(&told, &buildingPicture{})
	if !strings.HasSuffix(told.String(), "L1 holding:9 = 2\n") {
		t.Errorf("told %q", told.String())
	}
}

// asks sends one question and holds its answer against the bytes that must come.
func asks(t *testing.T, at, question, answer string) {
	t.Helper()
	c, err := net.Dial("tcp", at)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = c.Close() }()
	_ = c.SetDeadline(time.Now().Add(20 * time.Second))
	got := make([]byte, len(answer))
	if _, err = io.WriteString(c, question); err == nil {
		_, err = io.ReadFull(c, got)
	}
	if err != nil || string(got) != answer {
		t.Errorf("% x brought % x, %v, not % x", question, got, err, answer)
	}
}

// SM-2: a profile that cannot be served is said at its place.
func TestProfilesThatCannotBeServed(t *testing.T) {
	for device, want := range map[string]string{
		"{profile: seer/v11}":                "there is no profile seer/v11",
		"{profile: bench/frame-lift}":        "is no register map: it speaks frames",
		"{profile: ./none.yaml}":             "cannot be read",
		"{profile: ./b.yaml}":                "it has faults",
		"{profile: generic/relay-fc05-0100}": "",
	} {
		_, errOut, err := servesOnce(t, `lifts:
  - {id: L1, serve: "modbus+tcp://127.0.0.1:0", device: `+device+`, `+twoFloors+"}\n")
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(errOut, want) || !strings.Contains(errOut, "b.yaml:2:")) {
			t.Errorf("%s: %v\n%s", device, err, errOut)
		}
	}
	for what, c := range map[string]struct{ lift, want string }{
		"a board":   {`serve: "serial://?speaks=mc1e", device: {profile: seer/v1}, ` + twoFloors, "on no Modbus wire"},
		"a landing": {`serve: "modbus+rtu://", device: {profile: generic/relay-board-8}, floors: [{label: G, wire: 1, height_m: 0}, {label: "9", wire: 9, height_m: 4}]`, "wire 9: the numbers"},
	} {
		if _, errOut, err := servesOnce(t, "lifts:\n  - {id: L1, "+c.lift+"}\n"); err == nil || !strings.Contains(errOut, c.want) {
			t.Errorf("%s: %v\n%s", what, err, errOut)
		}
	}
}
