package profiles

import (
	"bytes"
	"encoding/hex"
	"fmt"
	"math/bits"
	"strings"
)

// checksum is what proves a frame, by its parameters.
type checksum struct {
	algo            string // sum8, sum, xor, lrc, crc16
	form            string // bin, hexascii, decimal
	mod             int    // of sum
	poly, first, to uint16 // of crc16: polynomial, begin, xor at the end
	reflect         bool
	lowFirst        bool
	from            int  // the first byte of the frame that it covers
	withEnd         bool // it covers the end bytes as well, and stands behind them
	plain           bool // it covers the body before bytes of it were escaped
}

// width is how many bytes it has in the frame.
func (c *checksum) width() int {
	if c == nil {
		return 0
	}
	n := 1
	if c.algo == "crc16" {
		n = 2
	}
	switch c.form {
	case "hexascii":
		return 2 * n
	case "decimal":
		return len(fmt.Sprint(c.mod - 1))
	}
	return n
}

// of gives the checksum over b as it stands in a frame.
func (c *checksum) of(b []byte) []byte {
	n := c.sum(b)
	switch {
	case c.form == "decimal":
		return []byte(fmt.Sprintf("%0*d", c.width(), n))
	case c.algo != "crc16":
		return c.written([]byte{byte(n)})
	case c.lowFirst:
		return c.written([]byte{byte(n), byte(n >> 8)})
	}
	return c.written([]byte{byte(n >> 8), byte(n)})
}

func (c *checksum) written(b []byte) []byte {
	if c.form == "hexascii" {
		return []byte(strings.ToUpper(hex.EncodeToString(b)))
	}
	return b
}

// good compares; digits above nine may come in either case.
func (c *checksum) good(over, have []byte) bool {
	want := c.of(over)
	return bytes.Equal(want, have) || c.form == "hexascii" && bytes.EqualFold(want, have)
}

func (c *checksum) sum(b []byte) int {
	n := 0
	switch c.algo {
	case "xor":
		for _, x := range b {
			n ^= int(x)
		}
		return n
	case "crc16":
		return int(c.crc(b))
	}
	for _, x := range b {
		n += int(x)
	}
	switch c.algo {
	case "lrc":
		return -n & 0xFF
	case "sum":
		return n % c.mod
	}
	return n & 0xFF
}

func (c *checksum) crc(b []byte) uint16 {
	crc := c.first
	for _, x := range b {
		if c.reflect {
			x = bits.Reverse8(x)
		}
		crc ^= uint16(x) << 8
		for range 8 {
			carry := crc&0x8000 != 0
			if crc <<= 1; carry {
				crc ^= c.poly
			}
		}
	}
	if c.reflect {
		crc = bits.Reverse16(crc)
	}
	return crc ^ c.to
}
