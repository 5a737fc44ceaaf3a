package real

import (
	"bytes"
	"testing"
	"testing/synctest"

	"hoistway/simulator/cloud"
	"hoistway/simulator/cloud/conformance"
)

// SH-1, SH-2: the shipped agent does all that is asked of a device, judged over a broker
// by one who plays its service. The broker's own stand-in is deaf to it.
func TestTheAgentConforms(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := usual()
		o.Net, o.Dir, o.Version, o.NoCloud = inProcess(), t.TempDir(), "test", true
		deaf, err := cloud.Start(t.Context(), cloud.Options{Prefix: "deaf", ListenOn: o.Net.Listen, Dial: o.Net.Dial})
		if err != nil {
			t.Fatal(err)
		}
		o.Broker = deaf.URL()
		line, err := conformance.ToDevice(t.Context(), o.Broker, Serial, o.Net.Dial)
		if err != nil {
			t.Fatal(err)
		}
		s, err := Start(t.Context(), o)
		if err != nil {
			t.Fatal(err)
		}
		r, err := conformance.Device(t.Context(), conformance.Options{Serial: Serial}, line)
		if err != nil {
			t.Error(err)
		}
		var text bytes.Buffer
		if err := r.Text(&text); err != nil || r.Failed() > 0 {
			t.Errorf("%v\n%s", err, &text)
		}
		line.Close()
		for _, end := range []func() error{s.Close, deaf.Close} {
			if err := end(); err != nil {
				t.Error(err)
			}
		}
	})
}
