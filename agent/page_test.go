package main

import (
	"bufio"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"hoistway/agent/localapi/pagetest"
)

// SM-7, RB-5: a person opens the page of the real program, calls a lift from it,
// sees the car move and the ride end in DONE.
func TestPageOfTheDemo(t *testing.T) {
	tab := pagetest.New(t, 1320, 960)
	page := startDemo(t)
	tab.Do(chromedp.Navigate(page))
	tab.Must(`document.querySelector('#live').dataset.live === 'live'`)
	tab.Must(`document.querySelector('[data-lift="L1"][data-position-mm]')`)
	tab.Call("R1", "L1", "G", "1")
	if err := tab.CarMoves("L1", patience); err != nil {
		t.Error(err)
	}
	for _, state := range []string{"MOVING", "EXITING", "DONE"} {
		if err := tab.Until(patience, `document.querySelector('[data-ride][data-state="`+state+`"]')`); err != nil {
			t.Fatal(err)
		}
		if shot := os.Getenv("HOISTWAY_PICTURES"); shot != "" && state == "MOVING" {
			time.Sleep(5500 * time.Millisecond) // the car is between floors then
			tab.Shot(filepath.Join(shot, "page.png"))
		}
	}
	if err := tab.Until(patience, `document.querySelector('[data-shadow="L1"][data-sync="converged"]')`); err != nil {
		t.Error(err)
	}
	tab.Quiet()
}

// startDemo runs the demo, with robots that wait for the page's calls, in a
// process of its own and gives the page's address.
func startDemo(t *testing.T) string {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	program := filepath.Join(t.TempDir(), "hoistway-sim") // TestMain goes by the name
	if err := os.Symlink(self, program); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(program, "demo", "--idle")
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Signal(os.Interrupt)
		if err := cmd.Wait(); err != nil {
			t.Errorf("the demo ended with %v", err)
		}
	})
	lines := bufio.NewScanner(out)
	for lines.Scan() {
		if address, ok := strings.CutPrefix(lines.Text(), "agent  "); ok {
			go func() { _, _ = io.Copy(io.Discard, out) }()
			return address
		}
	}
	t.Fatal("the demo ended without an address")
	return ""
}
