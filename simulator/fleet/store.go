package fleet

import (
	"bytes"
	"slices"
	"strings"
	"sync"

	"hoistway/sync/shadow"
)

// memory is a store that survives the gateway's pretended power cuts, being
// outside of what they end. It fulfils replica.Store.
type memory struct {
	mu      sync.Mutex
	records map[string]map[string][]byte // bucket, key
}

// Commit writes a batch as a whole.
func (m *memory) Commit(records []shadow.Record) error {
	for _, r := range records {
		if err := r.Check(); err != nil {
			return err
		}
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, r := range records {
		if r.Value == nil {
			delete(m.records[r.Bucket], r.Key)
			continue
		}
		if m.records[r.Bucket] == nil {
			if m.records == nil {
				m.records = map[string]map[string][]byte{}
			}
			m.records[r.Bucket] = map[string][]byte{}
		}
		m.records[r.Bucket][r.Key] = bytes.Clone(r.Value)
	}
	return nil
}

// Load copies a bucket, sorted by key.
func (m *memory) Load(bucket string) ([]shadow.Record, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	var out []shadow.Record
	for key, value := range m.records[bucket] {
		out = append(out, shadow.Record{Bucket: bucket, Key: key, Value: bytes.Clone(value)})
	}
	slices.SortFunc(out, func(a, b shadow.Record) int { return strings.Compare(a.Key, b.Key) })
	return out, nil
}
