package commission

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
)

// AppendRehearsal adds a command to a log of JSON lines.
func AppendRehearsal(path string, r Rehearsal) error {
	line, err := json.Marshal(r)
	if err != nil {
		return fmt.Errorf("log the command: %w", err)
	}
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o640)
	if err != nil {
		return fmt.Errorf("log the command: %w", err)
	}
	_, err = f.Write(append(line, '\n'))
	if err = errors.Join(err, f.Sync(), f.Close()); err != nil {
		return fmt.Errorf("log the command: %w", err)
	}
	return nil
}

// ReadRehearsals reads such a log.
func ReadRehearsals(r io.Reader) ([]Rehearsal, error) {
	var out []Rehearsal
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, maxLine)
	for n := 1; lines.Scan() && n < 10_000; n++ {
		var x Rehearsal
		if err := json.Unmarshal(lines.Bytes(), &x); err != nil {
			return out, fmt.Errorf("line %d of the commands: %w", n, err)
		}
		out = append(out, x)
	}
	return out, lines.Err()
}
