package rules

import (
	"cmp"
	"encoding/json"
	"strconv"

	"hoistway/sync/shadow"
)

// When a thing counts as what, in seconds, unless its template says otherwise.
const (
	offlineAfter = 180 // without any sign of life: five beats at their longest
	reportPeriod = 60
	semiGrace    = 60 // after three periods of beats, but no report nor a beat as good as one
)

// life is what a thing's messages say of its being there.
type life struct {
	Said     bool // presence: online
	Epoch    uint64
	Session  uint64 // counts within an epoch: a device that lost its store starts anew
	Heard    uint64 // session of the last presence that came, in order or not
	Reason   string
	SeenAt   int64 // last sign of life, epoch seconds, 0 = never
	ReportAt int64
}

func (l *life) seen(now int64)     { l.SeenAt = now }
func (l *life) reported(now int64) { l.SeenAt, l.ReportAt = now, now }

// Presence is how a thing stands. The service's own clock decides, not the word
// of the device alone.
type Presence struct {
	Online         bool // it said so, and gave a sign of life within 180 s
	Semi           bool // online, but its reports stand still
	Session, Epoch uint64
	Reason         string
	LastSeen       int64 // epoch seconds, 0 = never
	Pool           bool  // rides may be given to it
	Strikes        int   // how often in a row it was found away
}

// Presence tells how a thing stands; ok is false for one never heard of.
func (s *Service) Presence(serial string, now int64) (p Presence, ok bool) {
	t := s.things[serial]
	if t == nil {
		return Presence{}, false
	}
	return s.presence(t, now), true
}

// presence: what was reported before the service began may be older than it was.
func (s *Service) presence(t *thing, now int64) Presence {
	l := t.Life
	online := l.Said && l.SeenAt > 0 && now-l.SeenAt <= t.threshold(Offline)
	p := Presence{
		Online: online, Semi: online && now-max(l.ReportAt, s.begun) > t.threshold(Semi),
		Session: l.Session, Epoch: l.Epoch, Reason: l.Reason, LastSeen: l.SeenAt, Strikes: t.Standing.Strikes,
	}
	p.Pool = p.away() == ""
	return p
}

// threshold is how long a thing may be silent before it counts as away so.
func (t *thing) threshold(away Kind) int64 {
	if away == Semi {
		return 3*cmp.Or(t.ReportPeriod, reportPeriod) + semiGrace
	}
	return cmp.Or(t.OfflineAfter, offlineAfter)
}

// connection is the unversioned sibling of state in a get.
func (c *call) connection() shadow.Tree {
	p := c.service.presence(c.thing, c.now)
	return shadow.Tree{"online": p.Online, "semi": p.Semi, "last_seen": number(p.LastSeen)}
}

// presence is the thing's own word, or its will's. A word of an older session
// comes late and says nothing of this one.
func (c *call) presence(retained bool) {
	t, err := shadow.Decode(c.payload)
	online, isBool := t["online"].(bool)
	session, ok1 := whole(t["session"])
	epoch, ok2 := whole(t["epoch"])
	if err != nil || !isBool || !ok1 || !ok2 {
		c.result.Note = "presence that cannot be read"
		return
	}
	l, h := &c.thing.Life, &c.thing.Holder
	l.Heard = session
	if !online && session == h.Session {
		h.Live = false
	}
	if (l.Epoch != epoch || l.Session != session) && !l.older(epoch, session) {
		c.result.Note = "presence of an older session"
		return
	}
	if online && (!l.Said || session != l.Session) {
		l.ReportAt = c.now // its reports cannot be late yet
	}
	l.Said, l.Session, l.Epoch = online, session, epoch
	l.Reason, _ = t["reason"].(string)
	c.thing.Epoch = max(c.thing.Epoch, epoch)
	if online && !retained { // a retained word may be years old
		l.seen(c.now)
	}
}

// heartbeat compares versions: an answer comes on a difference, and to each tenth.
func (c *call) heartbeat() {
	t, err := shadow.Decode(c.payload)
	seq, ok := whole(t["seq"])
	versions, isTree := t["versions"].(shadow.Tree)
	if err != nil || !ok || !isTree {
		c.result.Note = "heartbeat that cannot be read"
		return
	}
	c.beat(t)
	differ := shadow.Tree{}
	for name, d := range c.thing.shadows {
		if told, ok := whole(versions[name]); !ok || told != uint64(d.Version) {
			differ[name] = number(d.Version)
		}
	}
	for name, told := range versions {
		if version, ok := integer(told); ok {
			c.fetched(name, version)
		}
		if _, known := c.thing.shadows[name]; !known && told != json.Number("0") {
			differ[name] = number(0)
		}
	}
	if len(differ) == 0 && seq%10 != 0 {
		return
	}
	c.send(c.topic+"/reply", shadow.Encode(shadow.Tree{
		"versions": differ, "server_time": number(c.now), "seq": t["seq"],
	}))
}

// beat is a sign of life, and of a newer session than any presence told of it is
// presence enough: a service that was away may have missed the word.
func (c *call) beat(t shadow.Tree) {
	l := &c.thing.Life
	session, ok1 := whole(t["session"])
	epoch, ok2 := whole(t["epoch"])
	if ok1 && ok2 && l.older(epoch, session) {
		l.Said, l.Epoch, l.Session, l.Reason, l.ReportAt = true, epoch, session, "heartbeat", c.now
	}
	l.seen(c.now)
	if age, ok := whole(t["self_age_s"]); ok && int64(age) <= cmp.Or(c.thing.ReportPeriod, reportPeriod) {
		l.reported(c.now)
	}
	if ok1 && session == c.thing.Holder.Session {
		c.thing.Holder.SeenAt = c.now
	}
	c.thing.Epoch = max(c.thing.Epoch, epoch)
}

// older: l is of an older session than this one.
func (l *life) older(epoch, session uint64) bool {
	return epoch > l.Epoch || epoch == l.Epoch && session > l.Session
}

// integer reads a number that is whole.
func integer(v any) (int64, bool) {
	n, ok := v.(json.Number)
	if !ok {
		return 0, false
	}
	i, err := strconv.ParseInt(string(n), 10, 64)
	return i, err == nil
}

// whole reads a number that is whole and not below zero.
func whole(v any) (uint64, bool) {
	i, ok := integer(v)
	return uint64(max(i, 0)), ok && i >= 0
}

func number(n int64) json.Number { return json.Number(strconv.FormatInt(n, 10)) }
