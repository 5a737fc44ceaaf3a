package profiles

import (
	"bytes"
	"strings"
	"testing"
)

// RD-7: a level that keeps a door open is let go by a command alone, never because its
// line was lost for a moment.
func TestHeldDoorOwesNoRelease(t *testing.T) {
	src, ok := Lookup("generic/relay-board-8")
	if !ok || !bytes.Contains(src, []byte("release: 0, may_close: true}")) {
		t.Fatal("the relay board holds its door in another way")
	}
	if _, faults := Parse("a.yaml", src); len(faults) > 0 {
		t.Fatal(faults)
	}
	_, faults := Parse("a.yaml", bytes.Replace(src, []byte("release: 0, may_close: true}"), []byte("release: 0}"), 1))
	if len(faults) != 1 || !strings.Contains(faults[0].Error(), "closes it") {
		t.Errorf("%v", faults)
	}
}
