package journal

import (
	"bytes"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// RB-4: a list that cannot be written is said once, and once that it can again.
func TestGravesWarnOncePerChange(t *testing.T) {
	var said bytes.Buffer
	dir := filepath.Join(t.TempDir(), "gone")
	g := openGraves(dir, slog.New(slog.NewTextHandler(&said, nil)))
	for range 3 {
		g.add(grave{Ride: "r1"})
	}
	if n := strings.Count(said.String(), "cannot be written"); n != 1 {
		t.Errorf("warned %d times:\n%s", n, &said)
	}
	if err := os.Mkdir(dir, 0o750); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		g.add(grave{Ride: "r2"})
	}
	g.close()
	if n := strings.Count(said.String(), "is written again"); n != 1 {
		t.Errorf("said %d times that it works:\n%s", n, &said)
	}
}
