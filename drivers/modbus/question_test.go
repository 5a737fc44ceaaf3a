package modbus

import (
	"errors"
	"fmt"
	"testing"

	"hoistway/drivers"
)

// CT-2: the technician's grammar, and the bytes of the standard for each form.
func TestQuestions(t *testing.T) {
	for _, c := range []struct{ text, pdu string }{
		{"holding:12", "03000c0001"},
		{"holding:12x4", "03000c0004"},
		{"holding:0x10", "030000000a"}, // ten from 0, no hexadecimal
		{"input:65535", "04ffff0001"},
		{"coil:0x8", "0100000008"},
		{"discrete:5x2000", "02000507d0"},
		{"coil:3=1", "050003ff00"},
		{"coil:3=0", "0500030000"},
		{"coil:3=1,0,1", "0f000300030105"},
		{"holding:7=300", "060007012c"},
		{"holding:7=0x12C", "060007012c"},
		{"holding:7=-1", "060007ffff"},
		{"holding:7=1,2", "10000700020400010002"},
		{"holding:7=300 multi", "100007000102012c"},
	} {
		q, err := parseQuestion(c.text)
		if err != nil {
			t.Errorf("%s: %v", c.text, err)
			continue
		}
		if got := fmt.Sprintf("%x", q.pdu()); got != c.pdu {
			t.Errorf("%s: %s, want %s", c.text, got, c.pdu)
		}
		if again, err := parseQuestion(q.String()); err != nil || again.String() != q.String() {
			t.Errorf("%s: worded as %q, which is read as %q, %v", c.text, q, again, err)
		}
	}
}

func TestQuestionsThatAreNone(t *testing.T) {
	for _, s := range []string{
		"", "holding", "holding:", "holding:x4", "holding:-1", "holding:65536", "holding:65535x2", "holding:1x0", "holding:1x126",
		"coil:1x2001", "coil:1=2", "input:1=1", "discrete:1=1", "holding:1=", "holding:1=1,", "holding:1=65536", "holding:1=-32769",
		"relay:1", "holding:1 multi", "holding:1=1=2", "40001", "holding:0x10x2",
	} {
		if q, err := parseQuestion(s); !errors.Is(err, drivers.ErrConfig) {
			t.Errorf("%q is taken as %v (%v)", s, q, err)
		}
	}
}

// A question is text from a person or from the network.
func FuzzQuestion(f *testing.F) {
	f.Add("holding:12x4")
	f.Add("coil:3=1,0 multi")
	f.Add("holding:0x10x2")
	f.Fuzz(func(t *testing.T, s string) {
		q, err := parseQuestion(s)
		if err != nil {
			return
		}
		back, ok := asked(q.pdu())
		back.multi = q.multi // several values are always the function for several
		if again, err := parseQuestion(q.String()); !ok || err != nil || back.String() != q.String() || again.String() != q.String() {
			t.Errorf("%q became %v, whose bytes say %v", s, q, back)
		}
	})
}
