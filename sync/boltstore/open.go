package boltstore

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"go.etcd.io/bbolt"
	berrors "go.etcd.io/bbolt/errors"
)

// Every store has this bucket with this key. A file without it was never
// finished, or is another program's.
const (
	markerBucket = "hoistway"
	markerKey    = "store:format:self:version"
	markerValue  = "1"
)

const badTime = "20060102T150405Z"

// Opened says how a store came up.
type Opened struct {
	Fresh    bool   // the store is new and empty: peers must be asked for everything
	SetAside string // where the damaged file was put; "" if there was none
	Why      string // what was wrong, also when an older commit could be used
}

// Open opens the store at path, or makes one; the folder must exist. A damaged
// file never stops it: the file is set aside (path.bad-<time>, the last one is
// kept) and a fresh store made. Errors: ErrInUse; ErrFull when there is no room
// for a new file; else the operating system's.
func Open(path string, o Options) (*Store, Opened, error) {
	s, opened, err := open(path, o.withDefaults())
	if err != nil {
		return nil, Opened{}, fmt.Errorf("open store %s: %w", path, classify(err))
	}
	return s, opened, nil
}

func open(path string, o Options) (_ *Store, _ Opened, err error) {
	lock, err := acquire(path+".lock", o.Timeout)
	if err != nil {
		return nil, Opened{}, err
	}
	defer func() {
		if err != nil {
			_ = lock.Close()
		}
	}()
	if err := os.Remove(path + ".new"); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, Opened{}, err
	}
	s, opened, err := openOrReplace(path, o)
	if err != nil {
		return nil, Opened{}, err
	}
	s.lock = lock
	return s, opened, nil
}

func openOrReplace(path string, o Options) (*Store, Opened, error) {
	s, note, err := openExisting(path, o)
	switch {
	case err == nil:
		return s, Opened{Why: note}, nil
	case errors.Is(err, fs.ErrNotExist):
		s, err = create(path, o)
		return s, Opened{Fresh: true}, err
	case !errors.Is(err, ErrDamaged):
		return nil, Opened{}, err
	}
	aside, asideErr := setAside(path)
	if asideErr != nil {
		return nil, Opened{}, errors.Join(err, asideErr)
	}
	s, createErr := create(path, o)
	return s, Opened{Fresh: true, SetAside: aside, Why: err.Error()}, createErr
}

// openExisting proves the file step by step, each step safe on what the one
// before has proved: structure by plain reads, values by a read-only walk, then
// the real open, then bbolt's own check. The note tells of what was survived.
func openExisting(path string, o Options) (_ *Store, note string, err error) {
	if note, err = verifyFile(path); err != nil {
		return nil, "", err
	}
	if err := walk(path, o); err != nil {
		return nil, "", err
	}
	s, err := openFile(path, o)
	if err != nil {
		return nil, "", err
	}
	if err := s.check(); err != nil {
		return nil, "", errors.Join(err, s.letGo())
	}
	if s, err = compact(s, path, o); err != nil {
		return nil, "", err
	}
	return s, note, nil
}

func verifyFile(path string) (note string, err error) {
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return "", err
	}
	if !info.Mode().IsRegular() {
		return "", fmt.Errorf("%s is not a regular file", path)
	}
	return verify(f, info.Size())
}

// walk reads every value of the file at path without changing it.
func walk(path string, o Options) error {
	s, err := openBolt(path, o, true)
	if err != nil {
		return err
	}
	err = s.guarded(func() error { return s.db.View(readAll) })
	return errors.Join(err, s.letGo())
}

func readAll(tx *bbolt.Tx) error {
	marker := tx.Bucket([]byte(markerBucket))
	if marker == nil {
		return damaged("no marker")
	}
	mark, err := unframe(markerBucket, markerKey, marker.Get([]byte(markerKey)))
	if err != nil {
		return err
	}
	if !bytes.Equal(mark, []byte(markerValue)) {
		return damaged("marker says %q", mark)
	}
	return tx.ForEach(func(name []byte, b *bbolt.Bucket) error {
		return b.ForEach(func(k, framed []byte) error {
			_, err := unframe(string(name), string(k), framed)
			return err
		})
	})
}

