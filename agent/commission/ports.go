package commission

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/user"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

// Port is one serial port as the system describes it.
type Port struct {
	Path      string   `json:"path"`
	ByID      []string `json:"by_id"`   // names that survive replugging: use one of these in a link
	ByPath    []string `json:"by_path"` // names of the socket that it is plugged into
	Driver    string   `json:"driver,omitempty"`
	Product   string   `json:"product,omitempty"`
	RS485     string   `json:"rs485"`                // kernel: the driver can steer the direction; adapter: it steers it itself; unknown
	LatencyMs *int     `json:"latency_ms,omitempty"` // how long an FTDI adapter holds bytes back
	Owner     string   `json:"owner"`
	Group     string   `json:"group"`
	Mode      string   `json:"mode"`
	MayOpen   bool     `json:"may_open"`
	Why       string   `json:"why,omitempty"` // why this user may not
	Held      []Holder `json:"held"`
	HeldKnown bool     `json:"held_known"` // false: processes of others could not be looked at
	Link      string   `json:"link"`       // how a configuration would name it
}

// Holder is a process that has a port open.
type Holder struct {
	PID     int    `json:"pid"`
	Command string `json:"command"`
}

var portName = regexp.MustCompile(`^tty(S|USB|ACM|AMA|mxc|O|PS|SC|XRUSB|LP|THS|STM)\d+$`)

// Ports lists the serial ports of this machine. It opens none of them: opening one
// moves its control lines, and resets some adapters.
func (w World) Ports() ([]Port, error) {
	entries, err := os.ReadDir(w.path("dev"))
	if err != nil {
		return nil, fmt.Errorf("list ports: %w", err)
	}
	held, known := w.holders()
	out := []Port{}
	for _, e := range entries {
		if !portName.MatchString(e.Name()) || !w.fitted(e.Name()) {
			continue
		}
		p := w.port(e.Name())
		p.Held, p.HeldKnown = append([]Holder{}, held[p.Path]...), known
		out = append(out, p)
	}
	return out, nil
}

// fitted reports that there is hardware behind the name: a PC has ttyS0 to ttyS31
// whatever is soldered to it.
func (w World) fitted(name string) bool {
	kind, err := os.ReadFile(w.path("sys/class/tty", name, "type"))
	return err != nil || strings.TrimSpace(string(kind)) != "0"
}

func (w World) port(name string) Port {
	p := Port{Path: "/dev/" + name, RS485: "unknown"}
	p.ByID, p.ByPath = w.names("by-id", p.Path), w.names("by-path", p.Path)
	sys := w.path("sys/class/tty", name)
	if to, err := os.Readlink(filepath.Join(sys, "device/driver")); err == nil {
		p.Driver = filepath.Base(to)
	}
	p.Product = w.product(sys)
	p.RS485 = rs485(p.Driver, sys)
	if raw, err := os.ReadFile(filepath.Join(sys, "device/latency_timer")); err == nil {
		if n, err := strconv.Atoi(strings.TrimSpace(string(raw))); err == nil {
			p.LatencyMs = &n
		}
	}
	w.rights(&p)
	p.Link = "modbus+rtu://" + first(append(slices.Concat(p.ByID, p.ByPath), p.Path)...) + "?baud=9600&parity=none&stop=1&unit=1"
	return p
}

// product is what a USB adapter calls itself; it stands some folders above.
func (w World) product(sys string) string {
	dir, err := filepath.EvalSymlinks(filepath.Join(sys, "device"))
	for range 4 {
		if err != nil {
			return ""
		}
		if raw, err := os.ReadFile(filepath.Join(dir, "product")); err == nil {
			return strings.TrimSpace(string(raw))
		}
		dir = filepath.Dir(dir)
	}
	return ""
}

// names are the links in /dev/serial/KIND that lead to a device.
func (w World) names(kind, device string) []string {
	out := []string{}
	entries, _ := os.ReadDir(w.path("dev/serial", kind)) // absent where nothing is plugged in
	for _, e := range entries {
		to, err := os.Readlink(w.path("dev/serial", kind, e.Name()))
		if err == nil && filepath.Base(to) == filepath.Base(device) {
			out = append(out, "/dev/serial/"+kind+"/"+e.Name())
		}
	}
	return out
}

