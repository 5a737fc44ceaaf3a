package modbus

import (
	"bytes"
	"context"
	"encoding/hex"
	"errors"
	"io"
	"net"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"hoistway/drivers"
	"hoistway/drivers/fieldbus"
	"hoistway/drivers/profiles"
	"hoistway/fsm/elevator"
)

// octets reads "11 03 | AE 41": a bar is a pause between what comes.
func octets(s string) (parts [][]byte) {
	for part := range strings.SplitSeq(s, "|") {
		b, err := hex.DecodeString(strings.ReplaceAll(part, " ", ""))
		if err != nil {
			panic(err)
		}
		parts = append(parts, b)
	}
	return parts
}

// talk runs one question of unit against a far end that answers it with answer,
// and returns what was asked in hex.
func talk(t *testing.T, rtu bool, unit byte, answer string, ask func(*speaker, *fieldbus.Wire) error) (asked string, err error) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		near, far := net.Pipe()
		defer far.Close()
		env := drivers.Env{
			Now:        clock(),
			Dial:       func(context.Context, string, string) (net.Conn, error) { return near, nil },
			OpenSerial: func(string, drivers.SerialMode) (io.ReadWriteCloser, error) { return near, nil },
		}
		line := fieldbus.Spec{Network: fieldbus.TCP, Address: "x:1"}
		if rtu {
			line = fieldbus.Spec{Network: fieldbus.Serial, Address: "/x", Mode: drivers.SerialMode{Baud: 9600}, Blind: true}
		}
		ls := fieldbus.NewLines(env)
		defer ls.CloseAll()
		p, joinErr := ls.Join(line, fieldbus.Member{Unit: unit, Timeout: time.Second})
		if joinErr != nil {
			t.Fatal(joinErr)
		}
		heard := make(chan string, 1)
		go func() {
			b := make([]byte, 512)
			n, _ := far.Read(b)
			heard <- strings.ToUpper(hex.EncodeToString(b[:n]))
			for _, part := range octets(answer) {
				time.Sleep(10 * time.Millisecond)
				if _, err := far.Write(part); err != nil {
					return
				}
			}
		}()
		s := newSpeaker(target{unit: unit, rtu: rtu}, profiles.Device{}, clock())
		err = p.Do(t.Context(), fieldbus.Command{Writes: []fieldbus.Write{{
			Ask: func(w *fieldbus.Wire) error { return ask(s, w) },
		}}}).Err
		asked = <-heard
	})
	return asked, err
}

func plain(s string) string { return strings.ReplaceAll(s, " ", "") }

func reads(into *[]uint16, t profiles.Table, addr, n uint16) func(*speaker, *fieldbus.Wire) error {
	return func(s *speaker, w *fieldbus.Wire) (err error) {
		*into, err = s.read(w, t, addr, n)
		return err
	}
}

