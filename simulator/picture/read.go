package picture

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

// Bounds of a recording. An hour at ten frames a second is 36,000 frames.
const (
	MaxLine   = 1 << 20 // bytes
	MaxFrames = 200_000
	MaxBytes  = 512 << 20
)

// Errors that [Read] wraps, beside those of the reader and of JSON.
var (
	ErrEmpty   = errors.New("there is no header")
	ErrFormat  = errors.New("not a recording of this format")
	ErrTooLong = errors.New("too long")
	ErrNull    = errors.New("null: what is not known is an empty string or is left out")
)

// Read reads a recording to its end. It is strict: every key must be known, every
// name must be in the header, and time may not run back. An error names the line,
// counted from 1; what was read before that line comes with it, so that a run
// which was cut can still be looked at.
func Read(r io.Reader) (Header, []Frame, error) {
	var frames []Frame
	h, err := Each(r, func(f Frame) bool {
		frames = append(frames, f)
		return true
	})
	return h, frames, err
}

// Each is [Read] frame by frame. It reads no further once next says false: whether a
// recording of hours can be shown at all is known from its first frame.
func Each(r io.Reader, next func(Frame) bool) (Header, error) {
	in := bufio.NewReaderSize(r, 64<<10)
	var h Header
	var c check
	read := 0
	for n := 1; ; n++ {
		line, err := readLine(in)
		if err == io.EOF && len(line) == 0 {
			if n == 1 {
				return h, fmt.Errorf("line 1: %w", ErrEmpty)
			}
			return h, nil
		}
		if err == io.EOF {
			err = io.ErrUnexpectedEOF // the last line has no end: it may be torn
		}
		if read += len(line); err == nil && (read > MaxBytes || n > MaxFrames+1) {
			err = fmt.Errorf("the recording is %w", ErrTooLong)
		}
		if err == nil && n == 1 {
			h, err = readHeader(line)
			c = newCheck(h)
		} else if err == nil {
			var f Frame
			if f, err = readFrame(line); err == nil {
				err = c.next(f)
			}
			if err == nil && !next(f) {
				return h, nil
			}
		}
		if err != nil {
			return h, fmt.Errorf("line %d: %w", n, err)
		}
	}
}

// readLine gives a line without its end.
func readLine(in *bufio.Reader) ([]byte, error) {
	var line []byte
	for {
		part, err := in.ReadSlice('\n')
		if len(line)+len(part) > MaxLine {
			return nil, fmt.Errorf("the line is %w: more than %d bytes", ErrTooLong, MaxLine)
		}
		line = append(line, part...)
		if err == nil {
			return line[:len(line)-1], nil
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			return line, err
		}
	}
}

func readHeader(line []byte) (Header, error) {
	var version struct {
		Picture int `json:"hoistway_picture"`
	}
	if err := json.Unmarshal(line, &version); err != nil {
		return Header{}, fmt.Errorf("%w: %w", ErrFormat, err)
	}
	if version.Picture != Format {
		return Header{}, fmt.Errorf("%w: hoistway_picture is %d, want %d", ErrFormat, version.Picture, Format)
	}
	var h Header
	if err := strict(line, &h); err != nil {
		return Header{}, err
	}
	return h, h.fault()
}

func readFrame(line []byte) (Frame, error) {
	var f Frame
	return f, strict(line, &f)
}

// strict reads one JSON value and nothing behind it.
func strict(line []byte, v any) error {
	d := json.NewDecoder(bytes.NewReader(line))
	d.DisallowUnknownFields()
	if err := d.Decode(v); err != nil {
		return err
	}
	if _, err := d.Token(); err != io.EOF {
		return errors.New("more than one JSON value")
	}
	if hasNull(line) {
		return ErrNull
	}
	return nil
}

// hasNull looks for the word outside of strings. The decoder would make a zero of
// it, and what is not known is not zero.
func hasNull(line []byte) bool {
	quoted := false
	for i := 0; i < len(line); i++ {
		switch {
		case quoted && line[i] == '\\':
			i++
		case line[i] == '"':
			quoted = !quoted
		case !quoted && line[i] == 'n':
			return true
		}
	}
	return false
}
