package fleet

import (
	"errors"
	"fmt"
	"os"
	"syscall"
)

// spareFiles are for everything that is no gateway's connection.
const spareFiles = 64

// ErrFiles says that this process may not open a connection for each gateway.
var ErrFiles = errors.New("too few file descriptors")

// allowFiles raises the soft limit when it must and may.
func allowFiles(gateways int) error {
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit); err != nil {
		return fmt.Errorf("read the limit of file descriptors: %w", err)
	}
	need := uint64(gateways + spareFiles)
	if err := enough(need, limit.Max); err != nil {
		return err
	}
	if limit.Cur >= need {
		return nil
	}
	limit.Cur = limit.Max
	if err := syscall.Setrlimit(syscall.RLIMIT_NOFILE, &limit); err != nil {
		return fmt.Errorf("raise the limit of file descriptors to %d: %w", limit.Max, err)
	}
	return nil
}

func enough(need, hard uint64) error {
	if hard >= need {
		return nil
	}
	return fmt.Errorf("%w: %d are needed, a connection for each gateway and %d more; the hard limit of this process is %d. "+
		"Raise it as root before the start: ulimit -n %d, or for a service LimitNOFILE=%d; the broker needs as many",
		ErrFiles, need, spareFiles, hard, need, need)
}

// openFiles counts them; 0 where the system does not tell.
func openFiles() int {
	d, err := os.Open("/proc/self/fd")
	if err != nil {
		return 0
	}
	defer func() { _ = d.Close() }() // it was only read
	names, err := d.Readdirnames(-1)
	if err != nil {
		return 0
	}
	return len(names) - 1 // without d
}
