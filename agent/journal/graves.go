package journal

import (
	"encoding/json"
	"log/slog"
	"os"
	"path/filepath"
	"time"
)

const (
	gravesName = "dropped"
	maxGraves  = 2048      // rides whose dropping is remembered
	maxYard    = 512 << 10 // bytes of the file before it is written anew
)

// grave remembers that the record of a ride was dropped to keep the budget, so that a
// reader learns that rather than that there never was one.
type grave struct {
	Ride  string `json:"ride"`
	Robot string `json:"robot"`
	At    int64  `json:"at"` // epoch ms
}

type graves struct {
	path  string
	log   *slog.Logger
	file  *os.File
	size  int64
	of    map[string]grave
	order []string // oldest first; a ride may stand twice
	fails bool     // the last write failed
}

func openGraves(dir string, log *slog.Logger) graves {
	g := graves{path: filepath.Join(dir, gravesName), log: log, of: map[string]grave{}}
	data, err := readUpTo(g.path, 2*maxYard)
	if err == nil {
		g.size = int64(sound(data, func(body []byte) {
			var x grave
			if json.Unmarshal(body, &x) == nil && x.Ride != "" {
				g.remember(x)
			}
		}))
	}
	return g
}

func (g *graves) remember(x grave) {
	g.of[x.Ride] = x
	g.order = append(g.order, x.Ride)
	for len(g.order) > maxGraves {
		delete(g.of, g.order[0])
		g.order = g.order[1:]
	}
}

// add writes one more. What cannot be written is still known until the end.
func (g *graves) add(x grave) {
	g.remember(x)
	if g.size > maxYard {
		g.anew()
		return
	}
	g.append(x)
}

func (g *graves) append(x grave) {
	body, err := json.Marshal(x)
	if err != nil {
		return
	}
	framed, err := appendRecord(nil, body)
	if err == nil && g.file == nil {
		g.file, err = os.OpenFile(g.path, os.O_WRONLY|os.O_CREATE, 0o640)
	}
	if err == nil {
		_, err = g.file.WriteAt(framed, g.size)
	}
	g.tell(err)
	if err == nil {
		g.size += int64(len(framed))
	}
}

// tell warns when writing begins to fail, and says when it works again.
func (g *graves) tell(err error) {
	switch {
	case err != nil && !g.fails:
		g.log.Warn("the list of dropped flight records cannot be written", "file", g.path, "error", err)
	case err == nil && g.fails:
		g.log.Info("the list of dropped flight records is written again", "file", g.path)
	}
	g.fails = err != nil
}

// anew writes only those that are still remembered.
func (g *graves) anew() {
	g.close()
	if err := os.Remove(g.path); err != nil {
		g.tell(err)
		return
	}
	g.size = 0
	for _, ride := range g.order {
		if x, ok := g.of[ride]; ok {
			g.append(x)
		}
	}
}

func (g *graves) close() {
	if g.file != nil {
		_ = g.file.Close() // nothing depends on it
		g.file = nil
	}
}

// Dropped is the error for a ride whose record was there and had to make room.
type Dropped struct {
	Ride, Robot string
	At          time.Time
}

func (d *Dropped) Error() string {
	return "the record of " + d.Ride + " was dropped on " + d.At.Format(time.DateTime) + " UTC to keep within the budget of bytes"
}
