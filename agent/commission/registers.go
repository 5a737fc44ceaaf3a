package commission

import (
	"encoding/binary"
	"fmt"
	"math"
	"strconv"
	"strings"

	"hoistway/drivers/modbus"
	"hoistway/drivers/profiles"
)

// Register is one item of an answer in every reading that it may have. Those of
// two registers stand with the first of them; the letters are the order of the
// four bytes on the wire in the number.
type Register struct {
	Address string `json:"address"`
	Word    uint16 `json:"word"`
	Hex     string `json:"hex"`
	Signed  int16  `json:"signed"`
	Bits    string `json:"bits"`
	ABCD    string `json:"abcd,omitempty"`
	CDAB    string `json:"cdab,omitempty"`
	BADC    string `json:"badc,omitempty"`
	DCBA    string `json:"dcba,omitempty"`
	Float   string `json:"float,omitempty"` // of ABCD, where it is a number of sensible size
	Label   string `json:"label,omitempty"` // what the profile reads there
	Changed bool   `json:"changed"`
	Before  uint16 `json:"before"`
}

// Registers reads the words that came upon a question. before are those of the
// time before, nil for none; p may be nil. It gives nothing for a question that is
// not of registers.
func Registers(question string, words, before []uint16, p *profiles.Profile) []Register {
	b, err := modbus.ReadQuestion(question)
	if err != nil || len(words) != int(b.Count) {
		return nil
	}
	labels := Labels(p, b)
	bits := b.Table == profiles.Coils || b.Table == profiles.DiscreteInputs
	var out []Register
	for i, w := range words {
		r := Register{Address: fmt.Sprintf("%s:%d", b.Table, int(b.Addr)+i), Word: w, Hex: fmt.Sprintf("0x%04X", w), Signed: int16(w), Bits: bitsOf(w), Label: labels[i]}
		if bits {
			r.Hex, r.Bits = strconv.Itoa(int(w)), strconv.Itoa(int(w))
		} else if i+1 < len(words) {
			r.pair(w, words[i+1])
		}
		if i < len(before) && before[i] != w {
			r.Changed, r.Before = true, before[i]
		}
		out = append(out, r)
	}
	return out
}

func (r *Register) pair(high, low uint16) {
	var b [4]byte
	binary.BigEndian.PutUint16(b[:], high)
	binary.BigEndian.PutUint16(b[2:], low)
	in := func(i, j, k, l int) string {
		return strconv.FormatUint(uint64(binary.BigEndian.Uint32([]byte{b[i], b[j], b[k], b[l]})), 10)
	}
	r.ABCD, r.CDAB, r.BADC, r.DCBA = in(0, 1, 2, 3), in(2, 3, 0, 1), in(1, 0, 3, 2), in(3, 2, 1, 0)
	f := float64(math.Float32frombits(binary.BigEndian.Uint32(b[:])))
	if size := math.Abs(f); f != 0 && size > 1e-6 && size < 1e9 {
		r.Float = strconv.FormatFloat(f, 'g', 6, 32)
	}
}

// bitsOf writes a word as four groups of four, the highest first.
func bitsOf(w uint16) string {
	s := fmt.Sprintf("%016b", w)
	return strings.Join([]string{s[:4], s[4:8], s[8:12], s[12:]}, " ")
}
