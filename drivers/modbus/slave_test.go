package modbus

import (
	"encoding/binary"
	"io"
	"net"
	"sync"
	"time"

	"hoistway/drivers/drivertest"
	"hoistway/fsm/elevator"
)

// slave is a controller that follows the bench map, written from that map's page
// by hand. It shares no code with the driver: not the frames, not the checksum.
type slave struct {
	unit byte
	late time.Duration // how long a late answer takes

	mu      sync.Mutex
	input   [14]uint16
	coil    [4]bool
	spoilR  drivertest.Spoil
	spoilW  drivertest.Spoil
	pressed []drivertest.Press
}

func newSlave() *slave {
	s := &slave{unit: 1, late: 1300 * time.Millisecond, spoilR: drivertest.Sound, spoilW: drivertest.Sound}
	s.input[4] = 1
	return s
}

func (s *slave) Show(f drivertest.Face) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.input[0] = uint16(f.Floor)
	s.input[1] = map[elevator.Motion]uint16{elevator.Stopped: 0, elevator.MovingUp: 1, elevator.MovingDown: 2}[f.Motion]
	s.input[2] = map[elevator.Door]uint16{
		elevator.DoorClosed: 1, elevator.DoorOpening: 2, elevator.DoorOpen: 3, elevator.DoorClosing: 4,
	}[f.Door]
}

func (s *slave) Spoil(how drivertest.Spoil, writes bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if writes {
		s.spoilW = how
	} else {
		s.spoilR = how
	}
}

func (s *slave) Pressed() []drivertest.Press {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]drivertest.Press(nil), s.pressed...)
}

func (s *slave) Level() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.coil[0]
}

// answer serves one request: function and data in, the same out.
func (s *slave) answer(q []byte) (a []byte, how drivertest.Spoil) {
	s.mu.Lock()
	defer s.mu.Unlock()
	addr, n := binary.BigEndian.Uint16(q[1:]), binary.BigEndian.Uint16(q[3:])
	switch q[0] {
	case 4:
		return s.serveInputs(addr, n), s.spoilR
	case 5:
		return s.writeCoil(q, addr, n), s.spoilW
	case 6:
		return s.writeRegister(q, addr, n), s.spoilW
	}
	return []byte{q[0] | 0x80, 1}, drivertest.Sound
}

func (s *slave) serveInputs(addr, n uint16) []byte {
	if int(addr)+int(n) > len(s.input) || n == 0 {
		return []byte{0x84, 2}
	}
	a := []byte{4, byte(2 * n)}
	for _, v := range s.input[addr : addr+n] {
		a = append(a, byte(v>>8), byte(v))
	}
	return a
}

func (s *slave) writeCoil(q []byte, addr, v uint16) []byte {
	if int(addr) >= len(s.coil) || v != 0 && v != 0xFF00 {
		return []byte{0x85, 2}
	}
	s.coil[addr] = v != 0
	return q[:5]
}

func (s *slave) writeRegister(q []byte, addr, v uint16) []byte {
	if s.spoilW == drivertest.Refuse {
		return []byte{0x86, 6}
	}
	verbs := map[uint16]elevator.Verb{0: elevator.LandingCall, 1: elevator.LandingCall, 2: elevator.CarCall, 3: elevator.Hold, 4: elevator.Hold}
	p := drivertest.Press{Verb: verbs[addr]}
	if p.Verb == elevator.Hold {
		if s.input[2] != 2 && s.input[2] != 3 {
			return []byte{0x86, 6}
		}
		s.input[13] = v
	} else {
		if v < 1 || v > 16 {
			return []byte{0x86, 3}
		}
		p.Floor = elevator.Floor(v)
	}
	s.pressed = append(s.pressed, p)
	return q[:5]
}

