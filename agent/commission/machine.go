package commission

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"

	"golang.org/x/sys/unix"
)

// made is a year that no clock of this program's users shows.
const made = 2026

const staUnsync = 0x40 // of adjtimex: nobody keeps the clock

// Machine looks at the clock, and at the disk below dir ("" for none).
func (w World) Machine(dir string) []Finding {
	w = w.filled()
	out := w.clock()
	if dir == "" {
		return out
	}
	return append(out, disk(dir)...)
}

func (w World) clock() []Finding {
	now := w.Wall()
	if now.Year() < made {
		return []Finding{{Code: "E-6024", What: "the clock shows " + now.UTC().Format("2006-01-02"), Where: "this machine", Do: "set the clock"}}
	}
	var tx unix.Timex
	if _, err := unix.Adjtimex(&tx); err == nil && tx.Status&staUnsync != 0 {
		return []Finding{{Code: "E-6024", What: "nobody keeps the clock", Where: "this machine", Do: "timedatectl set-ntp true", Hint: true}}
	}
	return nil
}

func disk(dir string) []Finding {
	at := dir
	var st unix.Statfs_t
	err := unix.Statfs(at, &st)
	for errors.Is(err, fs.ErrNotExist) && at != filepath.Dir(at) { // made at the first start
		at = filepath.Dir(at)
		err = unix.Statfs(at, &st)
	}
	if err != nil {
		return []Finding{{Code: "E-4003", What: err.Error(), Where: dir, Do: "hoistway help E-4003"}}
	}
	var out []Finding
	if err := unix.Access(at, unix.W_OK); err != nil && at == dir {
		out = append(out, Finding{Code: "E-4003", What: "this user may not write to the store's folder", Where: dir, Do: "run doctor as the service's user, or mend the rights", Hint: true})
	}
	free, all := st.Bavail*uint64(st.Bsize), st.Blocks*uint64(st.Bsize)
	if all > 0 && (free < 50<<20 || free*20 < all) {
		out = append(out, Finding{Code: "E-6025", What: fmt.Sprintf("%d MB are free of %d", free>>20, all>>20), Where: at, Do: "free some space", Hint: free >= 50<<20})
	}
	return out
}
