package modbus

import (
	"encoding/binary"
	"errors"
	"fmt"

	goburrow "github.com/goburrow/modbus"

	"hoistway/drivers"
	"hoistway/drivers/fieldbus"
	"hoistway/drivers/profiles"
)

// speaker asks one unit in one framing. It is used on the line's goroutine only.
type speaker struct {
	pack goburrow.Packager
	unit byte
	rtu  bool
}

func newSpeaker(unit byte, rtu bool) *speaker {
	if rtu {
		h := goburrow.NewRTUClientHandler("")
		h.SlaveId = unit
		return &speaker{h, unit, true}
	}
	h := goburrow.NewTCPClientHandler("")
	h.SlaveId = unit
	return &speaker{h, unit, false}
}

// transport carries the codec's frames over the line.
type transport struct {
	s *speaker
	w *fieldbus.Wire
}

// Send puts the line's own number on a TCP question: the codec counts for each
// unit, and two units on one connection would meet.
func (t transport) Send(ask []byte) ([]byte, error) {
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
	tid := t.w.Number()
	binary.BigEndian.PutUint16(ask, tid)
	return t.w.Exchange(ask, headerSize+w.size, hearTCP(w, tid))
}

func (t transport) sendRTU(ask []byte) ([]byte, error) {
	if len(ask) <= rtuExtra {
		return nil, fmt.Errorf("question of %d bytes", len(ask))
	}
	w, err := wanted(t.s.unit, ask[1:len(ask)-2])
	if err != nil {
		return nil, err
	}
	return t.w.Exchange(ask, w.size+rtuExtra, hearRTU(w, ask))
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

// write asks for one write.
func (s *speaker) write(w *fieldbus.Wire, x profiles.Write) (err error) {
	defer guard(&err)
	c := goburrow.NewClient2(s.pack, transport{s, w})
	n := uint16(len(x.Values))
	switch {
	case x.Table == profiles.Coils && n == 1 && !x.Multi:
		_, err = c.WriteSingleCoil(x.Addr, x.Values[0]*0xFF00)
	case x.Table == profiles.Coils:
		_, err = c.WriteMultipleCoils(x.Addr, n, packBits(x.Values))
	case n == 1 && !x.Multi:
		_, err = c.WriteSingleRegister(x.Addr, x.Values[0])
	default:
		_, err = c.WriteMultipleRegisters(x.Addr, n, packWords(x.Values))
	}
	return classify(err)
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
