package cli

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"testing"
)

// SM-7: a recording that was cut can still be looked at; one without a picture not.
func TestACutRecordingIsReadable(t *testing.T) {
	file := filepath.Join(t.TempDir(), "ride.jsonl")
	if got := Main([]string{"run", "plain-ride", "--record", file}, nil, io.Discard, io.Discard); got != exitFine {
		t.Fatalf("ended with %d", got)
	}
	whole, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	head := bytes.IndexByte(whole, '\n') + 1
	for _, c := range []struct {
		keep int
		fine bool
	}{{len(whole), true}, {len(whole) / 2, true}, {head, false}, {head - 9, false}, {0, false}} {
		if err := os.WriteFile(file, whole[:c.keep], 0o600); err != nil {
			t.Fatal(err)
		}
		if err := readable(file); (err == nil) != c.fine {
			t.Errorf("the first %d bytes of %d: %v", c.keep, len(whole), err)
		}
	}
}
