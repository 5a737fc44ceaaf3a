package modbus

import (
	"net/url"
	"time"

	"hoistway/drivers"
	"hoistway/drivers/fieldbus"
)

// Schemes of link URLs.
const (
	SchemeTCP        = "modbus+tcp"
	SchemeRTU        = "modbus+rtu"
	SchemeRTUOverTCP = "modbus+rtu+tcp"
)

// target is a checked link URL.
type target struct {
	line    fieldbus.Spec
	rtu     bool
	unit    byte
	timeout time.Duration
	timed   bool // the link says its timeout
	echo    bool // the adapter gives back what is sent
}

// parseTarget reads a link URL; it tells the first fault.
func parseTarget(u *url.URL) (target, error) {
	t := target{rtu: u.Scheme != SchemeTCP, timeout: time.Second}
	q := drivers.NewQuery(u)
	if u.Scheme == SchemeRTU {
		t.timeout = 500 * time.Millisecond
		t.line = fieldbus.PortLine(u, q, 8)
	} else {
		t.line = fieldbus.HostLine(u, q, "502")
	}
	t.line.Speech, t.line.Blind = "modbus-tcp", t.rtu
	if t.rtu {
		t.line.Speech = "modbus-rtu"
	}
	t.unit = unit(q, t.rtu)
	t.timed = q.Has("timeout")
	if t.rtu {
		t.echo = q.Word("echo", "off", "on") == "on"
	}
	t.timeout = q.Duration("timeout", t.timeout, 10*time.Millisecond, 30*time.Second)
	q.NothingElse()
	return t, q.Err()
}

// unit reads the address of the device. On a line of RTU frames 0 means all of
// them and is never answered; over TCP devices answer to 0. 255 is outside the
// standard, and what some relay boards are delivered with.
func unit(q *drivers.Query, rtu bool) byte {
	low := 0
	if rtu {
		low = 1
	}
	n := q.Number("unit", 1, low, 255)
	if n > 247 && n < 255 {
		q.Fail("unit %d: a number from %d to 247, or 255, is expected", n, low)
	}
	return byte(n)
}
