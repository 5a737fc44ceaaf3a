package commission

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// machine makes a small /dev, /sys and /proc: one FTDI adapter that a process
// holds, one port of the board, a name with nothing behind it.
func machine(t *testing.T) string {
	t.Helper()
	root := t.TempDir()
	for _, d := range []string{
		"dev/serial/by-id", "dev/serial/by-path", "proc/41/fd", "proc/self",
		"sys/bus/usb-serial/drivers/ftdi_sio", "sys/bus/platform/drivers/uart-pl011",
		"sys/devices/usb1/1-1/1-1:1.0/ttyUSB0", "sys/class/tty/ttyUSB0", "sys/class/tty/ttyAMA0/device", "sys/class/tty/ttyS7",
	} {
		must(t, os.MkdirAll(filepath.Join(root, d), 0o755))
	}
	for name, text := range map[string]string{
		"dev/ttyUSB0": "", "dev/ttyAMA0": "", "dev/ttyS7": "", "dev/tty1": "", "proc/41/comm": "modpoll\n",
		"sys/class/tty/ttyS7/type": "0\n", "sys/devices/usb1/1-1/product": "FT232R USB UART\n",
		"sys/devices/usb1/1-1/1-1:1.0/ttyUSB0/latency_timer": "16\n",
	} {
		must(t, os.WriteFile(filepath.Join(root, name), []byte(text), 0o600))
	}
	for from, to := range map[string]string{
		"sys/class/tty/ttyUSB0/device":                    filepath.Join(root, "sys/devices/usb1/1-1/1-1:1.0/ttyUSB0"),
		"sys/devices/usb1/1-1/1-1:1.0/ttyUSB0/driver":     "../../../../../bus/usb-serial/drivers/ftdi_sio",
		"sys/class/tty/ttyAMA0/device/driver":             "../../../../bus/platform/drivers/uart-pl011",
		"dev/serial/by-id/usb-FTDI_FT232R_A1-if00-port0":  "../../ttyUSB0",
		"dev/serial/by-path/pci-0000:00:14.0-usb-0:1:1.0": "../../ttyUSB0",
		"proc/41/fd/3": "/dev/ttyUSB0",
		"proc/41/fd/4": "/dev/ttyUSB0",
		"proc/41/fd/5": "socket:[1]",
	} {
		must(t, os.Symlink(to, filepath.Join(root, from)))
	}
	return root
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// CT-1
func TestPorts(t *testing.T) {
	w := World{Root: machine(t)}
	ports, err := w.Ports()
	if err != nil || len(ports) != 2 {
		t.Fatalf("%d ports, %v: %+v", len(ports), err, ports)
	}
	board, usb := ports[0], ports[1]
	if board.Path != "/dev/ttyAMA0" || board.Driver != "uart-pl011" || board.RS485 != "kernel" || len(board.Held) != 0 || !board.MayOpen {
		t.Errorf("%+v", board)
	}
	if usb.Driver != "ftdi_sio" || usb.RS485 != "adapter" || usb.LatencyMs == nil || *usb.LatencyMs != 16 || usb.Product != "FT232R USB UART" {
		t.Errorf("%+v", usb)
	}
	if !slices.Equal(usb.Held, []Holder{{41, "modpoll"}}) {
		t.Errorf("held by %+v", usb.Held)
	}
	if want := "modbus+rtu:///dev/serial/by-id/usb-FTDI_FT232R_A1-if00-port0?baud=9600&parity=none&stop=1&unit=1"; usb.Link != want {
		t.Errorf("link %s", usb.Link)
	}
	if got := w.Holders("/dev/serial/by-id/usb-FTDI_FT232R_A1-if00-port0"); len(got) != 1 {
		t.Errorf("by its stable name it is held by %+v", got)
	}
}

// A port is known without being opened: a pipe in its place, which would keep
// whoever opens it, is listed all the same. CT-1
func TestPortsAreNotOpened(t *testing.T) {
	w := World{Root: machine(t)}
	path := filepath.Join(w.Root, "dev/ttyUSB0")
	must(t, os.Remove(path))
	must(t, mkfifo(path))
	if ports, err := w.Ports(); err != nil || len(ports) != 2 {
		t.Errorf("%+v, %v", ports, err)
	}
}
