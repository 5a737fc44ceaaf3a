package cli

import (
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"hoistway/drivers/profiles/strict"
	"hoistway/simulator/devices"
)

// benchMap is the profile of the device that was written by hand.
const benchMap = "bench/modbus-lift"

// faceOf finds the register map that a lift's Modbus wires speak: nil for the bench
// lift's. A profile that is a file lies beside the building file.
func faceOf(file string, lift *strict.Value, at []place) (devices.Face, []strict.Fault) {
	v := lift.Get("device").Get("profile")
	if !v.Given() || !v.OK() || v.Text() == benchMap {
		return nil, nil
	}
	if !slices.ContainsFunc(at, func(p place) bool { return strings.HasPrefix(p.url.Scheme, "modbus+") }) {
		return nil, []strict.Fault{v.Fault("the lift is on no Modbus wire", "serve: modbus+tcp://127.0.0.1:0?unit=1")}
	}
	var src []byte
	if ext := filepath.Ext(v.Text()); ext == ".yaml" || ext == ".yml" {
		var err error
		if src, err = profileFile(filepath.Join(filepath.Dir(file), v.Text())); err != nil {
			return nil, []strict.Fault{v.Fault("the profile cannot be read: "+err.Error(), "a file beside this one, or an id")}
		}
	}
	var wires []int
	for _, f := range lift.Get("floors").Items() {
		wires = append(wires, f.Get("wire").Int())
	}
	f, err := devices.FaceOf(v.Text(), src, wires)
	if err != nil {
		return nil, []strict.Fault{v.Fault("the profile cannot be served: "+err.Error(), "`hoistway profile list` names them; those of protocol modbus are register maps")}
	}
	return f, nil
}

func profileFile(path string) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	return io.ReadAll(io.LimitReader(f, strict.MaxBytes+1)) // one more than is read: it is told as too large
}
