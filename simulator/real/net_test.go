package real

import (
	"context"
	"errors"
	"io"
	"net"
	"os"
	"syscall"
	"testing"
	"testing/synctest"

	"hoistway/drivers"
)

// call dials and is let in.
func call(t *testing.T, dial func(context.Context, string, string) (net.Conn, error), l net.Listener) (near, far net.Conn) {
	t.Helper()
	in := make(chan net.Conn, 1)
	go func() {
		c, err := l.Accept()
		if err != nil {
			t.Error(err)
		}
		in <- c
	}()
	near, err := dial(t.Context(), "tcp", l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	return near, <-in
}

func listenOn(t *testing.T, listen func(string, string) (net.Listener, error), address string) net.Listener {
	t.Helper()
	l, err := listen("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// passes sends a word from one end and wants it at the other.
func passes(t *testing.T, from io.Writer, to io.Reader) {
	t.Helper()
	sent := make(chan error, 1)
	go func() {
		_, err := from.Write([]byte("word"))
		sent <- err
	}()
	got := make([]byte, 4)
	if _, err := io.ReadFull(to, got); err != nil || string(got) != "word" {
		t.Fatalf("got %q, %v", got, err)
	}
	if err := <-sent; err != nil {
		t.Fatal(err)
	}
}

// SM-4: a network within the process has addresses as the machine's has.
func TestPipes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := inProcess()
		if _, err := n.Dial(t.Context(), "tcp", "127.0.0.1:9"); !errors.Is(err, syscall.ECONNREFUSED) {
			t.Errorf("nobody listens: %v", err)
		}
		l := listenOn(t, n.Listen, "127.0.0.1:0")
		at := l.Addr().String()
		if _, err := n.Listen("tcp", at); !errors.Is(err, syscall.EADDRINUSE) {
			t.Errorf("taken: %v", err)
		}
		near, far := call(t, n.Dial, l)
		if near.RemoteAddr().String() != at || far.RemoteAddr().String() != near.LocalAddr().String() {
			t.Errorf("%v to %v, seen as %v", near.LocalAddr(), near.RemoteAddr(), far.RemoteAddr())
		}
		passes(t, near, far)
		passes(t, far, near)
		if err := errors.Join(near.Close(), far.Close(), l.Close(), l.Close()); err != nil {
			t.Error(err)
		}
		if err := listenOn(t, n.Listen, at).Close(); err != nil {
			t.Errorf("the address is not free again: %v", err)
		}
	})
}

// SM-4: a caller whom nobody lets in waits no longer than he wants, nor than there
// is somebody.
func TestPipesNobodyAccepts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := inProcess()
		l := listenOn(t, n.Listen, "127.0.0.1:0")
		ctx, cancel := context.WithCancel(t.Context())
		ends := make(chan error, 2)
		dial := func(ctx context.Context) {
			_, err := n.Dial(ctx, "tcp", l.Addr().String())
			ends <- err
		}
		go dial(ctx)
		synctest.Wait()
		cancel()
		if err := <-ends; !errors.Is(err, context.Canceled) {
			t.Errorf("given up: %v", err)
		}
		go dial(t.Context())
		synctest.Wait()
		if err := l.Close(); err != nil {
			t.Error(err)
		}
		if err := <-ends; !errors.Is(err, syscall.ECONNREFUSED) {
			t.Errorf("closed meanwhile: %v", err)
		}
		if _, err := l.Accept(); !errors.Is(err, net.ErrClosed) {
			t.Errorf("accept of a closed one: %v", err)
		}
	})
}

// SM-4: a serial line carries both ways, a reader with little room loses nothing, and
// either end may go and come.
func TestCable(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := inProcess()
		path, open := n.Serial()
		plug := func() (io.ReadWriteCloser, error) { return n.OpenSerial(path, drivers.SerialMode{}) }
		if _, err := plug(); !errors.Is(err, syscall.ENOENT) {
			t.Errorf("no far end yet: %v", err)
		}
		device, err := open()
		if err != nil {
			t.Fatal(err)
		}
		port, err := plug()
		if err != nil {
			t.Fatal(err)
		}
		for _, ends := range [][2]io.ReadWriter{{port, device}, {device, port}} {
			if _, err := ends[0].Write([]byte("abc")); err != nil {
				t.Fatal(err)
			}
			for _, want := range "abc" {
				var one [1]byte
				if n, err := ends[1].Read(one[:]); n != 1 || err != nil || one[0] != byte(want) {
					t.Errorf("read %q, %v, want %q", one[:n], err, want)
				}
			}
		}
		ended := make(chan error, 1)
		read := func(r io.Reader) {
			_, err := r.Read(make([]byte, 1))
			ended <- err
		}
		go read(port)
		synctest.Wait()
		if err := port.Close(); err != nil {
			t.Error(err)
		}
		if err := <-ended; !errors.Is(err, os.ErrClosed) {
			t.Errorf("a read of a closed port: %v", err)
		}
		if _, err := port.Write([]byte("x")); !errors.Is(err, os.ErrClosed) {
			t.Errorf("a write of a closed port: %v", err)
		}
		if port, err = plug(); err != nil {
			t.Fatal(err)
		}
		go read(port)
		synctest.Wait()
		if err := device.Close(); err != nil {
			t.Error(err)
		}
		if err := <-ended; err != io.EOF {
			t.Errorf("a read of a cut line: %v", err)
		}
		if _, err := port.Write([]byte("x")); !errors.Is(err, io.ErrClosedPipe) {
			t.Errorf("a write to a cut line: %v", err)
		}
		if _, err := plug(); !errors.Is(err, syscall.ENOENT) {
			t.Errorf("the far end has gone: %v", err)
		}
		if device, err = open(); err != nil {
			t.Fatal(err)
		}
		if port, err = plug(); err != nil {
			t.Fatal(err)
		}
		passes(t, port, device)
	})
}

// SM-3: on a line where nobody listens a sender is not held up, and what the line
// has no room for is lost.
func TestCableLoses(t *testing.T) {
	c := newCable()
	d, h := &device{cable: c}, &handle{cable: c, quit: make(chan struct{})}
	for i := range cableRoom + 10 {
		if _, err := d.Write([]byte{byte(i)}); err != nil {
			t.Fatal(err)
		}
	}
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
	if len(h.toPort) != cableRoom {
		t.Errorf("%d of %d bytes wait, want %d", len(h.toPort), cableRoom+10, cableRoom)
	}
}
