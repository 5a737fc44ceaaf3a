package peer

import (
	"bufio"
	"bytes"
	"errors"
	"io"
)

// maxEvent bounds one event and each of its lines.
const maxEvent = 1 << 20

// errEvent is an event that would fill the memory.
var errEvent = errors.New("an event is longer than is taken")

// event is one server-sent event; only complete ones come out of next.
type event struct {
	id   string
	name string
	data []byte
}

// next reads the next event. Comments and keys that are not known are passed over.
func next(r *bufio.Reader) (event, error) {
	var e event
	some := false
	for {
		line, err := readLine(r)
		if err != nil {
			return event{}, err
		}
		if len(line) == 0 {
			if some {
				return e, nil
			}
			continue
		}
		key, value, _ := bytes.Cut(line, []byte(":"))
		value = bytes.TrimPrefix(value, []byte(" "))
		switch string(key) {
		case "id":
			e.id = string(value)
		case "event":
			e.name, some = string(value), true
		case "data":
			if len(e.data)+len(value) > maxEvent {
				return event{}, errEvent
			}
			if e.data != nil {
				e.data = append(e.data, '\n')
			}
			e.data, some = append(e.data, value...), true
		}
	}
}

func readLine(r *bufio.Reader) ([]byte, error) {
	var line []byte
	for {
		part, err := r.ReadSlice('\n')
		if len(line)+len(part) > maxEvent {
			return nil, errEvent
		}
		line = append(line, part...)
		switch {
		case err == nil:
			return bytes.TrimRight(line, "\r\n"), nil
		case !errors.Is(err, bufio.ErrBufferFull):
			if errors.Is(err, io.EOF) {
				err = io.ErrUnexpectedEOF
			}
			return nil, err
		}
	}
}
