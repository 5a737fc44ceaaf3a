package audit

import (
	"context"
	"log/slog"
	"path/filepath"
	"sync/atomic"
	"time"
)

const (
	outputsName = "outputs.jsonl"
	maxQueue    = 1024
	maxBatch    = 64
	retryEvery  = 2 * time.Second
)

// Log is the audit of one agent: two rows, of people and of lifts. Safe for concurrent
// use.
type Log struct {
	Acts    *File // of people
	outputs *File
	queue   chan Entry
	lost    atomic.Uint64
	log     *slog.Logger
	fails   bool // the last write of commands failed; of Run alone
}

// New makes the audit in a folder; nothing is opened before the first entry.
func New(dir string, log *slog.Logger) *Log {
	return &Log{
		Acts: &File{Path: filepath.Join(dir, FileName)}, outputs: &File{Path: filepath.Join(dir, outputsName)},
		queue: make(chan Entry, maxQueue), log: log,
	}
}

// Act writes what a person did, or is about to do, and returns when the disk has it.
// What moves something is not carried out when that fails.
func (l *Log) Act(e Entry) error { return l.Acts.Write(e) }

// Output notes a command. It never blocks; what the queue cannot take is counted.
func (l *Log) Output(e Entry) {
	select {
	case l.queue <- e:
	default:
		l.lost.Add(1)
	}
}

// Last gives the last n entries of people's acts, or of the commands.
func (l *Log) Last(outputs bool, n int) ([]Entry, error) {
	if outputs {
		return l.outputs.Last(n)
	}
	return l.Acts.Last(n)
}

// Run writes commands until ctx ends, then those that still wait.
func (l *Log) Run(ctx context.Context) error {
	for {
		select {
		case e := <-l.queue:
			l.write(ctx, e)
		case <-ctx.Done():
			for {
				select {
				case e := <-l.queue:
					l.write(ctx, e)
				default:
					return nil
				}
			}
		}
	}
}

// write takes what waits along with e. A disk that takes nothing costs those entries,
// which are counted, and a rest before the next try.
func (l *Log) write(ctx context.Context, e Entry) {
	batch := []Entry{}
	if lost := l.lost.Swap(0); lost > 0 {
		batch = append(batch, Entry{At: e.At, By: "agent", What: "gap", Outcome: "unknown", Lost: lost, Detail: "entries could not be written"})
	}
	batch = append(batch, e)
	for len(batch) < maxBatch {
		select {
		case e := <-l.queue:
			batch = append(batch, e)
			continue
		default:
		}
		break
	}
	err := l.outputs.append(false, batch...)
	l.tell(err)
	if err == nil {
		return
	}
	for _, b := range batch {
		l.lost.Add(max(1, b.Lost))
	}
	select {
	case <-ctx.Done():
	case <-time.After(retryEvery):
	}
}

// tell warns when writing begins to fail, and says when it works again.
func (l *Log) tell(err error) {
	switch {
	case err != nil && !l.fails:
		l.log.Warn("commands cannot be noted in the audit", "code", "E-4009", "error", err)
	case err == nil && l.fails:
		l.log.Info("commands are noted in the audit again")
	}
	l.fails = err != nil
}
