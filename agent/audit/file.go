package audit

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sync"
	"time"
)

// Entry is one line: what somebody asked, or what became of it.
type Entry struct {
	N        uint64    `json:"n"`
	At       time.Time `json:"at"`
	By       string    `json:"by"`   // a person, or the ride for which a command was sent
	What     string    `json:"what"` // write, reset, landing_call, …
	Lift     string    `json:"lift,omitempty"`
	Ride     string    `json:"ride,omitempty"`
	Robot    string    `json:"robot,omitempty"`
	ID       string    `json:"id,omitempty"` // joins what was asked and what became of it
	Why      string    `json:"why,omitempty"`
	Link     string    `json:"link,omitempty"`
	Question string    `json:"question,omitempty"` // of a write by hand
	Frames   []string  `json:"frames,omitempty"`   // in hexadecimal, as they were shown
	Forced   bool      `json:"forced,omitempty"`   // although a ride held the lift
	Outcome  string    `json:"outcome"`            // asked, done, refused, not_sent, unknown
	Code     string    `json:"code,omitempty"`
	Detail   string    `json:"detail,omitempty"`
	Lost     uint64    `json:"lost,omitempty"` // entries that are missing here
}

// FileName is where the acts of people lie, in the folder of the store.
const FileName = "audit.jsonl"

const (
	fileMax = 4 << 20  // bytes; then it becomes FILE.1 and another begins
	lineMax = 16 << 10 // bytes of one entry
)

// File is a row of entries that only grows. Safe for concurrent use; one process at a
// time.
type File struct {
	Path string
	Max  int64 // bytes of one file; 0 is 4 MiB

	mu   sync.Mutex
	n    uint64 // number of the last entry
	read bool   // n is known
}

// Write appends an entry and returns when the disk has it.
func (f *File) Write(e Entry) error { return f.append(true, e) }

func (f *File) append(durable bool, entries ...Entry) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if err := f.write(durable, entries); err != nil {
		f.read = false // look again where the file ends
		return fmt.Errorf("audit: %w", err)
	}
	return nil
}

func (f *File) write(durable bool, entries []Entry) error {
	if err := f.begin(); err != nil {
		return err
	}
	var text []byte
	n := f.n
	for _, e := range entries {
		n++
		e.N = n
		line, err := json.Marshal(e)
		if err != nil {
			return err
		}
		if len(line) > lineMax {
			return fmt.Errorf("an entry of %d bytes", len(line))
		}
		text = append(append(text, line...), '\n')
	}
	out, err := os.OpenFile(f.Path, os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o640)
	if err != nil {
		return err
	}
	_, err = out.Write(text)
	if durable && err == nil {
		err = out.Sync()
	}
	if err = errors.Join(err, out.Close()); err != nil {
		return err
	}
	f.n = n
	return nil
}

// begin makes sure of the folder, of whole lines, of the last number, and of room.
func (f *File) begin() error {
	if !f.read {
		if err := os.MkdirAll(filepath.Dir(f.Path), 0o750); err != nil {
			return err
		}
		if err := mend(f.Path); err != nil {
			return err
		}
		f.n = max(lastOf(f.Path), lastOf(f.Path+".1"))
		f.read = true
	}
	limit := f.Max
	if limit == 0 {
		limit = fileMax
	}
	if info, err := os.Stat(f.Path); err == nil && info.Size() > limit {
		return os.Rename(f.Path, f.Path+".1")
	}
	return nil
}

// mend cuts off a last line that has no end.
func mend(path string) error {
	tail, from, err := tailOf(path, 2*lineMax)
	if err != nil || len(tail) == 0 || tail[len(tail)-1] == '\n' {
		return err
	}
	return os.Truncate(path, from+int64(bytes.LastIndexByte(tail, '\n')+1))
}

func lastOf(path string) uint64 {
	tail, _, err := tailOf(path, 2*lineMax)
	if err != nil {
		return 0
	}
	var n uint64
	for _, e := range parse(tail) {
		n = max(n, e.N)
	}
	return n
}

// tailOf reads the end of a file, and tells where that begins. A file that is not there
// is empty.
func tailOf(path string, most int64) ([]byte, int64, error) {
	f, err := os.Open(path)
	if errors.Is(err, os.ErrNotExist) {
		return nil, 0, nil
	}
	if err != nil {
		return nil, 0, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, 0, err
	}
	if !info.Mode().IsRegular() {
		return nil, 0, fmt.Errorf("%s is no file", path)
	}
	from := max(0, info.Size()-most)
	data, err := io.ReadAll(io.NewSectionReader(f, from, most))
	return data, from, err
}

// parse reads whole lines; one that is no entry is left out, and its number is missing.
func parse(data []byte) []Entry {
	var out []Entry
	for line := range bytes.Lines(data) {
		var e Entry
		if json.Unmarshal(line, &e) == nil && e.Outcome != "" {
			out = append(out, e)
		}
	}
	return out
}

// Last gives the last entries, at most n, oldest first.
func (f *File) Last(n int) ([]Entry, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	var out []Entry
	for _, path := range []string{f.Path + ".1", f.Path} {
		data, _, err := tailOf(path, 2*fileMax)
		if err != nil {
			return nil, fmt.Errorf("audit: %w", err)
		}
		out = append(out, parse(data)...)
	}
	return out[max(0, len(out)-n):], nil
}
