package devices

import (
	"errors"
	"fmt"
	"os"
	"syscall"

	"github.com/creack/pty"
	"golang.org/x/term"
)

// openPTY gives both ends of a new pseudo terminal in raw mode. Reads of the
// master obey deadlines and end when it is closed.
func openPTY() (master, tty *os.File, err error) {
	blocking, tty, err := pty.Open()
	if err != nil {
		return nil, nil, err
	}
	if _, err = term.MakeRaw(int(tty.Fd())); err == nil {
		master, err = pollable(blocking)
	}
	if err = errors.Join(err, blocking.Close()); err != nil {
		return nil, nil, errors.Join(err, tty.Close())
	}
	return master, tty, nil
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
