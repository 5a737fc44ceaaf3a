package modbus

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"

	"hoistway/drivers"
	"hoistway/drivers/profiles"
	"hoistway/fsm/elevator"
)

// Kind is what came upon one raw question.
type Kind uint8

const (
	Silence   Kind = iota // not a byte
	Answered              // a fitting answer
	Exception             // a valid no
	Foreign               // a valid frame of somebody else, or of another function
	Damaged               // bytes, but no valid frame among them
	EchoOnly              // nothing but our own question
)

var kindNames = [...]string{"silence", "answer", "exception", "foreign", "damaged", "echo"}

func (k Kind) String() string {
	if int(k) < len(kindNames) {
		return kindNames[k]
	}
	return "invalid"
}

// Reply is what came upon one raw question.
type Reply struct {
	Kind   Kind
	PDU    []byte // function and data of the first valid frame
	Unit   byte   // who sent it
	Code   byte   // of an exception
	Bytes  []byte // all that came
	Took   time.Duration
	Echo   bool // our own question stood in front
	Frames int  // valid frames; more than one is more than one speaker
	Stray  int  // bytes that belong to no valid frame
}

// Raw asks one question at a time of an open line, with nothing between: no queue,
// no repetition, no memory. It is for finding out why a line does not talk, on a
// line that nobody else uses. Not safe for concurrent use.
type Raw struct {
	rw     io.ReadWriteCloser
	rtu    bool
	now    func() elevator.Instant
	trace  func(drivers.Frame)
	line   string
	tid    uint16
	chunks chan []byte
	once   sync.Once
	quit   chan struct{}
	ended  chan struct{}
}

// hush is the silence after which no more of an answer is awaited. USB adapters
// hold bytes back for up to 16 ms.
const hush = 40 * time.Millisecond

// NewRaw takes an open stream over; Close closes it. rtu tells frames with a
// checksum from those with a header. trace may be nil.
func NewRaw(rw io.ReadWriteCloser, rtu bool, env drivers.Env, line string) *Raw {
	r := &Raw{
		rw: rw, rtu: rtu, now: env.Now, trace: env.Trace, line: line,
		chunks: make(chan []byte, 64), quit: make(chan struct{}), ended: make(chan struct{}),
	}
	go r.pump()
	return r
}

func (r *Raw) pump() {
	defer close(r.ended)
	defer func() { _ = recover() }() // the serial library panics on a high descriptor
	for {
		b := make([]byte, 512)
		n, err := r.rw.Read(b)
		if n > 0 {
			select {
			case r.chunks <- b[:n]:
			case <-r.quit:
				return
			}
		}
		if err != nil {
			return
		}
		if n == 0 {
			time.Sleep(time.Millisecond)
		}
	}
}

// Close ends the reader and closes the stream. A second Close does nothing.
func (r *Raw) Close() (err error) {
	r.once.Do(func() {
		close(r.quit)
		err = r.rw.Close()
		<-r.ended
	})
	return err
}

// Ask asks once and listens for wait, and then on until the line is silent. An
// error means that the stream broke, not that nobody answered.
func (r *Raw) Ask(ctx context.Context, unit byte, pdu []byte, wait time.Duration) (Reply, error) {
	r.drain()
	r.tid++
	ask := frame(r.rtu, r.tid, unit, pdu)
	r.note(true, ask)
	start := time.Now()
	if _, err := r.rw.Write(ask); err != nil {
		return Reply{}, fmt.Errorf("%w: %w", drivers.ErrLink, err)
	}
	in, took, err := r.listen(ctx, start, wait)
	if len(in) > 0 {
		r.note(false, in)
	}
	rep := r.judge(unit, pdu, ask, in)
	rep.Took = took
	return rep, err
}

// Listen says nothing and returns what comes within d.
func (r *Raw) Listen(ctx context.Context, d time.Duration) ([]byte, error) {
	t := time.NewTimer(d)
	defer t.Stop()
	var in []byte
	for {
		select {
		case b := <-r.chunks:
			r.note(false, b)
			in = append(in, b...)
		case <-t.C:
			return in, nil
		case <-ctx.Done():
			return in, ctx.Err()
		case <-r.ended:
			return in, fmt.Errorf("%w: it ended", drivers.ErrLink)
		}
	}
}

func (r *Raw) drain() {
	for {
		select {
		case <-r.chunks:
		default:
			return
		}
	}
}

