package boltstore

import (
	"fmt"
	"runtime/debug"
)

// guard runs f, and turns a panic, or a fault on a mapped page that is not
// there, into ErrDamaged. It covers this goroutine only.
func guard(f func() error) (err error, panicked bool) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		if p := recover(); p != nil {
			err, panicked = fmt.Errorf("%w: %v", ErrDamaged, p), true
		}
	}()
	return f(), false
}
