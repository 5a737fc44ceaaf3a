package devices

import (
	"fmt"
	"sync"
	"time"
)

// Kind is a way in which an answer goes wrong.
type Kind uint8

const (
	// Deaf loses the request: nothing is done, nothing is answered.
	Deaf Kind = 1 + iota
	// Silent does what was asked and loses the answer.
	Silent
	// Late answers after Fault.Delay.
	Late
	// Garbled flips a bit of the answer on a serial line, so that the checksum is
	// wrong; on TCP it answers under another transaction id.
	Garbled
	// Short answers well-formed, with one register too few; an answer that holds no
	// registers loses its last byte.
	Short
	// Foreign answers as another unit.
	Foreign
	// Exception does nothing and answers Fault.Code.
	Exception
	// Split sends the answer in two parts, Fault.Delay apart.
	Split
	// Drop does what was asked and closes the connection instead of answering. On a
	// serial line it is Silent.
	Drop
	kinds
)

// Fault is one thing to go wrong.
type Fault struct {
	Kind     Kind
	Count    int           // requests that it spoils before it wears off; 0: until Clear
	Function uint8         // only requests of this function code; 0: any
	Delay    time.Duration // Late, Split
	Code     uint8         // Exception
}

// maxDelay bounds Late and Split, maxFaults what waits at once.
const (
	maxDelay  = 10 * time.Minute
	maxFaults = 64
)

// faults are those in play. Safe for several goroutines.
type faults struct {
	mu   sync.Mutex
	list []Fault
	met  uint64
}

func (fs *faults) add(f Fault) error {
	switch {
	case f.Kind == 0 || f.Kind >= kinds:
		return fmt.Errorf("fault of kind %d: there is none", f.Kind)
	case f.Count < 0:
		return fmt.Errorf("fault for %d requests: 0 or more", f.Count)
	case f.Delay < 0 || f.Delay > maxDelay:
		return fmt.Errorf("fault with delay %v: up to %v", f.Delay, maxDelay)
	case f.Kind == Exception && (f.Code == 0 || f.Code >= exceptionFlag):
		return fmt.Errorf("fault with exception %d: 1 to 127", f.Code)
	}
	fs.mu.Lock()
	defer fs.mu.Unlock()
	if len(fs.list) >= maxFaults {
		return fmt.Errorf("%d faults play already", len(fs.list))
	}
	fs.list = append(fs.list, f)
	return nil
}

func (fs *faults) clear() {
	fs.mu.Lock()
	defer fs.mu.Unlock()
	fs.list = nil
}

func (fs *faults) spoiled() uint64 {
	fs.mu.Lock()
	defer fs.mu.Unlock()
	return fs.met
}

// take gives the fault that spoils a request of function fn, the zero one for none.
func (fs *faults) take(fn uint8) Fault {
	fs.mu.Lock()
	defer fs.mu.Unlock()
	for i, f := range fs.list {
		if f.Function != 0 && f.Function != fn {
			continue
		}
		fs.met++
		switch f.Count {
		case 0:
		case 1:
			fs.list = append(fs.list[:i:i], fs.list[i+1:]...)
		default:
			fs.list[i].Count--
		}
		return f
	}
	return Fault{}
}

// respond serves a request and spoils what is not a matter of the wire: the
// answer is nil when none is sent.
func (u *Unit) respond(req []byte) ([]byte, Fault) {
	u.count(asked(req))
	f := u.faults.take(req[0])
	switch f.Kind {
	case Deaf:
		return nil, f
	case Exception:
		return exception(req[0], f.Code), f
	}
	answer := u.answer(req)
	switch f.Kind {
	case Silent:
		return nil, f
	case Short:
		return short(answer), f
	}
	return answer, f
}

func short(answer []byte) []byte {
	read := answer[0] == readHoldings || answer[0] == readInputs
	if !read {
		return answer[:len(answer)-1]
	}
	cut := append([]byte(nil), answer[:len(answer)-2]...)
	cut[1] -= 2
	return cut
}

// pause waits, and is false when the end came first.
func pause(d time.Duration, end <-chan struct{}) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return true
	case <-end:
		return false
	}
}
