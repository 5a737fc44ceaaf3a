package cli

import (
	"bytes"
	"fmt"
	"os"
	"syscall"
	"time"

	"golang.org/x/term"
)

// terminal is a screen and its keys. Lines are drawn over the last ones, so that little
// travels over a slow line and nothing flickers.
type terminal struct {
	in, out *os.File
	keys    *os.File // the keyboard, opened anew so that a read of it can be ended
	before  *term.State
	plain   bool // no colours
}

// terminal is nil where input or output is none, or one that cannot move its cursor.
func (a *app) terminal() *terminal {
	in, isFile := a.in.(*os.File)
	out, isFileToo := a.out.(*os.File)
	if !isFile || !isFileToo || !isTerminal(out) || !term.IsTerminal(int(in.Fd())) || a.env("TERM") == "dumb" {
		return nil
	}
	return &terminal{in: in, out: out, plain: a.env("NO_COLOR") != ""}
}

const (
	enterScreen = "\x1b[?1049h\x1b[?25l" // another screen, no cursor
	leaveScreen = "\x1b[?25h\x1b[?1049l"
	home        = "\x1b[H"
	restOfLine  = "\x1b[K"
	restBelow   = "\x1b[J"
)

func (t *terminal) begin() error {
	keys, err := os.OpenFile(fmt.Sprintf("/dev/fd/%d", t.in.Fd()), os.O_RDONLY|syscall.O_NOCTTY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return &failure{exit: exitFinding, code: codeStart, text: "opening the keyboard: " + err.Error(), err: err}
	}
	if t.before, err = term.MakeRaw(int(t.in.Fd())); err != nil {
		_ = keys.Close()
		return &failure{exit: exitFinding, code: codeStart, text: "setting the terminal: " + err.Error(), err: err}
	}
	t.keys = keys
	_, err = t.out.WriteString(enterScreen)
	return output(err)
}

// end gives the terminal back as it was, and ends readKeys.
func (t *terminal) end() {
	_ = t.keys.Close()
	_, _ = t.out.WriteString(leaveScreen)
	_ = term.Restore(int(t.in.Fd()), t.before)
}

// readKeys calls stop at q, Ctrl-C, Ctrl-D, or when the keyboard is gone.
func (t *terminal) readKeys(stop func()) {
	defer stop()
	key := make([]byte, 1)
	for {
		n, err := t.keys.Read(key)
		if err != nil {
			return
		}
		if n == 1 && bytes.ContainsAny(key, "qQ\x03\x04") {
			return
		}
	}
}

// draw shows one frame of the size that the terminal has now.
func (t *terminal) draw(frame func(width, height int, now time.Time) []screenLine) error {
	w, h, err := term.GetSize(int(t.out.Fd()))
	if err != nil || w < 1 || h < 1 {
		w, h = 80, 24
	}
	var b bytes.Buffer
	b.WriteString(home)
	for i, line := range frame(w, h, time.Now()) {
		if i > 0 {
			b.WriteString("\r\n")
		}
		b.WriteString(t.dressed(line) + restOfLine)
	}
	b.WriteString(restBelow)
	_, err = t.out.Write(b.Bytes())
	return output(err)
}

func (t *terminal) dressed(l screenLine) string {
	dress := map[manner]string{head: "\x1b[1m", alarm: "\x1b[31m", faint: "\x1b[2m"}[l.manner]
	if t.plain || dress == "" {
		return l.text
	}
	return dress + l.text + "\x1b[0m"
}
