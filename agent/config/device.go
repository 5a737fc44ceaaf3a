package config

import (
	"fmt"
	"os"
	"path/filepath"
	"syscall"
)

// sameDevice is what a device of this machine is known by, whatever it is called: its
// numbers, or the file behind all links where it is none. A device that is not there is
// known by its name alone.
func sameDevice(path string) string {
	if info, err := os.Stat(path); err == nil && info.Mode()&os.ModeCharDevice != 0 {
		if s, ok := info.Sys().(*syscall.Stat_t); ok {
			return fmt.Sprintf("device %d", s.Rdev)
		}
	}
	if real, err := filepath.EvalSymlinks(path); err == nil {
		return real
	}
	return filepath.Clean(path)
}
