package replica

import "sync"

// queue is a bounded list with one taker.
type queue[T any] struct {
	mu     sync.Mutex
	list   []T
	most   int
	shut   bool
	filled chan struct{} // holds one token while list may be filled
}

func (q *queue[T]) init(most int) {
	q.most, q.filled = most, make(chan struct{}, 1)
}

// put adds v, or refusal when the list is full: a refusal is small, and its turn
// comes as any other's, so that no end is told before an earlier one. It returns
// false when the queue is closed.
func (q *queue[T]) put(v, refusal T) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.shut {
		return false
	}
	if len(q.list) >= q.most {
		v = refusal
	}
	q.list = append(q.list, v)
	select {
	case q.filled <- struct{}{}:
	default:
	}
	return true
}

// take empties the list.
func (q *queue[T]) take() []T {
	q.mu.Lock()
	defer q.mu.Unlock()
	list := q.list
	q.list = nil
	return list
}

// finish empties the list like take, and closes the queue once there is nothing
// left in it: a later put is then refused. So none is refused before an earlier one
// has ended.
func (q *queue[T]) finish() (list []T, closed bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	list, q.list = q.list, nil
	q.shut = len(list) == 0
	return list, q.shut
}