// check runs bbolt's own consistency check and reads all it has to say, since
// its goroutine ends only then.
func (s *Store) check() error {
	return s.guarded(func() error {
		return s.db.View(func(tx *bbolt.Tx) error {
			var first error
			for err := range tx.Check() {
				if first == nil {
					first = damaged("%v", err)
				}
			}
			return first
		})
	})
}

func (s *Store) letGo() error {
	if s.broken.Load() {
		return s.file.Close()
	}
	return s.db.Close()
}

func openFile(path string, o Options) (*Store, error) { return openBolt(path, o, false) }

func openBolt(path string, o Options, readOnly bool) (*Store, error) {
	s := &Store{}
	options := &bbolt.Options{
		Timeout:      o.Timeout,
		MaxSize:      o.MaxSize,
		FreelistType: bbolt.FreelistMapType,
		ReadOnly:     readOnly,
		OpenFile: func(name string, flag int, mode os.FileMode) (f *os.File, err error) {
			s.file, err = os.OpenFile(name, flag, mode)
			return s.file, err
		},
	}
	err, panicked := guard(func() (err error) {
		s.db, err = bbolt.Open(path, 0o600, options)
		return err
	})
	if panicked && s.file != nil {
		_ = s.file.Close() // bbolt had no chance to; an open handle keeps the lock
	}
	if err != nil {
		return nil, classifyOpen(err)
	}
	return s, nil
}

func classifyOpen(err error) error {
	switch {
	case errors.Is(err, berrors.ErrTimeout):
		return ErrInUse
	case errors.Is(err, berrors.ErrInvalid), errors.Is(err, berrors.ErrVersionMismatch), errors.Is(err, berrors.ErrChecksum):
		return damaged("%v", err)
	}
	return err
}

// create makes a store under a temporary name, so that path is never a file that
// was only begun.
func create(path string, o Options) (*Store, error) {
	temp := path + ".new"
	if err := begin(temp, o); err != nil {
		_ = os.Remove(temp)
		return nil, err
	}
	if err := errors.Join(os.Rename(temp, path), syncFolder(path)); err != nil {
		return nil, err
	}
	return openFile(path, o)
}

func begin(temp string, o Options) error {
	s, err := openFile(temp, o)
	if err != nil {
		return err
	}
	err = s.db.Update(mark)
	if err == nil {
		err = s.file.Sync()
	}
	return errors.Join(err, s.letGo())
}

func mark(tx *bbolt.Tx) error {
	b, err := tx.CreateBucket([]byte(markerBucket))
	if err != nil {
		return err
	}
	return b.Put([]byte(markerKey), frame(markerBucket, markerKey, []byte(markerValue)))
}

// setAside renames the damaged file and drops older ones: one is evidence, many
// fill the disk.
func setAside(path string) (string, error) {
	older, err := filepath.Glob(globQuote(path) + ".bad-*")
	if err != nil {
		return "", err
	}
	aside := path + ".bad-" + time.Now().UTC().Format(badTime)
	if err := os.Rename(path, aside); err != nil {
		return "", err
	}
	for _, name := range older {
		if name != aside {
			_ = os.Remove(name) // at worst a second one stays
		}
	}
	return aside, syncFolder(path)
}

func globQuote(path string) string {
	var out []byte
	for i := range len(path) {
		if bytes.IndexByte([]byte(`*?[\`), path[i]) >= 0 {
			out = append(out, '\\')
		}
		out = append(out, path[i])
	}
	return string(out)
}

func syncFolder(path string) error {
	d, err := os.Open(filepath.Dir(path))
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}
