package cli

import (
	"fmt"
	"io"
	"net"
	"net/url"
	"strings"

	"hoistway/simulator/devices"
)

// raised is what answers: the lifts, once for each wire that they are on.
type raised struct {
	lifts   []*namedWire
	boards  []*boardWire
	units   []*devices.Unit
	closers []io.Closer
}

// seat is a lift's place on a wire.
type seat struct {
	lift string
	place
	manners devices.Manners
	web     devices.WebManners
	pushes  string
	face    devices.Face
}

// terminal puts lifts on a pseudo terminal.
type terminal func(*devices.World, ...devices.Seat) (*devices.RTU, error)

// raise puts every lift on its wires and says where it answers. A wire that cannot
// be had is said too, and the rest is served.
func raise(world *devices.World, lifts []served, terminal terminal, out, errOut io.Writer) *raised {
	r := &raised{}
	for _, seats := range wiresOf(lifts) {
		var units []*devices.Unit
		var at string
		var c io.Closer
		var err error
		switch u := seats[0].url; {
		case isWeb(u):
			err = r.raiseWeb(world, seats, out)
		case isBus(u):
			err = r.raiseBus(world, seats, out)
		case isBoard(u.Scheme):
			err = r.boardsOf(world, seats, out)
		default:
			units, at, c, err = raiseWire(world, seats, terminal)
		}
		if err != nil {
			for _, s := range seats {
				fmt.Fprintf(errOut, "E-3004: lift %s on %s: %v\n    %s\n", s.lift, asWritten(s.url), err, mend(s.url, err))
			}
			continue
		}
		if c != nil {
			r.closers = append(r.closers, c)
		}
		r.units = append(r.units, units...)
		for i, u := range units {
			r.lifts = append(r.lifts, &namedWire{lift: u.Car(), kind: wireKind(seats[0].url.Scheme), wire: u})
			fmt.Fprintf(out, "%s %s?unit=%d\n", u.Car(), at, seats[i].unit)
		}
	}
	return r
}

// asWritten is an address as the file has it: one without a host keeps its slashes.
func asWritten(u *url.URL) string {
	if u.Host != "" || u.Path != "" {
		return u.String()
	}
	return strings.Replace(u.String(), ":", "://", 1)
}

func wireKind(scheme string) string {
	if scheme == "modbus+rtu" {
		return "Modbus RTU"
	}
	return "Modbus TCP"
}

// wiresOf puts together what is on one socket or line, in the order of the file.
func wiresOf(lifts []served) (wires [][]seat) {
	known := map[string]int{}
	for _, l := range lifts {
		for _, p := range l.at {
			s, name := seat{l.id, p, l.manners, l.web, l.pushes, l.face}, p.wire()
			i, shared := known[name]
			if name == "" || !shared {
				known[name] = len(wires)
				wires = append(wires, []seat{s})
				continue
			}
			wires[i] = append(wires[i], s)
		}
	}
	return wires
}

func raiseWire(world *devices.World, seats []seat, terminal terminal) (units []*devices.Unit, at string, c io.Closer, err error) {
	var on []devices.Seat
	for _, s := range seats {
		on = append(on, devices.Seat{Car: s.lift, Unit: s.unit, Manners: s.manners, Face: s.face})
	}
	if seats[0].url.Scheme == "modbus+rtu" {
		r, err := terminal(world, on...)
		if err != nil {
			return nil, "", nil, err
		}
		return r.Units(), "modbus+rtu://" + r.Path(), r, nil
	}
	t, err := devices.ServeTCP(world, net.Listen, seats[0].url.Host, on...)
	if err != nil {
		return nil, "", nil, err
	}
	return t.Units(), "modbus+tcp://" + t.Addr(), t, nil
}

// mend says what may be done about a wire that cannot be had.
func mend(at *url.URL, err error) string {
	switch at.Scheme {
	case "serial":
		return "a line carries one kind of board, and all but stx-board have one lift; no pseudo terminal may be to be had here (see /proc/sys/kernel/pty): serve this lift on serial+tcp://127.0.0.1:0"
	case "modbus+rtu":
		return "no pseudo terminal is to be had here (see /proc/sys/kernel/pty and /dev/ptmx): serve this lift on modbus+tcp://127.0.0.1:0"
	}
	return mendPort(at.Host, at.Scheme+"://127.0.0.1:0", err)
}
