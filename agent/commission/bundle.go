package commission

import (
	"archive/tar"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path"
	"slices"
	"strings"
	"time"
)

// Bundle is one file for support. Texts are masked as they are put in; a file that
// could not be had is told by name, with the reason.
type Bundle struct {
	Made    time.Time
	parts   []part
	missing []string
}

type part struct {
	name string
	body []byte
}

// Most bytes of one part, and of all.
const (
	maxPart   = 8 << 20
	maxBundle = 32 << 20
)

// Text puts in a text, masked.
func (b *Bundle) Text(name, text string) { b.put(name, []byte(Mask(text))) }

// JSON puts in a value, masked.
func (b *Bundle) JSON(name string, v any) {
	raw, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		b.Missing(name, err)
		return
	}
	b.Text(name, string(raw)+"\n")
}

// Verbatim puts in what cannot hold a secret and must not be changed.
func (b *Bundle) Verbatim(name string, raw []byte) { b.put(name, raw) }

// Missing notes what could not be had.
func (b *Bundle) Missing(name string, why error) {
	b.missing = append(b.missing, Mask(fmt.Sprintf("%s: %v", name, why)))
}

// put takes the end of what is too long: the newest stands there.
func (b *Bundle) put(name string, raw []byte) {
	name = path.Clean("/" + name)[1:]
	total := 0
	for _, p := range b.parts {
		total += len(p.body)
		if p.name == name {
			b.Missing(name, errors.New("it is in already"))
			return
		}
	}
	room := min(maxPart, maxBundle-total)
	if room <= 0 {
		b.Missing(name, errors.New("the bundle is full"))
		return
	}
	if len(raw) > room {
		b.Missing(name, fmt.Errorf("only its last %d of %d bytes are in", room, len(raw)))
		raw = raw[len(raw)-room:]
	}
	b.parts = append(b.parts, part{name, slices.Clone(raw)})
}

// Item is one file of a bundle, as it is listed.
type Item struct {
	Name  string `json:"name"`
	Bytes int    `json:"bytes"`
}

// List tells what is in it, and what is not.
func (b *Bundle) List() (items []Item, missing []string) {
	items = []Item{}
	for _, p := range b.parts {
		items = append(items, Item{p.name, len(p.body)})
	}
	return items, append([]string{}, b.missing...)
}

// Write makes the .tar.gz. Its first file is a list of the others.
func (b *Bundle) Write(w io.Writer) error {
	items, missing := b.List()
	list, err := json.MarshalIndent(struct {
		Made    time.Time `json:"made"`
		Files   []Item    `json:"files"`
		Missing []string  `json:"missing"`
	}{b.Made.UTC(), items, missing}, "", "  ")
	if err != nil {
		return fmt.Errorf("write the bundle: %w", err)
	}
	zip := gzip.NewWriter(w)
	out := tar.NewWriter(zip)
	for _, p := range append([]part{{"manifest.json", append(list, '\n')}}, b.parts...) {
		h := &tar.Header{Name: "hoistway/" + p.name, Mode: 0o640, Size: int64(len(p.body)), ModTime: b.Made.UTC(), Format: tar.FormatPAX}
		if err := out.WriteHeader(h); err != nil {
			return fmt.Errorf("write the bundle: %w", err)
		}
		if _, err := out.Write(p.body); err != nil {
			return fmt.Errorf("write the bundle: %w", err)
		}
	}
	if err := errors.Join(out.Close(), zip.Close()); err != nil {
		return fmt.Errorf("write the bundle: %w", err)
	}
	return nil
}

// FramesAreBare reports that the frames of a link cannot hold a secret: those of
// HTTP carry tokens, which no mask finds in hexadecimal.
func FramesAreBare(scheme string) bool {
	return strings.HasPrefix(scheme, "modbus+") || strings.HasPrefix(scheme, "serial")
}
