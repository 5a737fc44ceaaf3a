package cloud

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"hoistway/sync/boltstore"
)

// ErrStore is a store that cannot be opened or read.
var ErrStore = errors.New("the cloud's store")

// storeSize bounds the file: documents, commands, histories of a large fleet.
const storeSize = 2 << 30

// open opens the authority and makes both halves of what it holds. A damaged file is
// set aside and said in the log; devices report anew, what was wished is lost.
func (c *Cloud) open(o Options) error {
	c.store, c.close = o.Store, func() error { return nil }
	if o.Dir != "" {
		if err := os.MkdirAll(o.Dir, 0o700); err != nil {
			return fmt.Errorf("%w: %w", ErrStore, err)
		}
		s, opened, err := boltstore.Open(filepath.Join(o.Dir, "cloud.db"), boltstore.Options{MaxSize: storeSize})
		if err != nil {
			return fmt.Errorf("%w: %w", ErrStore, err)
		}
		if opened.SetAside != "" {
			c.log.Warn("the store was damaged and is begun anew", "why", opened.Why, "set_aside", opened.SetAside)
		}
		c.store, c.close = s, s.Close
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if err := c.restore(); err != nil {
		return errors.Join(fmt.Errorf("%w: %w", ErrStore, err), c.close())
	}
	return nil
}
