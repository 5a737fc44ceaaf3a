package real

import (
	"errors"
	"io"
	"strings"
	"testing"
	"testing/synctest"

	"hoistway/simulator/scenarios"
)

// noTerminals is a machine that has none to give.
func noTerminals() Net {
	n := inProcess()
	n.Serial = func() (string, func() (io.ReadWriteCloser, error)) {
		return "", func() (io.ReadWriteCloser, error) { return nil, errors.New("no more terminals") }
	}
	return n
}

// SM-1: where no pseudo terminal is to be had the lift answers on a socket, if the user of
// the site agrees; a ride on it is made all the same, a kill of the agent included.
func TestALiftWithoutATerminal(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		script, faults := scenarios.Parse("l2.txt", []byte("title L2 on a socket\nproves SM-1\nat 0s ride r1 R1 from G to 3 on L2\n"+
			"when ride r1 phase riding, fault gateway kill 2s\nexpect ride r1 DONE within 300s\n"))
		if len(faults) > 0 {
			t.Fatal(faults)
		}
		o := Setup(script)
		o.Net, o.Dir, o.Version = noTerminals(), t.TempDir(), "test"
		var said []string
		o.Instead = func(lift string, err error) { said = append(said, lift+": "+err.Error()) }
		s, err := Start(t.Context(), o)
		if err != nil {
			t.Fatal(err)
		}
		v, err := s.Play(t.Context(), script, func(scenarios.Instant, []scenarios.Line) {})
		if err != nil || !v.Passed {
			t.Errorf("%+v, %v", v.Failures, err)
		}
		if len(said) != 1 || !strings.HasPrefix(said[0], "L2: ") || !strings.Contains(said[0], "no more terminals") {
			t.Errorf("said %q", said)
		}
		if link := s.Link("L2"); !strings.HasPrefix(link, "modbus+tcp://") {
			t.Errorf("L2 answers on %s", link)
		}
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
}

// SM-4: without that agreement a site with another wire than its scenarios name is none.
func TestNoTerminalNoSite(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		if _, err := Start(t.Context(), Options{Net: noTerminals(), Dir: t.TempDir()}); err == nil || !strings.Contains(err.Error(), "L2 on Modbus RTU") {
			t.Errorf("raised with %v", err)
		}
	})
}
