package shadow

import (
	"errors"
	"fmt"
	"strings"
)

// MaxKey bounds a key, in bytes.
const MaxKey = 128

// ErrKey is a record outside the grammar of the store, or out of its bounds.
var ErrKey = errors.New("record breaks the grammar of the store")

// Check is what every store asks of a record before it writes the first of a batch:
// that its value is spelled out, and that its key follows the one grammar,
// domain:entity:id:field, from coarse to fine: four parts that are not empty, of
// printable ASCII without space, capitals or a colon, at most 128 bytes in all. The
// error is a [*BadRecord].
func (r Record) Check() error {
	err := checkKey(r.Key)
	if r.Body != nil {
		err = ErrBody
	}
	if err != nil {
		return &BadRecord{Bucket: r.Bucket, Key: r.Key, Err: err}
	}
	return nil
}

func checkKey(key string) error {
	if len(key) > MaxKey {
		return fmt.Errorf("%w: key of %d bytes, at most %d", ErrKey, len(key), MaxKey)
	}
	parts := strings.Split(key, ":")
	if len(parts) != 4 {
		return fmt.Errorf("%w: %q is not domain:entity:id:field", ErrKey, key)
	}
	for _, part := range parts {
		if part == "" || strings.ContainsFunc(part, NotInKey) {
			return fmt.Errorf("%w: %q has an empty part, a capital or a strange character", ErrKey, key)
		}
	}
	return nil
}

// NotInKey holds for what no part of a key may have.
func NotInKey(r rune) bool {
	return r <= ' ' || r > '~' || ('A' <= r && r <= 'Z')
}
