package modbus

import (
	"encoding/binary"
	"errors"
	"fmt"
	"time"

	goburrow "github.com/goburrow/modbus"

	"hoistway/drivers"
	"hoistway/drivers/fieldbus"
	"hoistway/drivers/profiles"
	"hoistway/fsm/elevator"
)

// speaker asks one unit in one framing. It is used by who has the line.
type speaker struct {
	pack    goburrow.Packager
	unit    byte
	rtu     bool
	anyUnit bool          // the answer may carry another unit's number
	echo    bool          // what is sent comes back before the answer
	rest    time.Duration // silence that the device wants between an answer and the next question
	now     func() elevator.Instant
	free    elevator.Instant // when the rest is over
}

func newSpeaker(to target, d profiles.Device, now func() elevator.Instant) *speaker {
	s := &speaker{
		unit: to.unit, rtu: to.rtu, anyUnit: d.AnyUnit, echo: to.echo,
		rest: max(d.Spacing, d.Turnaround), now: now,
	}
	if to.rtu {
		h := goburrow.NewRTUClientHandler("")
		h.SlaveId = to.unit
		s.pack = h
		return s
	}
	h := goburrow.NewTCPClientHandler("")
	h.SlaveId = to.unit
	s.pack = h
	return s
}

// transport carries the codec's frames over the line.
type transport struct {
	s *speaker
	w *fieldbus.Wire
}

// Send puts the line's own number on a TCP question: the codec counts for each
// unit, and two units on one connection would meet.
func (t transport) Send(ask []byte) ([]byte, error) {
	t.s.await()
	defer t.s.tire()
	if t.s.rtu {
		return t.sendRTU(ask)
	}
	if len(ask) <= headerSize {
		return nil, fmt.Errorf("question of %d bytes", len(ask))
	}
	w, err := wanted(t.s.unit, ask[headerSize:])
	if err != nil {
		return nil, err
	}
	w.any = t.s.anyUnit
	tid := t.w.Number()
	binary.BigEndian.PutUint16(ask, tid)
	f, err := t.w.Exchange(ask, headerSize+w.size, hearTCP(w, tid))
	if err == nil {
		f[6] = t.s.unit // the codec knows no other
	}
	return f, err
}

func (t transport) sendRTU(ask []byte) ([]byte, error) {
	if len(ask) <= rtuExtra {
		return nil, fmt.Errorf("question of %d bytes", len(ask))
	}
	w, err := wanted(t.s.unit, ask[1:len(ask)-2])
	if err != nil {
		return nil, err
	}
	hear := hearRTU(w, ask)
	if t.s.echo {
		hear = afterEcho(ask, w)
	}
	return t.w.Exchange(ask, w.size+rtuExtra, hear)
}

// await keeps the silence that the device wants. It is short by the schema.
func (s *speaker) await() {
	if s.rest > 0 && !s.free.Reached(s.now()) {
		time.Sleep(s.free.Until(s.now()))
	}
}

func (s *speaker) tire() {
	if s.rest > 0 {
		s.free = s.now().Add(s.rest)
	}
}

// read asks for count items and returns one word an item.
func (s *speaker) read(w *fieldbus.Wire, t profiles.Table, addr, count uint16) (words []uint16, err error) {
	defer guard(&err)
	c := goburrow.NewClient2(s.pack, transport{s, w})
	var b []byte
	switch t {
	case profiles.Coils:
		b, err = c.ReadCoils(addr, count)
	case profiles.DiscreteInputs:
		b, err = c.ReadDiscreteInputs(addr, count)
	case profiles.HoldingRegisters:
		b, err = c.ReadHoldingRegisters(addr, count)
	case profiles.InputRegisters:
		b, err = c.ReadInputRegisters(addr, count)
	default:
		return nil, fmt.Errorf("%w: no such table", drivers.ErrConfig)
	}
	if err != nil {
		return nil, classify(err)
	}
	return unpack(b, isBits(t), int(count))
}

// put carries out one write, which may have to know what stands there. Between its
// read and its write nobody else of ours gets on the line.
func (s *speaker) put(w *fieldbus.Wire, x profiles.Write) error {
	if x.Mask == 0 && !x.Changed {
		return s.write(w, x)
	}
	had, err := s.read(w, x.Table, x.Addr, 1)
	if err != nil {
		return err
	}
	due := x.Values[0]
	if x.Mask != 0 {
		due = had[0]&^x.Mask | due&x.Mask
	}
	if x.Changed && due == had[0] {
		return nil
	}
	x.Values = []uint16{due}
	return s.write(w, x)
}

// write asks for one write.
func (s *speaker) write(w *fieldbus.Wire, x profiles.Write) (err error) {
	defer guard(&err)
	c := goburrow.NewClient2(s.pack, transport{s, w})
	n := uint16(len(x.Values))
	switch {
	case x.Table == profiles.Coils && x.Raw:
		return hint(s.writeRaw(w, x), x)
	case x.Table == profiles.Coils && n == 1 && !x.Multi:
		_, err = c.WriteSingleCoil(x.Addr, x.Values[0]*0xFF00)
	case x.Table == profiles.Coils:
		_, err = c.WriteMultipleCoils(x.Addr, n, packBits(x.Values))
	case n == 1 && !x.Multi:
		_, err = c.WriteSingleRegister(x.Addr, x.Values[0])
	default:
		_, err = c.WriteMultipleRegisters(x.Addr, n, packWords(x.Values))
	}
	return hint(classify(err), x)
}

// writeRaw writes a coil with a value of the device's own, which the codec refuses.
func (s *speaker) writeRaw(w *fieldbus.Wire, x profiles.Write) error {
	ask := &goburrow.ProtocolDataUnit{FunctionCode: goburrow.FuncCodeWriteSingleCoil, Data: packWords([]uint16{x.Addr, x.Values[0]})}
	f, err := s.pack.Encode(ask)
	if err != nil {
		return fmt.Errorf("%w: %w", drivers.ErrConfig, err)
	}
	f, err = transport{s, w}.Send(f)
	if err != nil {
		return classify(err)
	}
	a, err := s.pack.Decode(f)
	switch {
	case err != nil:
		return fmt.Errorf("%w: %w", drivers.ErrProtocol, err)
	case a.FunctionCode == ask.FunctionCode|0x80 && len(a.Data) == 1:
		return refusal(a.Data[0])
	}
	return nil // that it repeats the question was judged when it came
}

// guard turns a panic of the codec into an answer that does not fit.
func guard(err *error) {
	if r := recover(); r != nil {
		*err = fmt.Errorf("%w: codec: %v", drivers.ErrProtocol, r)
	}
}

// classify keeps our own errors, turns exceptions into refusals, and calls all
// else an answer that does not fit.
func classify(err error) error {
	var ex *goburrow.ModbusError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &ex):
		return refusal(ex.ExceptionCode)
	case isOurs(err):
		return err
	}
	return fmt.Errorf("%w: %w", drivers.ErrProtocol, err)
}

func isOurs(err error) bool {
	for _, kind := range []error{drivers.ErrTimeout, drivers.ErrLink, drivers.ErrProtocol, drivers.ErrConfig} {
		if errors.Is(err, kind) {
			return true
		}
	}
	return errors.Is(err, fieldbus.ErrExpired)
}
