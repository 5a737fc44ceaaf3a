package boltstore

import (
	"errors"
	"fmt"
	"os"
	"syscall"
	"time"
)

const lockRetry = 50 * time.Millisecond

// acquire takes the lock file beside the store. bbolt locks its file too, but
// that lock ends with the file: between setting a damaged store aside and having
// a fresh one, only this one keeps a second process out.
func acquire(path string, wait time.Duration) (*os.File, error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	for deadline := time.Now().Add(wait); ; time.Sleep(lockRetry) {
		err = syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
		if err == nil {
			return f, nil
		}
		if !errors.Is(err, syscall.EWOULDBLOCK) && !errors.Is(err, syscall.EINTR) {
			_ = f.Close()
			return nil, fmt.Errorf("lock %s: %w", path, err)
		}
		if time.Now().After(deadline) {
			_ = f.Close()
			return nil, ErrInUse
		}
	}
}
