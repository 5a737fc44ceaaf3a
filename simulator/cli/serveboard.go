package cli

import (
	"fmt"
	"io"
	"net"
	"net/url"
	"slices"
	"strings"
	"time"

	"hoistway/drivers/profiles/strict"
	"hoistway/simulator/devices"
)

// isBoard tells the schemes of boards that speak frames of their own.
func isBoard(scheme string) bool { return strings.HasPrefix(scheme, "serial") }

// boardAt looks whether a place of a board is one that can be served.
func boardAt(v *strict.Value, u *url.URL) *strict.Fault {
	bad := func(msg, hint string) *strict.Fault {
		f := v.Fault(msg, hint)
		return &f
	}
	speaks := u.Query().Get("speaks")
	if !slices.Contains(devices.BoardProtocols(), speaks) {
		return bad("a board speaks one of "+strings.Join(devices.BoardProtocols(), ", "), "serial+tcp://127.0.0.1:0?speaks=stx-board")
	}
	switch u.Scheme {
	case "serial":
		if u.Path != "" {
			return bad("a line has a name, not a path", "serial://bus1?speaks=stx-board&unit=1; lifts with one name share a line")
		}
	case "serial+tcp", "serial+udp":
		host, _, err := net.SplitHostPort(u.Host)
		if ip := net.ParseIP(host); err != nil || ip == nil || !ip.IsLoopback() {
			return bad("only a loopback address with a port is served", u.Scheme+"://127.0.0.1:0?speaks="+speaks)
		}
	default:
		return bad("no such protocol "+fmt.Sprintf("%q", u.Scheme), "serial, serial+tcp or serial+udp")
	}
	return nil
}

// raiseBoard puts lifts behind one board; at is where it answers, as a link begins.
func raiseBoard(world *devices.World, seats []seat) (b *devices.Board, at string, err error) {
	u := seats[0].url
	var on []devices.Seat
	for _, s := range seats {
		if s.url.Query().Get("speaks") != u.Query().Get("speaks") {
			return nil, "", fmt.Errorf("lifts %s and %s: a wire has one board", seats[0].lift, s.lift)
		}
		on = append(on, devices.Seat{Car: s.lift, Unit: s.unit})
	}
	speaks := u.Query().Get("speaks")
	switch u.Scheme {
	case "serial":
		b, err = devices.ServeBoardPTY(world, speaks, on...)
	case "serial+udp":
		b, err = devices.ServeBoardUDP(world, speaks, u.Host, on...)
	default:
		b, err = devices.ServeBoardTCP(world, speaks, net.Listen, u.Host, on...)
	}
	if err != nil {
		return nil, "", err
	}
	return b, u.Scheme + "://" + b.Where(), nil
}

// boardWire is a board, and how much of what it did was told.
type boardWire struct {
	board *devices.Board
	kind  string
	last  devices.Deed
}

func (w *boardWire) tell(out io.Writer, scene *buildingPicture) {
	all := w.board.Deeds()
	from := 0
	for n := len(all); n > 0 && from == 0; n-- {
		if all[n-1] == w.last {
			from = n
		}
	}
	for _, d := range all[from:] {
		fmt.Fprintf(out, "%s %s %s\n", clockOf(time.Duration(d.At)), d.Lift, d)
		scene.say(time.Duration(d.At), d.Lift, d.String(), !d.Taken)
		w.last = d
	}
}

// boardsOf puts up the wires of boards and says where each lift answers.
func (r *raised) boardsOf(world *devices.World, seats []seat, out io.Writer) error {
	b, at, err := raiseBoard(world, seats)
	if err != nil {
		return err
	}
	r.closers = append(r.closers, b)
	r.boards = append(r.boards, &boardWire{board: b, kind: seats[0].url.Query().Get("speaks")})
	for _, s := range seats {
		fmt.Fprintf(out, "%s %s (%s, unit %d)\n", s.lift, at, s.url.Query().Get("speaks"), s.unit)
	}
	return nil
}