// The frames of this table are from published descriptions of the protocol, with
// their checksums; none was made by this program.
// DR-1
func TestFramesRTU(t *testing.T) {
	type row struct {
		name, ask, answer string
		table             profiles.Table
		addr, n           uint16
		write             *profiles.Write
		want              []uint16
	}
	for _, r := range []row{
		{"read holding registers", "11 03 00 6B 00 03 76 87", "11 03 06 AE 41 56 52 43 40 49 AD", profiles.HoldingRegisters, 0x6B, 3, nil, []uint16{0xAE41, 0x5652, 0x4340}},
		{"read input registers", "11 04 00 08 00 01 B2 98", "11 04 02 00 0A F8 F4", profiles.InputRegisters, 8, 1, nil, []uint16{10}},
		{"read coils", "11 01 00 13 00 25 0E 84", "11 01 05 CD 6B B2 0E 1B 45 E6", profiles.Coils, 0x13, 37, nil, []uint16{
			1, 0, 1, 1, 0, 0, 1, 1, 1, 1, 0, 1, 0, 1, 1, 0, 0, 1, 0, 0, 1, 1, 0, 1, 0, 1, 1, 1, 0, 0, 0, 0, 1, 1, 0, 1, 1,
		}},
		{"read inputs", "11 02 00 C4 00 16 BA A9", "11 02 03 AC DB 35 20 18", profiles.DiscreteInputs, 0xC4, 22, nil, []uint16{
			0, 0, 1, 1, 0, 1, 0, 1, 1, 1, 0, 1, 1, 0, 1, 1, 1, 0, 1, 0, 1, 1,
		}},
		{"write coil", "11 05 00 AC FF 00 4E 8B", "11 05 00 AC FF 00 4E 8B", 0, 0, 0, &profiles.Write{Table: profiles.Coils, Addr: 0xAC, Values: []uint16{1}}, nil},
		{"write register", "11 06 00 01 00 03 9A 9B", "11 06 00 01 00 03 9A 9B", 0, 0, 0, &profiles.Write{Table: profiles.HoldingRegisters, Addr: 1, Values: []uint16{3}}, nil},
		{"write coils", "11 0F 00 13 00 0A 02 CD 01 BF 0B", "11 0F 00 13 00 0A 26 99", 0, 0, 0, &profiles.Write{
			Table: profiles.Coils, Addr: 0x13, Values: []uint16{1, 0, 1, 1, 0, 0, 1, 1, 1, 0},
		}, nil},
		{"write registers", "11 10 00 01 00 02 04 00 0A 01 02 C6 F0", "11 10 00 01 00 02 12 98", 0, 0, 0, &profiles.Write{
			Table: profiles.HoldingRegisters, Addr: 1, Values: []uint16{10, 0x102},
		}, nil},
	} {
		t.Run(r.name, func(t *testing.T) {
			var got []uint16
			ask := reads(&got, r.table, r.addr, r.n)
			if r.write != nil {
				ask = func(s *speaker, w *fieldbus.Wire) error { return s.write(w, *r.write) }
			}
			asked, err := talk(t, true, 0x11, r.answer, ask)
			if asked != plain(r.ask) || err != nil || !slices.Equal(got, r.want) {
				t.Errorf("asked %s, want %s\ngot %v, %v, want %v", asked, plain(r.ask), got, err, r.want)
			}
		})
	}
}

// Questions of a published register list of a door drive, with its checksums.
func TestQuestionsRTU(t *testing.T) {
	for unit, r := range map[byte]struct {
		n    uint16
		want string
	}{0x18: {7, "18 03 00 01 00 07 57 C1"}, 0x19: {1, "19 03 00 01 00 01 D6 12"}} {
		asked, err := talk(t, true, unit, "", reads(new([]uint16), profiles.HoldingRegisters, 1, r.n))
		if asked != plain(r.want) || !errors.Is(err, drivers.ErrTimeout) {
			t.Errorf("asked %s, want %s; %v", asked, r.want, err)
		}
	}
}

var words3 = []uint16{0xAE41, 0x5652, 0x4340}

// What may come instead of the answer to three registers of unit 17 from 0x6B.
// DR-11
func TestAnswersRTU(t *testing.T) {
	const right = "11 03 06 AE 41 56 52 43 40 49 AD"
	for _, r := range []struct {
		name, answer string
		want         []uint16
		err          error
	}{
		{"in pieces", "11 | 03 06 AE | 41 56 52 43 | 40 49 | AD", words3, nil},
		{"noise before it", "00 FF " + right, words3, nil},
		{"its own unit as noise before it", "11 " + right, words3, nil},
		{"another unit's answer before it", "12 03 06 AE 41 56 52 43 40 5D 5D" + right, words3, nil},
		{"a late answer to two registers before it", "11 03 04 AE 41 56 52 25 53 |" + right, words3, nil},
		{"an acknowledgement before it", "11 06 00 01 00 03 9A 9B " + right, words3, nil},
		{"a broken one before it", "11 03 06 AE 41 56 52 43 41 49 AD | " + right, words3, nil},
		{"a broken length before it", "11 03 FF AE 41 56 52 43 40 49 AD | " + right, words3, nil},
		{"nothing", "", nil, drivers.ErrTimeout},
		{"half of it", "11 03 06 AE 41", nil, drivers.ErrTimeout},
		{"all but a byte", "11 03 06 AE 41 56 52 43 40 49", nil, drivers.ErrTimeout},
		{"a bit turned", "11 03 06 AE 41 56 52 43 41 49 AD", nil, drivers.ErrTimeout},
		{"fewer registers", "11 03 04 AE 41 56 52 25 53", nil, drivers.ErrTimeout},
		{"another function", "11 04 06 AE 41 56 52 43 40 08 4B", nil, drivers.ErrTimeout},
		{"another unit", "12 03 06 AE 41 56 52 43 40 5D 5D", nil, drivers.ErrTimeout},
		{"our question", "11 03 00 6B 00 03 76 87 " + right, nil, drivers.ErrProtocol},
		{"busy, in pieces", "11 83 06 C0 | F7", nil, drivers.ErrBusy},
		{"takes long", "11 83 05 80 F6", nil, drivers.ErrBusy},
		{"behind a gateway", "11 83 0B 01 32", nil, drivers.ErrDevice},
		{"an exception nobody documents", "11 83 21 80 ED", nil, drivers.ErrProtocol},
		{"an exception to something else", "11 86 02 C2 64", nil, drivers.ErrTimeout},
	} {
		t.Run(r.name, func(t *testing.T) {
			var got []uint16
			_, err := talk(t, true, 0x11, r.answer, reads(&got, profiles.HoldingRegisters, 0x6B, 3))
			if !slices.Equal(got, r.want) || !errors.Is(err, r.err) {
				t.Errorf("got %v, %v; want %v, %v", got, err, r.want, r.err)
			}
		})
	}
}

