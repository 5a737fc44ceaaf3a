package boltstore

import (
	"fmt"
	"strings"

	"hoistway/sync/shadow"
)

// checkRecord names in a [*shadow.BadRecord] what this store cannot take.
func checkRecord(r shadow.Record) error {
	if err := r.Check(); err != nil {
		return err
	}
	var err error
	switch {
	case r.Bucket == "" || r.Bucket == markerBucket || len(r.Bucket) > shadow.MaxKey || strings.ContainsFunc(r.Bucket, shadow.NotInKey):
		err = fmt.Errorf("%w: bucket %q", shadow.ErrKey, r.Bucket)
	case len(r.Value) > MaxValue:
		err = fmt.Errorf("%w: %s/%s has %d bytes, at most %d", shadow.ErrKey, r.Bucket, r.Key, len(r.Value), MaxValue)
	default:
		return nil
	}
	return &shadow.BadRecord{Bucket: r.Bucket, Key: r.Key, Err: err}
}
