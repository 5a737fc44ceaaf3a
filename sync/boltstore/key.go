package boltstore

import (
	"errors"
	"fmt"
	"strings"

	"hoistway/sync/shadow"
)

// MaxKey bounds a key, in bytes.
const MaxKey = 128

// ErrKey is a bucket or key outside the grammar, or a value above [MaxValue].
var ErrKey = errors.New("record breaks the grammar of the store")

// CheckKey says whether a key follows the one grammar of every store:
// domain:entity:id:field, from coarse to fine, four parts that are not empty, of
// printable ASCII without space, capitals or a colon, at most 128 bytes in all.
func CheckKey(key string) error {
	if len(key) > MaxKey {
		return fmt.Errorf("%w: key of %d bytes, at most %d", ErrKey, len(key), MaxKey)
	}
	parts := strings.Split(key, ":")
	if len(parts) != 4 {
		return fmt.Errorf("%w: %q is not domain:entity:id:field", ErrKey, key)
	}
	for _, part := range parts {
		if part == "" || strings.ContainsFunc(part, notInKey) {
			return fmt.Errorf("%w: %q has an empty part, a capital or a strange character", ErrKey, key)
		}
	}
	return nil
}

func notInKey(r rune) bool {
	return r <= ' ' || r > '~' || ('A' <= r && r <= 'Z')
}

func checkRecord(r shadow.Record) error {
	if r.Body != nil {
		return shadow.ErrBody
	}
	if r.Bucket == "" || r.Bucket == markerBucket || len(r.Bucket) > MaxKey || strings.ContainsFunc(r.Bucket, notInKey) {
		return fmt.Errorf("%w: bucket %q", ErrKey, r.Bucket)
	}
	if len(r.Value) > MaxValue {
		return fmt.Errorf("%w: %s/%s has %d bytes, at most %d", ErrKey, r.Bucket, r.Key, len(r.Value), MaxValue)
	}
	return CheckKey(r.Key)
}
