package localapi

import (
	"bytes"
	"compress/flate"
	"net/http"
	"strings"
	"sync"
)

// gzipHead opens a stream of gzip (RFC 1952): deflate, no name, no time.
var gzipHead = []byte{0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255}

// packer compresses pieces that many streams share. A piece refers to nothing before it
// and ends on a byte, so that it may follow any other: most of an event is words that the
// one before it had too, and what is sent to hundreds of readers is a tenth of it.
type packer struct {
	mu  sync.Mutex
	w   *flate.Writer
	out bytes.Buffer
}

func (p *packer) pack(piece []byte) []byte {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.out.Reset()
	if p.w == nil {
		p.w, _ = flate.NewWriter(&p.out, flate.BestSpeed) // fails for levels that are none
	}
	p.w.Reset(&p.out)
	_, _ = p.w.Write(piece) // to memory
	_ = p.w.Flush()
	return bytes.Clone(p.out.Bytes())
}

// takesGzip reads Accept-Encoding; a weight of zero is a no.
func takesGzip(h http.Header) bool {
	for _, list := range h.Values("Accept-Encoding") {
		for way := range strings.SplitSeq(list, ",") {
			name, weight, weighed := strings.Cut(strings.ReplaceAll(way, " ", ""), ";q=")
			if strings.EqualFold(name, "gzip") && (!weighed || strings.Trim(weight, "0.") != "") {
				return true
			}
		}
	}
	return false
}