// The same over TCP. The line counts its questions from 1.
// DR-11
func TestAnswersTCP(t *testing.T) {
	const right = "00 01 00 00 00 09 11 03 06 AE 41 56 52 43 40"
	for _, r := range []struct {
		name, answer string
		want         []uint16
		err          error
	}{
		{"as asked", right, words3, nil},
		{"in pieces", "00 | 01 00 00 | 00 09 11 03 06 AE | 41 56 52 43 40", words3, nil},
		{"another question's before it", "00 00 00 00 00 09 11 03 06 00 01 00 02 00 03 " + right, words3, nil},
		{"another unit's before it", "00 01 00 00 00 09 12 03 06 00 01 00 02 00 03 " + right, words3, nil},
		{"nothing", "", nil, drivers.ErrTimeout},
		{"half of it", "00 01 00 00 00 09 11 03 06 AE", nil, drivers.ErrTimeout},
		{"another question's", "00 02 00 00 00 09 11 03 06 AE 41 56 52 43 40", nil, drivers.ErrTimeout},
		{"another unit's", "00 01 00 00 00 09 12 03 06 AE 41 56 52 43 40", nil, drivers.ErrTimeout},
		{"one register of three", "00 01 00 00 00 05 11 03 02 AE 41", nil, drivers.ErrProtocol},
		{"one register that claims to be three", "00 01 00 00 00 05 11 03 06 AE 41", nil, drivers.ErrProtocol},
		{"more registers", "00 01 00 00 00 0B 11 03 08 AE 41 56 52 43 40 00 00", nil, drivers.ErrProtocol},
		{"another function", "00 01 00 00 00 09 11 04 06 AE 41 56 52 43 40", nil, drivers.ErrProtocol},
		{"no data", "00 01 00 00 00 02 11 03", nil, drivers.ErrProtocol},
		{"another protocol", "00 01 00 01 00 09 11 03 06 AE 41 56 52 43 40", nil, drivers.ErrProtocol},
		{"a length of nothing", "00 01 00 00 00 00 11", nil, drivers.ErrProtocol},
		{"a length past all measure", "00 01 00 00 FF FF 11 03 06 AE", nil, drivers.ErrProtocol},
		{"a page of the web", hex.EncodeToString([]byte("HTTP/1.1 400 Bad Request\r\n\r\n")), nil, drivers.ErrProtocol},
		{"not known", "00 01 00 00 00 03 11 83 02", nil, drivers.ErrConfig},
		{"an exception with no code", "00 01 00 00 00 02 11 83", nil, drivers.ErrProtocol},
		{"an exception that says more", "00 01 00 00 00 04 11 83 02 00", nil, drivers.ErrProtocol},
	} {
		t.Run(r.name, func(t *testing.T) {
			var got []uint16
			asked, err := talk(t, false, 0x11, r.answer, reads(&got, profiles.HoldingRegisters, 0x6B, 3))
			if asked != plain("00 01 00 00 00 06 11 03 00 6B 00 03") {
				t.Errorf("asked %s", asked)
			}
			if !slices.Equal(got, r.want) || !errors.Is(err, r.err) {
				t.Errorf("got %v, %v; want %v, %v", got, err, r.want, r.err)
			}
		})
	}
}

