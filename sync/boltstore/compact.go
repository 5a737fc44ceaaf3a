package boltstore

import (
	"errors"
	"os"

	"go.etcd.io/bbolt"
)

const (
	compactAbove = 1 << 20   // bytes; below that there is nothing to gain
	compactBatch = 256 << 10 // bytes a transaction of the copy
)

// compact rewrites a store of which more than half is free pages: bbolt never
// gives room back, and a long free list is written anew with every commit. It
// leaves the store as it is when the copy fails, for instance on a full disk.
func compact(s *Store, path string, o Options) (*Store, error) {
	st := s.Stats()
	if st.UsedBytes < compactAbove || st.FreeBytes*2 <= st.UsedBytes {
		return s, nil
	}
	temp := path + ".new"
	if err := copyTo(temp, s.db, o); err != nil {
		_ = os.Remove(temp)
		return s, nil
	}
	if err := s.letGo(); err != nil {
		return nil, err
	}
	if err := errors.Join(os.Rename(temp, path), syncFolder(path)); err != nil {
		return nil, err
	}
	return openFile(path, o)
}

func copyTo(temp string, from *bbolt.DB, o Options) error {
	to, err := openFile(temp, o)
	if err != nil {
		return err
	}
	err, _ = guard(func() error { return bbolt.Compact(to.db, from, compactBatch) })
	if err == nil {
		err = to.file.Sync()
	}
	return errors.Join(err, to.letGo())
}