// Drivers by what they do about the direction of an RS-485 line. An ioctl would
// tell, but only of a port that was opened.
var (
	steersInKernel  = []string{"omap8250", "omap_uart", "imx-uart", "atmel_usart", "atmel_usart_serial", "stm32-usart", "uart-pl011", "sc16is7xx", "max310x", "fsl-lpuart", "8250_dw", "dw-apb-uart", "exar_serial", "8250_exar"}
	steersInAdapter = []string{"ftdi_sio", "cp210x", "ch341", "ch341-uart", "pl2303", "cdc_acm", "xr_serial", "cdc-acm"}
)

func rs485(driver, sys string) string {
	if _, err := os.Stat(filepath.Join(sys, "device/of_node/linux,rs485-enabled-at-boot-time")); err == nil {
		return "kernel"
	}
	switch {
	case slices.Contains(steersInKernel, driver):
		return "kernel"
	case slices.Contains(steersInAdapter, driver):
		return "adapter"
	}
	return "unknown"
}

func (w World) rights(p *Port) {
	info, err := os.Stat(w.path(p.Path))
	if err != nil {
		p.Why = err.Error()
		return
	}
	p.Mode = info.Mode().Perm().String()
	if st, ok := info.Sys().(*syscall.Stat_t); ok {
		p.Owner, p.Group = userName(st.Uid), groupName(st.Gid)
	}
	err = unix.Access(w.path(p.Path), unix.R_OK|unix.W_OK)
	p.MayOpen = err == nil
	if errors.Is(err, fs.ErrPermission) {
		p.Why = fmt.Sprintf("this user is not in group %s: usermod -aG %s USER, then log in again", p.Group, p.Group)
	} else if err != nil {
		p.Why = err.Error()
	}
}

func userName(id uint32) string {
	if u, err := user.LookupId(strconv.Itoa(int(id))); err == nil {
		return u.Username
	}
	return strconv.Itoa(int(id))
}

func groupName(id uint32) string {
	if g, err := user.LookupGroupId(strconv.Itoa(int(id))); err == nil {
		return g.Name
	}
	return strconv.Itoa(int(id))
}

// holders finds who has which device open. known is false when some process did
// not let itself be looked at.
func (w World) holders() (held map[string][]Holder, known bool) {
	held, known = map[string][]Holder{}, true
	procs, err := os.ReadDir(w.path("proc"))
	if err != nil {
		return held, false
	}
	for _, p := range procs {
		pid, err := strconv.Atoi(p.Name())
		if err != nil {
			continue
		}
		fds, err := os.ReadDir(w.path("proc", p.Name(), "fd"))
		known = known && !errors.Is(err, fs.ErrPermission)
		for _, fd := range fds {
			to, err := os.Readlink(w.path("proc", p.Name(), "fd", fd.Name()))
			if err != nil || !strings.HasPrefix(to, "/dev/") {
				continue
			}
			h := Holder{pid, w.command(p.Name())}
			if !slices.Contains(held[to], h) {
				held[to] = append(held[to], h)
			}
		}
	}
	return held, known
}

func (w World) command(pid string) string {
	raw, err := os.ReadFile(w.path("proc", pid, "comm"))
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(raw))
}

// Holders tells who has the device of a serial link open, other than this program.
// The far end of a pseudo terminal is open in whoever made it, so those do not count.
func (w World) Holders(path string) []Holder {
	held, _ := w.holders()
	device := "/" + strings.TrimPrefix(strings.TrimPrefix(w.device(path), strings.TrimSuffix(w.filled().Root, "/")), "/")
	if strings.HasPrefix(device, "/dev/pts/") {
		return nil
	}
	return slices.DeleteFunc(slices.Clone(held[device]), func(h Holder) bool { return h.PID == os.Getpid() })
}

func first(ss ...string) string {
	for _, s := range ss {
		if s != "" {
			return s
		}
	}
	return ""
}
