package devices

import (
	"errors"
	"fmt"
	"os"
	"syscall"

	"github.com/creack/pty"
	"golang.org/x/term"
)

// terminal is a pseudo terminal in raw mode with both its ends. Reads of the
// master obey deadlines and end when it is closed.
type terminal struct {
	*os.File // master
	tty      *os.File
}

func (t *terminal) path() string { return t.tty.Name() }

func (t *terminal) Close() error { return errors.Join(t.File.Close(), t.tty.Close()) }

func openPTY() (*terminal, error) {
	blocking, tty, err := pty.Open()
	if err != nil {
		return nil, err
	}
	t := &terminal{tty: tty}
	if _, err = term.MakeRaw(int(tty.Fd())); err == nil {
		t.File, err = pollable(blocking)
	}
	if err = errors.Join(err, blocking.Close()); err != nil {
		return nil, errors.Join(err, tty.Close())
	}
	return t, nil
}

// maxSkipped bounds the terminals that are opened only to come to the right one.
const maxSkipped = 64

var errPathTaken = errors.New("pseudo terminal: its path is still taken")

// reopenPTY makes a terminal at a path that was ours. The system gives the lowest
// number that is free, so those below are opened and closed again. While somebody
// still has the old one open, or has taken its number, it fails.
func reopenPTY(path string) (*terminal, error) {
	var others []*terminal
	defer func() {
		for _, t := range others {
			_ = t.Close() // it was never used
		}
	}()
	for range maxSkipped {
		t, err := openPTY()
		if err != nil {
			return nil, err
		}
		if t.path() == path {
			return t, nil
		}
		others = append(others, t)
		if longer := len(t.path()) - len(path); longer > 0 || longer == 0 && t.path() > path {
			return nil, errPathTaken
		}
	}
	return nil, errPathTaken
}

// pollable is f anew, so that the runtime waits for it rather than a thread: the
// pty package took the descriptor out, which makes a file blocking for good.
func pollable(f *os.File) (*os.File, error) {
	syscall.ForkLock.RLock()
	fd, err := syscall.Dup(int(f.Fd()))
	if err == nil {
		syscall.CloseOnExec(fd)
	}
	syscall.ForkLock.RUnlock()
	if err != nil {
		return nil, fmt.Errorf("pseudo terminal: %w", err)
	}
	if err := syscall.SetNonblock(fd, true); err != nil {
		return nil, errors.Join(fmt.Errorf("pseudo terminal: %w", err), syscall.Close(fd))
	}
	return os.NewFile(uintptr(fd), f.Name()), nil
}
