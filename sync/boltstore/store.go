package boltstore

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"go.etcd.io/bbolt"
	berrors "go.etcd.io/bbolt/errors"

	"hoistway/sync/shadow"
)

// What the errors of this package are, by errors.Is.
var (
	ErrInUse   = errors.New("store is already in use by another process")
	ErrDamaged = errors.New("store is damaged")
	ErrFull    = errors.New("store is full")
	ErrClosed  = errors.New("store is closed")
)

// Defaults of [Options].
const (
	DefaultMaxSize = 16 << 20
	DefaultTimeout = 2 * time.Second
)

// MaxValue bounds one value, in bytes.
const MaxValue = 256 << 10

const fillPercent = 0.9 // records are mostly replaced or appended, so pages may be packed

// Options tune a store; the zero value is right for a gateway.
type Options struct {
	MaxSize int           // bytes the file may grow to; 0 = DefaultMaxSize
	Timeout time.Duration // how long Open waits for another holder; 0 = DefaultTimeout
}

func (o Options) withDefaults() Options {
	if o.MaxSize <= 0 {
		o.MaxSize = DefaultMaxSize
	}
	if o.Timeout <= 0 {
		o.Timeout = DefaultTimeout
	}
	return o
}

// Store is an open store. All methods may be called from any goroutine; commits
// are carried out one after another.
type Store struct {
	db   *bbolt.DB
	file *os.File // bbolt's own handle, to let go of a store that bbolt cannot close
	lock *os.File

	closing sync.Once
	broken  atomic.Bool // bbolt panicked: its locks can no longer be trusted

	commits, records, failures atomic.Uint64
}

// Commit writes the records in one transaction, in order: a later record of the
// same key wins, a nil Value deletes, deleting what is not there is fine, a Body is refused. nil
// means that the batch is on the disk. ErrFull: nothing was written and reads go
// on. ErrDamaged: the file turned out to be damaged; close and open anew. A
// [*shadow.BadRecord] names the record for whose sake the batch was refused.
func (s *Store) Commit(records []shadow.Record) error {
	if len(records) == 0 {
		return nil
	}
	if err := s.commit(records); err != nil {
		s.failures.Add(1)
		return fmt.Errorf("commit %d records: %w", len(records), err)
	}
	s.commits.Add(1)
	s.records.Add(uint64(len(records)))
	return nil
}

func (s *Store) commit(records []shadow.Record) error {
	for _, r := range records {
		if err := checkRecord(r); err != nil {
			return err
		}
	}
	return s.guarded(func() error {
		return s.db.Update(func(tx *bbolt.Tx) error {
			for _, r := range records {
				if err := put(tx, r); err != nil {
					return err
				}
			}
			return nil
		})
	})
}

func put(tx *bbolt.Tx, r shadow.Record) error {
	name := []byte(r.Bucket)
	bucket := tx.Bucket(name)
	if r.Value == nil {
		if bucket == nil {
			return nil
		}
		return bucket.Delete([]byte(r.Key))
	}
	if bucket == nil {
		var err error
		if bucket, err = tx.CreateBucket(name); err != nil {
			return err
		}
	}
	bucket.FillPercent = fillPercent
	return bucket.Put([]byte(r.Key), frame(r.Bucket, r.Key, r.Value))
}

// Load returns copies of all records of a bucket, sorted by key; none if the
// bucket does not exist. ErrDamaged: a record fails its checksum, and none is
// returned, since a part of the truth may be worse than none.
func (s *Store) Load(bucket string) ([]shadow.Record, error) {
	var out []shadow.Record
	err := s.guarded(func() error {
		return s.db.View(func(tx *bbolt.Tx) error {
			b := tx.Bucket([]byte(bucket))
			if b == nil {
				return nil
			}
			return b.ForEach(func(k, framed []byte) error {
				value, err := unframe(bucket, string(k), framed)
				if err != nil {
					return err
				}
				out = append(out, shadow.Record{Bucket: bucket, Key: string(k), Value: slices.Clone(value)})
				return nil
			})
		})
	})
	if err != nil {
		return nil, fmt.Errorf("load %q: %w", bucket, err)
	}
	return out, nil
}

// guarded runs f so that a damaged page found late is an error, not the end of
// the process, and translates bbolt's errors.
func (s *Store) guarded(f func() error) error {
	if s.broken.Load() {
		return ErrDamaged
	}
	err, panicked := guard(f)
	if panicked {
		s.broken.Store(true)
	}
	return classify(err)
}

func classify(err error) error {
	switch {
	case errors.Is(err, berrors.ErrMaxSizeReached), errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EDQUOT):
		return fmt.Errorf("%w: %w", ErrFull, err)
	case errors.Is(err, berrors.ErrDatabaseNotOpen):
		return ErrClosed
	}
	return err
}

// Close waits for a running commit and lets go of the file. Further calls are
// harmless.
func (s *Store) Close() error {
	var err error
	s.closing.Do(func() {
		if s.broken.Load() {
			err = s.file.Close() // the map leaks; bbolt might wait for ever for its own locks
		} else {
			err = s.db.Close()
		}
		err = errors.Join(err, s.lock.Close())
	})
	if err != nil {
		return fmt.Errorf("close store: %w", err)
	}
	return nil
}

// Stats counts since Open, and says how full the store is, in bytes.
type Stats struct {
	Commits, Records, Failures uint64
	UsedBytes, FreeBytes       int64 // of pages in use, and of free pages among them
}

// Stats may be called at any time; the sizes are 0 once the store is closed.
func (s *Store) Stats() Stats {
	out := Stats{Commits: s.commits.Load(), Records: s.records.Load(), Failures: s.failures.Load()}
	_ = s.guarded(func() error {
		return s.db.View(func(tx *bbolt.Tx) error {
			out.UsedBytes = tx.Size()
			out.FreeBytes = freeBytes(s.db)
			return nil
		})
	})
	return out
}

func freeBytes(db *bbolt.DB) int64 {
	st := db.Stats()
	return int64(st.FreePageN+st.PendingPageN) * int64(db.Info().PageSize)
}