// listen waits for a first byte, and then for silence.
func (r *Raw) listen(ctx context.Context, start time.Time, wait time.Duration) (in []byte, took time.Duration, err error) {
	t := time.NewTimer(wait)
	defer t.Stop()
	for {
		select {
		case b := <-r.chunks:
			if in == nil {
				took = time.Since(start)
			}
			in = append(in, b...)
			if len(in) > 4096 {
				return in, took, nil
			}
			t.Reset(hush)
		case <-t.C:
			return in, took, nil
		case <-ctx.Done():
			return in, took, ctx.Err()
		case <-r.ended:
			if len(in) > 0 {
				return in, took, nil
			}
			return in, took, fmt.Errorf("%w: the other side hung up", drivers.ErrLink)
		}
	}
}

func (r *Raw) note(out bool, b []byte) {
	if r.trace != nil {
		r.trace(drivers.Frame{Line: r.line, Out: out, At: r.now(), Data: append([]byte(nil), b...)})
	}
}

// judge finds out what came.
func (r *Raw) judge(unit byte, pdu, ask, in []byte) Reply {
	rep := Reply{Bytes: in}
	if len(in) == 0 {
		return rep
	}
	rest := in
	if r.rtu && len(in) >= len(ask) && string(in[:len(ask)]) == string(ask) && !isAck(pdu) {
		rep.Echo, rest = true, in[len(ask):]
		if len(rest) == 0 {
			rep.Kind = EchoOnly
			return rep
		}
	}
	first := Heard{}
	heard, stray := split(rest, r.rtu)
	rep.Frames, rep.Stray = len(heard), stray
	for _, h := range heard {
		if first.PDU == nil || h.Unit == unit && first.Unit != unit {
			first = h
		}
	}
	return rep.of(first, unit, pdu)
}

func (rep Reply) of(first Heard, unit byte, pdu []byte) Reply {
	rep.PDU, rep.Unit = first.PDU, first.Unit
	switch {
	case first.PDU == nil:
		rep.Kind = Damaged
	case first.Unit != unit, first.PDU[0]&0x7F != pdu[0]:
		rep.Kind = Foreign
	case first.PDU[0] >= 0x80:
		rep.Kind, rep.Code = Exception, first.PDU[1]
	default:
		rep.Kind = Answered
	}
	return rep
}

// isAck reports that the answer to a question is the question itself.
func isAck(pdu []byte) bool { return pdu[0] == 5 || pdu[0] == 6 }

// frame puts unit and framing around function and data.
func frame(rtu bool, tid uint16, unit byte, pdu []byte) []byte {
	if rtu {
		b := append([]byte{unit}, pdu...)
		return binary.LittleEndian.AppendUint16(b, checksum(b))
	}
	b := binary.BigEndian.AppendUint16(nil, tid)
	b = binary.BigEndian.AppendUint16(b, 0)
	b = binary.BigEndian.AppendUint16(b, uint16(len(pdu)+1))
	return append(append(b, unit), pdu...)
}

// ReadPDU is the question of Ask for a read of a plan.
func ReadPDU(b profiles.Block) []byte {
	return question{table: b.Table, addr: b.Addr, count: b.Count}.pdu()
}

// IdentityPDU asks who a device is (function 43, its basic texts).
func IdentityPDU() []byte { return []byte{43, 14, 1, 0} }

// Identity reads the answer to IdentityPDU: vendor, product and version, as far
// as they are told.
func Identity(pdu []byte) ([]string, error) {
	if len(pdu) < 7 || pdu[0] != 43 || pdu[1] != 14 {
		return nil, errors.New("no identification")
	}
	var out []string
	at := 7
	for range pdu[6] {
		if at+2 > len(pdu) || at+2+int(pdu[at+1]) > len(pdu) {
			return out, errors.New("the identification ends early")
		}
		n := int(pdu[at+1])
		out = append(out, string(pdu[at+2:at+2+n]))
		at += 2 + n
	}
	return out, nil
}

// Words reads the answer to a ReadPDU.
func Words(b profiles.Block, pdu []byte) ([]uint16, error) {
	if len(pdu) < 2 || int(pdu[1]) != len(pdu)-2 {
		return nil, fmt.Errorf("%w: %d bytes", drivers.ErrProtocol, len(pdu))
	}
	return unpack(pdu[2:], isBits(b.Table), int(b.Count))
}