// spoilt turns a right frame into what is sent, and says how late.
func (s *slave) spoilt(f []byte, how drivertest.Spoil) ([]byte, time.Duration) {
	switch how {
	case drivertest.Silent:
		return nil, 0
	case drivertest.Late:
		return f, s.late
	case drivertest.Short:
		return f[:len(f)/2], 0
	case drivertest.Garbled:
		f[len(f)-1] ^= 0x41
		f[len(f)/2] ^= 0x10
	}
	return f, 0
}

// serveTCP answers on one connection until it ends.
func (s *slave) serveTCP(c io.ReadWriteCloser) {
	defer c.Close()
	for {
		h := make([]byte, 7)
		if _, err := io.ReadFull(c, h); err != nil {
			return
		}
		q := make([]byte, int(h[4])<<8+int(h[5])-1)
		if _, err := io.ReadFull(c, q); err != nil {
			return
		}
		if h[6] != s.unit {
			continue
		}
		a, how := s.answer(q)
		f := append([]byte{h[0], h[1], 0, 0, 0, byte(len(a) + 1), h[6]}, a...)
		switch how {
		case drivertest.Foreign:
			f[1] ^= 0x55 // the answer to another question
		case drivertest.Garbled:
			f[5] += 40 // a length that never comes, and bits in the data
		}
		f, wait := s.spoilt(f, how)
		time.Sleep(wait)
		if _, err := c.Write(f); err != nil {
			return
		}
	}
}

// serveRTU answers on a line of RTU frames until it ends. Requests are read by
// their length: all that are spoken here have eight bytes.
func (s *slave) serveRTU(c io.ReadWriter) {
	q := make([]byte, 8)
	for {
		if _, err := io.ReadFull(c, q); err != nil {
			return
		}
		if slowSum(q[:6]) != [2]byte(q[6:]) || q[0] != s.unit {
			continue
		}
		a, how := s.answer(q[1:6])
		f := append([]byte{q[0]}, a...)
		if how == drivertest.Foreign {
			f[0] ^= 0x08 // another unit
		}
		sum := slowSum(f)
		f = append(f, sum[0], sum[1])
		f, wait := s.spoilt(f, how)
		time.Sleep(wait)
		if _, err := c.Write(f); err != nil {
			return
		}
	}
}

// slowSum is the checksum by long division of polynomials over the bits, as the
// standard words it, low byte first.
func slowSum(b []byte) [2]byte {
	reg := [16]bool{}
	for i := range reg {
		reg[i] = true
	}
	for _, x := range b {
		for bit := range 8 {
			out := reg[0] != (x>>bit&1 == 1)
			copy(reg[:], reg[1:])
			reg[15] = false
			for _, tap := range []int{0, 13, 15} {
				reg[tap] = reg[tap] != out
			}
		}
	}
	var sum [2]byte
	for i, on := range reg {
		if on {
			sum[i/8] |= 1 << (i % 8)
		}
	}
	return sum
}

// socket makes a slave reachable: over a pipe or a real socket.
type socket struct {
	*slave
	serve func(io.ReadWriteCloser)
	mu    sync.Mutex
	on    bool
	conns map[net.Conn]bool
	wg    sync.WaitGroup
}

func newSocket(s *slave, rtu bool) *socket {
	k := &socket{slave: s, conns: make(map[net.Conn]bool)}
	k.serve = s.serveTCP
	if rtu {
		k.serve = func(c io.ReadWriteCloser) {
			defer c.Close()
			s.serveRTU(c)
		}
	}
	return k
}

// accept serves a connection; false when the power is off.
func (k *socket) accept(c net.Conn) bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	if !k.on {
		c.Close()
		return false
	}
	k.conns[c] = true
	k.wg.Go(func() {
		k.serve(c)
		k.mu.Lock()
		defer k.mu.Unlock()
		delete(k.conns, c)
	})
	return true
}

func (k *socket) Power(on bool) {
	k.mu.Lock()
	k.on = on
	for c := range k.conns {
		if !on {
			c.Close()
		}
	}
	k.mu.Unlock()
	if !on {
		k.wg.Wait()
	}
}
