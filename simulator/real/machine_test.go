package real

import (
	"errors"
	"io"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"hoistway/drivers"
)

// SM-3: a killed process is cut off from the world at once, its callers too, and
// gets nothing of it any more.
func TestMachineKilled(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := inProcess()
		m := newMachine(n)
		world := listenOn(t, n.Listen, "127.0.0.1:0")
		near, far := call(t, m.dial, world)
		passes(t, near, far)
		door := listenOn(t, m.listen, "127.0.0.1:0")
		caller, guest := call(t, n.Dial, door)
		passes(t, caller, guest)
		path, open := n.Serial()
		device, err := open()
		if err != nil {
			t.Fatal(err)
		}
		port, err := m.openSerial(path, drivers.SerialMode{})
		if err != nil {
			t.Fatal(err)
		}
		m.kill()
		for what, w := range map[string]io.Writer{"call": near, "guest": guest, "port": port} {
			if _, err := w.Write([]byte("more")); err == nil {
				t.Errorf("a dead process writes to its %s", what)
			}
		}
		for what, r := range map[string]io.Reader{"called": far, "caller": caller} {
			if n, err := r.Read(make([]byte, 9)); n != 0 || err != io.EOF {
				t.Errorf("the %s reads %d bytes, %v", what, n, err)
			}
		}
		if d, ok := device.(interface{ isCut() bool }); !ok || d.isCut() {
			t.Error("the lift's own end of the line is cut")
		}
		if _, err := n.Dial(t.Context(), "tcp", door.Addr().String()); !errors.Is(err, syscall.ECONNREFUSED) {
			t.Errorf("its door is still open: %v", err)
		}
		_, err1 := m.dial(t.Context(), "tcp", world.Addr().String())
		_, err2 := m.listen("tcp", "127.0.0.1:0")
		_, err3 := m.openSerial(path, drivers.SerialMode{})
		for _, err := range []error{err1, err2, err3} {
			if !errors.Is(err, errDead) {
				t.Errorf("a dead process gets %v", err)
			}
		}
		if err := errors.Join(world.Close(), far.Close(), caller.Close(), device.Close()); err != nil {
			t.Error(err)
		}
	})
}

// SM-3: what comes about in the moment of the kill is cut, too.
func TestMachineKilledMeanwhile(t *testing.T) {
	n := inProcess()
	m := newMachine(n)
	l := listenOn(t, n.Listen, "127.0.0.1:0")
	m.kill()
	late := &listener{Listener: l, of: m}
	if err := m.keep(late); !errors.Is(err, errDead) {
		t.Errorf("kept: %v", err)
	}
	if _, err := n.Dial(t.Context(), "tcp", l.Addr().String()); !errors.Is(err, syscall.ECONNREFUSED) {
		t.Errorf("it stays open: %v", err)
	}
}

// SM-3: what is closed by itself is forgotten, so that a long life does not grow.
func TestMachineForgets(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := inProcess()
		m := newMachine(n)
		l := listenOn(t, m.listen, "127.0.0.1:0")
		near, far := call(t, m.dial, l)
		if err := errors.Join(near.Close(), far.Close(), l.Close()); err != nil {
			t.Error(err)
		}
		if len(m.open) != 0 {
			t.Errorf("%d are kept", len(m.open))
		}
	})
}

// SM-3: while an address is deaf its connections stand and carry nothing; others do.
func TestMachineDeaf(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := inProcess()
		m := newMachine(n)
		cloud, lift := listenOn(t, n.Listen, "127.0.0.1:0"), listenOn(t, n.Listen, "127.0.0.1:0")
		near, far := call(t, m.dial, cloud)
		other, device := call(t, m.dial, lift)
		m.setDeaf(cloud.Addr().String())
		if _, err := near.Write([]byte("lost")); err != nil {
			t.Errorf("a write into nothing: %v", err)
		}
		heard := make(chan string, 1)
		go func() {
			b := make([]byte, 9)
			n, _ := near.Read(b)
			heard <- string(b[:n])
		}()
		if _, err := far.Write([]byte("gone")); err != nil {
			t.Error(err)
		}
		synctest.Wait()
		if len(heard) > 0 {
			t.Errorf("heard %q", <-heard)
		}
		passes(t, other, device)
		m.setDeaf("")
		if _, err := far.Write([]byte("back")); err != nil {
			t.Error(err)
		}
		if got := <-heard; got != "back" {
			t.Errorf("heard %q", got)
		}
		passes(t, near, far)
		m.kill()
		if err := errors.Join(cloud.Close(), lift.Close(), far.Close(), device.Close()); err != nil {
			t.Error(err)
		}
	})
}

// SM-3: a wait of a process ends with it.
func TestMachineLasts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := newMachine(inProcess())
		if !m.lasts(time.Minute) {
			t.Error("it lives")
		}
		go func() {
			time.Sleep(time.Second)
			m.kill()
		}()
		began := time.Now()
		if m.lasts(time.Hour) || time.Since(began) != time.Second {
			t.Errorf("it outlives its kill, by %v", time.Since(began)-time.Second)
		}
	})
}
