package devices

import (
	"errors"
	"fmt"
	"io"
	"net"
	"slices"
	"sync"
	"time"

	"hoistway/fsm/elevator"
	"hoistway/simulator/building"
)

// beat is how often a board looks what it has to do by itself.
const beat = 50 * time.Millisecond

// maxHeard bounds what a board keeps of a frame that does not end.
const maxHeard = 512

// Deed is one thing that was asked of a lift through a board.
type Deed struct {
	At    elevator.Instant
	Lift  string
	Asks  string // as people read it: check in at 3, door trigger
	Taken bool
}

func (d Deed) String() string {
	if d.Taken {
		return d.Asks
	}
	return d.Asks + ", not taken"
}

// Habits are how a board is built or has failed, as switches. The zero Habits are
// those of a good one. What goes with one kind of board only says so.
type Habits struct {
	Silent       bool // nothing is answered, though all is done
	BadCheck     bool // a bit of each answer is flipped
	Refuses      bool // a no to all that is asked to be done
	OneClient    bool // TCP: a second connection is closed at once
	Echoes       bool // what is said to it comes back before the answer, as on a bad adapter
	RawRelease   bool // stx-board: the release is acknowledged with nothing around it
	DoorOpen     bool // stx-board: the status says open whatever the door does
	TriggersStay bool // mc1e: triggers are never cleared
}

// speech is one protocol with what its board remembers. It is used under the lock of
// the board.
type speech interface {
	// hear takes what it can off the front of in, and gives the frames to say back.
	hear(in []byte) (rest []byte, out [][]byte)
	// beat is called again and again; it gives what the board says by itself.
	beat(now elevator.Instant) [][]byte
}

// Board is lifts behind a wire that speaks frames of its own. Its methods may be
// called from any goroutine. The owner calls Close once.
type Board struct {
	world *World
	lifts []*boardLift
	where string
	quit  chan struct{}
	wg    sync.WaitGroup
	once  sync.Once
	err   error
	shut  func() error

	mu     sync.Mutex // before the world's
	talk   speech
	habits Habits
	deeds  []Deed
	lines  map[io.Closer]func([]byte) bool
}

// boardLift is one lift behind a board.
type boardLift struct {
	car   string
	unit  uint8
	table elevator.Table
}

// Protocols of boards.
const (
	STXBoard    = "stx-board"    // robot board with STX/ETX frames and escapes
	ButtonBoard = "button-board" // presses a panel's buttons and reads its lamps
	MC1E        = "mc1e"         // lift PLC read and written by MC protocol 1E
	ELSGW       = "elsgw"        // security gateway, UDP
	ELIP        = "e-lip"        // access control port, TCP
)

// BoardProtocols lists them.
func BoardProtocols() []string { return []string{STXBoard, ButtonBoard, MC1E, ELSGW, ELIP} }

var errOneLift = errors.New("this kind of board has one lift")

func newBoard(w *World, protocol string, seats []Seat) (*Board, error) {
	if len(seats) == 0 {
		return nil, errors.New("a wire without a lift")
	}
	b := &Board{world: w, quit: make(chan struct{}), lines: map[io.Closer]func([]byte) bool{}}
	for _, s := range seats {
		l := &boardLift{car: s.Car, unit: s.Unit}
		w.Do(func(b *building.Building) { l.table = b.Table(s.Car) })
		if l.table == nil {
			return nil, fmt.Errorf("lift %q: %w", s.Car, building.ErrNoCar)
		}
		b.lifts = append(b.lifts, l)
	}
	if protocol != STXBoard && len(seats) > 1 {
		return nil, fmt.Errorf("%s: %w", protocol, errOneLift)
	}
	switch protocol {
	case STXBoard:
		b.talk = newSTX(b)
	case ButtonBoard:
		b.talk = &buttons{b: b, l: b.lifts[0]}
	case MC1E:
		b.talk = newPLC(b, b.lifts[0])
	case ELSGW:
		b.talk = &gateway{b: b}
	case ELIP:
		b.talk = &accessPort{b: b, l: b.lifts[0]}
	default:
		return nil, fmt.Errorf("no board speaks %q", protocol)
	}
	return b, nil
}

// Where is the address as host:port, or the path of the terminal; "" on a line of others.
func (b *Board) Where() string { return b.where }

