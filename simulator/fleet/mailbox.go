package fleet

import (
	"sync"

	"hoistway/sync/shadow"
)

// mailbox brings back to a gateway's loop what became of its messages. Senders
// never wait; it is bounded by what the carrier takes at once.
type mailbox struct {
	mu    sync.Mutex
	list  []shadow.Sent
	ready chan struct{}
}

func newMailbox() *mailbox { return &mailbox{ready: make(chan struct{}, 1)} }

func (m *mailbox) put(token string, err error) {
	m.mu.Lock()
	m.list = append(m.list, shadow.Sent{Token: token, Err: err})
	m.mu.Unlock()
	select {
	case m.ready <- struct{}{}:
	default:
	}
}

func (m *mailbox) take() []shadow.Sent {
	m.mu.Lock()
	defer m.mu.Unlock()
	list := m.list
	m.list = nil
	return list
}
