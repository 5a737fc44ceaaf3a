package commission

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"time"
)

// Entry is one line of the audit: a write by hand that was asked, or what became
// of it.
type Entry struct {
	At       time.Time `json:"at"`
	By       string    `json:"by"`
	Lift     string    `json:"lift,omitempty"`
	Link     string    `json:"link,omitempty"`
	Question string    `json:"question"`
	Frames   []string  `json:"frames"`           // in hexadecimal, as they were shown
	Forced   bool      `json:"forced,omitempty"` // although a ride held the lift
	Outcome  string    `json:"outcome"`          // asked, done, refused, not_sent, unknown
	Code     string    `json:"code,omitempty"`
	Detail   string    `json:"detail,omitempty"`
}

// Audit is a file of entries that only grows: JSON, one a line. It is bounded: at
// its limit it becomes FILE.1 and a new one begins. Safe for concurrent use.
type Audit struct {
	Path string

	mu sync.Mutex
}

// AuditName is the file's name in the folder of the store.
const AuditName = "commissioning.jsonl"

const maxAudit = 4 << 20 // bytes

// Write appends an entry and returns when the disk has it.
func (a *Audit) Write(e Entry) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	line, err := json.Marshal(e)
	if err != nil {
		return fmt.Errorf("audit: %w", err)
	}
	if info, err := os.Stat(a.Path); err == nil && info.Size() > maxAudit {
		if err := os.Rename(a.Path, a.Path+".1"); err != nil {
			return fmt.Errorf("audit: %w", err)
		}
	}
	if err := os.MkdirAll(filepath.Dir(a.Path), 0o750); err != nil {
		return fmt.Errorf("audit: %w", err)
	}
	f, err := os.OpenFile(a.Path, os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o640)
	if err != nil {
		return fmt.Errorf("audit: %w", err)
	}
	_, err = f.Write(append(line, '\n'))
	if err = errors.Join(err, f.Sync(), f.Close()); err != nil {
		return fmt.Errorf("audit: %w", err)
	}
	return nil
}
