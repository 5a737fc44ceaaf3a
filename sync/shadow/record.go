package shadow

import "errors"

// Record is one row of the store. What is stored is Value, or what Body gives in its
// place; with neither it deletes. Keys follow the grammar domain:entity:id:field,
// lower case, at most 128 characters.
type Record struct {
	Bucket string
	Key    string
	Value  []byte
	Body   Body
}

// Body is a value that is spelled out only when it is stored: whoever makes it may
// have no time for that. It never changes; Bytes may be called from any goroutine,
// and more than once.
type Body interface{ Bytes() ([]byte, error) }

// ErrBody is why a store refuses a record that is not spelled out: a store looks at
// Value alone, and would take the record for a removal.
var ErrBody = errors.New("a store takes bytes, not a body")

var errNoBytes = errors.New("a body without bytes would delete what is stored")

// Deletes reports a record that removes what is stored under its key.
func (r Record) Deletes() bool { return r.Value == nil && r.Body == nil }

// Bytes gives what is to be stored, nil for a record that deletes. The error is a
// [*BadRecord]: what cannot be spelled out now never can.
func (r Record) Bytes() ([]byte, error) {
	if r.Body == nil {
		return r.Value, nil
	}
	value, err := r.Body.Bytes()
	if err == nil && value == nil {
		err = errNoBytes
	}
	if err != nil {
		return nil, &BadRecord{Bucket: r.Bucket, Key: r.Key, Err: err}
	}
	return value, nil
}

// BadRecord is the refusal of a record that can never be stored as it is.
// Whoever tries the batch again must leave that record out.
type BadRecord struct {
	Bucket, Key string
	Err         error
}

func (b *BadRecord) Error() string { return b.Err.Error() }
func (b *BadRecord) Unwrap() error { return b.Err }
