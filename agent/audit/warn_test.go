package audit

import (
	"bytes"
	"context"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// SE-7: a disk that takes nothing is said once, and once that it takes entries again.
func TestWarnsOncePerChange(t *testing.T) {
	var said bytes.Buffer
	dir := filepath.Join(t.TempDir(), "store")
	if err := os.WriteFile(dir, nil, 0o600); err != nil { // a file, where the folder should be
		t.Fatal(err)
	}
	l := New(dir, slog.New(slog.NewTextHandler(&said, nil)))
	ended, cancel := context.WithCancel(t.Context())
	cancel() // no rest between the tries
	for range 3 {
		l.write(ended, Entry{By: "r1", What: "landing_call"})
	}
	if n := strings.Count(said.String(), "E-4009"); n != 1 {
		t.Errorf("warned %d times:\n%s", n, &said)
	}
	if err := os.Remove(dir); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		l.write(ended, Entry{By: "r1", What: "landing_call"})
	}
	if n := strings.Count(said.String(), "noted in the audit again"); n != 1 {
		t.Errorf("said %d times that it works:\n%s", n, &said)
	}
}
