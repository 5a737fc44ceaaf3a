package fleet

import "time"

// maxOpen bounds the transitions whose times are kept while nobody answers.
const maxOpen = 64

// book follows a gateway's transitions to the cloud. A shadow shows the newest
// state: one that was overtaken before it could leave is told by what overtook it.
type book struct {
	made, covered int
	open          []transition // the last of made that are not covered
	token         string       // of the report in the air, "" = none
	upTo          int          // the transitions it tells
}

type transition struct {
	at   time.Duration
	link uint64 // number of the connection it happened on, 0 = there was none
}

func (b *book) happened(at time.Duration, link uint64) {
	b.made++
	b.open = append(b.open, transition{at, link})
	b.open = b.open[max(0, len(b.open)-maxOpen):]
}

// leaves notes a report on its way.
func (b *book) leaves(token string) { b.token, b.upTo = token, b.made }

// lost forgets a report whose answer cannot come any more.
func (b *book) lost() { b.token = "" }

// accepted closes what the report told. The newest of it was told as itself; ok is
// false when the report told nothing new.
func (b *book) accepted() (newest transition, overtaken int, ok bool) {
	n := b.upTo - b.covered
	b.token = ""
	if n <= 0 {
		return transition{}, 0, false
	}
	later := b.made - b.upTo
	if i := len(b.open) - later - 1; i >= 0 {
		newest = b.open[i]
	}
	b.open = b.open[max(0, len(b.open)-later):]
	b.covered = b.upTo
	return newest, n - 1, true
}

// missing is how many transitions no accepted report has covered.
func (b *book) missing() int { return b.made - b.covered }
