package devices

import (
	"fmt"
	"time"
)

// Manners are how a device is built, as its data sheet would say it; they are no
// faults. The zero Manners answer at once and take all that the protocol allows.
// What is a matter of the whole wire holds when one of its units has it.
type Manners struct {
	AnswerDelay time.Duration // from a request to its answer
	// Turnaround is how long the device rests after an answer. A request that comes
	// meanwhile is lost on a serial line and waits on TCP.
	Turnaround time.Duration
	BytePause  time.Duration // from one byte of an answer to the next
	// MaxRegisters is the most that one read may ask for, 0 for the protocol's 125;
	// more gets exception 3.
	MaxRegisters int
	// Function codes that the device does not know: exception 1.
	NoReadHoldings, NoReadInputs, NoWriteOne, NoWriteSeveral bool

	NoAcknowledge  bool          // carries a write out and does not answer it; with a face
	OneCommand     bool          // drops what is asked while the car is under way, and acknowledges it; with a face
	ClearsTriggers bool          // what is written reads back as 0; with a face
	EchoesRequest  bool          // shows the landing that was asked for as the car's own; with a face
	StaleMoving    time.Duration // shows a car that stands as moving for so long; with a face
	// SilentNo answers nothing where others answer with an exception.
	SilentNo bool

	OtherUnit         OtherUnit     // of the wire
	OneConnection     bool          // of the wire, TCP: a second one is closed at once
	ClosesAfterAnswer bool          // TCP: each connection carries one request
	ClosesIdle        time.Duration // TCP, of the wire: a connection that stands idle so long is closed
}

// OtherUnit is what a request to a unit id gets that nobody has.
type OtherUnit uint8

const (
	// OtherUsual is exception 11 on TCP, as a gateway answers, and silence on a
	// serial line.
	OtherUsual OtherUnit = iota
	OtherSilence
	OtherException
)

// Bounds of the times in [Manners].
const (
	maxManner    = time.Minute
	maxBytePause = time.Second
)

// Behave changes the manners from the next request on.
func (u *Unit) Behave(m Manners) error {
	if err := m.check(); err != nil {
		return fmt.Errorf("lift %q: %w", u.car, err)
	}
	u.mu.Lock()
	defer u.mu.Unlock()
	u.manners = m
	return nil
}

// Manners are those in force.
func (u *Unit) Manners() Manners {
	u.mu.Lock()
	defer u.mu.Unlock()
	return u.manners
}

func (m Manners) check() error {
	for _, d := range []struct {
		what    string
		is, max time.Duration
	}{
		{"answer delay", m.AnswerDelay, maxManner},
		{"turnaround", m.Turnaround, maxManner},
		{"pause between bytes", m.BytePause, maxBytePause},
		{"stale moving", m.StaleMoving, maxManner},
		{"idle time", m.ClosesIdle, maxManner},
	} {
		if d.is < 0 || d.is > d.max {
			return fmt.Errorf("%s of %v: 0 to %v", d.what, d.is, d.max)
		}
	}
	switch {
	case m.MaxRegisters < 0 || m.MaxRegisters > maxRead:
		return fmt.Errorf("at most %d registers in a read: 1 to %d, 0 for all of them", m.MaxRegisters, maxRead)
	case m.OtherUnit > OtherException:
		return fmt.Errorf("answer to other units of kind %d: there is none", m.OtherUnit)
	}
	return nil
}

// lacks reports whether the device does not know a function of its map.
func (m Manners) lacks(fn uint8) bool {
	switch fn {
	case readHoldings:
		return m.NoReadHoldings
	case readInputs:
		return m.NoReadInputs
	case writeOne:
		return m.NoWriteOne
	case writeSeveral:
		return m.NoWriteSeveral
	}
	return false
}

// most is how many registers one read may ask for.
func (m Manners) most() int {
	if m.MaxRegisters > 0 {
		return m.MaxRegisters
	}
	return maxRead
}

// answersOthers reports whether a request to nobody's unit id gets exception 11.
func answersOthers(units []*Unit, usual bool) bool {
	for _, u := range units {
		switch u.Manners().OtherUnit {
		case OtherSilence:
			return false
		case OtherException:
			return true
		}
	}
	return usual
}