// Cars lists the lifts.
func (b *Board) Cars() (ids []string) {
	for _, l := range b.lifts {
		ids = append(ids, l.car)
	}
	return ids
}

// Behave changes the habits from now on.
func (b *Board) Behave(h Habits) { b.mu.Lock(); defer b.mu.Unlock(); b.habits = h }

// Deeds is what was asked, oldest first.
func (b *Board) Deeds() []Deed { b.mu.Lock(); defer b.mu.Unlock(); return slices.Clone(b.deeds) }

// Close ends the board and waits until nothing of it is left.
func (b *Board) Close() error {
	b.once.Do(func() {
		close(b.quit)
		b.err = b.shut()
		b.mu.Lock()
		for c := range b.lines {
			_ = c.Close() // it is to go, whatever its state
		}
		b.mu.Unlock()
		b.wg.Wait()
	})
	return b.err
}

// live lets the board act by itself.
func (b *Board) live() {
	for pause(beat, b.quit) {
		now := b.world.Now()
		b.mu.Lock()
		if b.dark() {
			b.mu.Unlock()
			continue
		}
		for _, f := range b.talk.beat(now) {
			for _, send := range b.lines {
				b.say(f, send)
			}
		}
		b.mu.Unlock()
	}
}

// admit takes a connection, or not.
func (b *Board) admit(c net.Conn) {
	b.mu.Lock()
	full := b.habits.OneClient && len(b.lines) > 0 || len(b.lines) >= maxClients
	b.mu.Unlock()
	if full {
		_ = c.Close() // there is no place for it
		return
	}
	b.converse(c)
}

// converse serves one line until it breaks.
func (b *Board) converse(rw io.ReadWriteCloser) {
	c := newCable(rw)
	b.mu.Lock()
	b.lines[c] = c.send
	b.mu.Unlock()
	b.wg.Go(c.pump)
	b.wg.Go(func() {
		b.listen(c)
		_ = c.Close() // perhaps for the second time; ends the pump
		b.mu.Lock()
		delete(b.lines, c)
		b.mu.Unlock()
	})
}

func (b *Board) listen(c *cable) {
	var in []byte
	for {
		select {
		case piece, ok := <-c.in:
			if !ok {
				return
			}
			in = b.turn(append(in, piece...), piece, c.send)
		case <-b.quit:
			return
		}
	}
}

// turn lets the board hear and answer.
func (b *Board) turn(in, piece []byte, send func([]byte) bool) []byte {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.habits.Echoes {
		send(piece)
	}
	if b.dark() {
		return nil
	}
	rest, out := b.talk.hear(in)
	for _, f := range out {
		b.say(f, send)
	}
	if len(rest) > maxHeard {
		rest = nil
	}
	return slices.Clone(rest)
}

// dark reports that no controller behind the board has power.
func (b *Board) dark() bool {
	return !slices.ContainsFunc(b.lifts, func(l *boardLift) bool { return !b.world.Shown(l.car).Dark })
}

// say sends one frame as the habits want it.
func (b *Board) say(frame []byte, send func([]byte) bool) {
	if b.habits.Silent || len(frame) == 0 {
		return
	}
	if b.habits.BadCheck {
		frame = slices.Clone(frame)
		frame[len(frame)/2] ^= 0x10
	}
	send(frame)
}

// done puts a deed into the journal and gives back whether it was taken.
func (b *Board) done(l *boardLift, err error, format string, args ...any) bool {
	if len(b.deeds) == maxWrites {
		b.deeds = append(b.deeds[:0], b.deeds[maxWrites/2:]...)
	}
	b.deeds = append(b.deeds, Deed{b.world.Now(), l.car, fmt.Sprintf(format, args...), err == nil})
	return err == nil
}

// act lends the building for one deed; a board that refuses does nothing.
func (b *Board) act(do func(*building.Building) error) (err error) {
	if b.habits.Refuses {
		return errRefuses
	}
	b.world.Do(func(x *building.Building) { err = do(x) })
	return err
}

var errRefuses = errors.New("refused by habit")

// label names a landing in the journal.
func (l *boardLift) label(wire int) string {
	if f := l.table.ByWire(wire); f != 0 {
		return l.table.Label(f)
	}
	return fmt.Sprintf("number %d", wire)
}