// An acknowledgement counts only when it repeats the write.
func TestAcknowledgements(t *testing.T) {
	three := profiles.Write{Table: profiles.HoldingRegisters, Addr: 1, Values: []uint16{3}}
	write := func(s *speaker, w *fieldbus.Wire) error { return s.write(w, three) }
	for _, r := range []struct {
		name, answer string
		rtu          bool
		err          error
	}{
		{"another value, RTU", "11 06 00 01 00 04 DB 59", true, drivers.ErrTimeout},
		{"another value, then the right one, RTU", "11 06 00 01 00 04 DB 59 11 06 00 01 00 03 9A 9B", true, nil},
		{"another value, TCP", "00 01 00 00 00 06 11 06 00 01 00 04", false, drivers.ErrProtocol},
		{"another address, TCP", "00 01 00 00 00 06 11 06 00 02 00 03", false, drivers.ErrProtocol},
		{"right, TCP", "00 01 00 00 00 06 11 06 00 01 00 03", false, nil},
	} {
		if _, err := talk(t, r.rtu, 0x11, r.answer, write); !errors.Is(err, r.err) {
			t.Errorf("%s: %v, want %v", r.name, err, r.err)
		}
	}
}

// DR-9: every exception, known or not, keeps its code.
func TestExceptions(t *testing.T) {
	for code := range 256 {
		r := refusal(byte(code))
		o := outcome(elevator.CommandID{}, fieldbus.Result{Result: elevator.Refused, Err: r})
		if want := "0x" + strings.ToUpper(hex.EncodeToString([]byte{byte(code)})); o.Code != want {
			t.Errorf("exception %d has code %s", code, o.Code)
		}
	}
	for code, want := range map[byte]elevator.Advice{
		1: elevator.AdviceConfig, 2: elevator.AdviceConfig, 3: elevator.AdviceConfig,
		5: elevator.AdviceRetry, 6: elevator.AdviceRetry,
		4: elevator.AdviceWait, 10: elevator.AdviceWait, 11: elevator.AdviceWait, 33: elevator.AdviceNone,
	} {
		if got := outcome(elevator.CommandID{}, fieldbus.Result{Result: elevator.Refused, Err: refusal(code)}).Advice; got != want {
			t.Errorf("exception %d advises %v, want %v", code, got, want)
		}
	}
}

// The two ways in which the tests and the driver reckon a checksum agree with the
// published frames, and with each other on whatever else.
func TestChecksum(t *testing.T) {
	for _, f := range []string{"01 05 02 02 00 07 2C 70", "0A 81 02 B0 53", "18 03 00 01 00 07 57 C1"} {
		b := octets(f)[0]
		if !sumFits(b) || !bytes.Equal(b[len(b)-2:], func() []byte { s := slowSum(b[:len(b)-2]); return s[:] }()) {
			t.Errorf("checksum of %s", f)
		}
	}
}

// FuzzHear: whatever comes, a verdict never reaches past it, and what is taken
// fits the question: so that neither the codec nor a value meets anything else.
func FuzzHear(f *testing.F) {
	f.Add([]byte{0x11, 3, 6, 0xAE, 0x41, 0x56, 0x52, 0x43, 0x40, 0x49, 0xAD}, true)
	f.Add([]byte{0, 1, 0, 0, 0, 9, 0x11, 3, 6, 0xAE, 0x41, 0x56, 0x52, 0x43, 0x40}, false)
	f.Add([]byte{0, 1, 0, 0, 0, 3, 0x11, 0x83, 2}, false)
	f.Add([]byte{0, 1, 0, 0, 0, 5, 0x11, 3, 6, 0xAE, 0x41}, false) // claims more than it has
	f.Add([]byte{0x11, 0x83, 2}, true)
	ask := []byte{0x11, 3, 0, 0x6B, 0, 3, 0x76, 0x87}
	f.Fuzz(func(t *testing.T, in []byte, rtu bool) {
		w, err := wanted(0x11, ask[1:6])
		if err != nil {
			t.Fatal(err)
		}
		s := newSpeaker(target{unit: 0x11, rtu: rtu}, profiles.Device{}, clock())
		hear, lead := hearTCP(w, 1), headerSize
		if rtu {
			hear, lead = hearRTU(w, ask), 1
		}
		h := hear(in)
		if h.N < 0 || h.N > len(in) {
			t.Fatalf("%+v of %d bytes", h, len(in))
		}
		if h.Verdict != fieldbus.Take {
			return
		}
		pdu, err := s.pack.Decode(in[:h.N])
		if err != nil {
			t.Fatalf("took % X: %v", in[:h.N], err)
		}
		value := pdu.FunctionCode == 3 && len(pdu.Data) == 7 && pdu.Data[0] == 6
		if no := pdu.FunctionCode == 0x83 && len(pdu.Data) == 1; !value && !no || in[lead-1] != 0x11 {
			t.Fatalf("took % X", in[:h.N])
		}
	})
}
