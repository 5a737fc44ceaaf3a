package ops

import (
	"fmt"
	"slices"
)

const (
	maxIncidents = 2000
	maxSources   = 500 // named in one incident; more are counted
	mergeWithin  = 600 // seconds between two alarms of one incident
	quietFor     = 2 * 3600
	noticeEvery  = 3600
	wideDevices  = 3   // of one building at once are an alarm of their own
	wideShare    = 0.2 // and no less than this share of it
	urgentShare  = 0.5
)

// WideCode is the alarm of a building many of whose devices are in trouble.
const WideCode = "BUILDING_WIDE"

// Level is how pressing something is.
type Level string

const (
	Info    Level = "notice"
	Warning Level = "warning"
	Urgent  Level = "urgent"
)

func (l Level) rank() int { return slices.Index([]Level{Info, Warning, Urgent}, l) }

// concerns says to whom a word of this level goes.
func (l Level) concerns() string {
	return map[Level]string{Info: "operations", Warning: "maintenance", Urgent: "on-duty"}[l]
}

// Source is where an alarm comes from.
type Source struct {
	Serial string `json:"serial"`
	Lift   string `json:"lift,omitempty"`
}

// Incident is all alarms of one code in one building that came close together.
type Incident struct {
	ID       string   `json:"id"`
	Building string   `json:"building"`
	Code     string   `json:"code"`
	Level    Level    `json:"level"`
	First    int64    `json:"first"`
	Last     int64    `json:"last"`
	Count    int      `json:"count"` // alarms in it
	Devices  []string `json:"devices"`
	Share    float64  `json:"share"` // of the building's devices
	Sources  []Source `json:"sources"`
	Notified int64    `json:"notified,omitempty"` // last notice, 0 = none
	Open     bool     `json:"open"`               // another alarm would join it
	Robots   []string `json:"robots,omitempty"`   // that were aboard when an alarm came
	Touches  []string `json:"touches,omitempty"`  // by the topology, when it is asked for
}

// spell is one trouble of one device that comes again and again; it ends when it was
// quiet for two hours, or when the device says that it is over.
type spell struct{ first, last, notified int64 }

type spellKey struct{ serial, code string }

// Incidents are all incidents from the oldest that is remembered.
func (d *Desk) Incidents() []Incident {
	out := copies(d.alarms)
	w := d.web()
	for i := range out {
		for _, at := range out[i].Sources {
			out[i].Touches = union(out[i].Touches, d.under(w, at.node()))
		}
		out[i].Devices, out[i].Sources, out[i].Robots = slices.Clone(out[i].Devices), slices.Clone(out[i].Sources), slices.Clone(out[i].Robots)
	}
	return out
}

// raise takes one alarm.
func (d *Desk) raise(at Source, code string, now int64) {
	if code == "" {
		return
	}
	building := d.building(at.Serial)
	key := spellKey{at.Serial, code}
	s := d.spells[key]
	if s == nil {
		s = &spell{first: now}
		d.spells[key] = s
	}
	s.last = now
	i := d.incident(building, code, now)
	i.Count++
	i.Last = now
	if !slices.Contains(i.Sources, at) && len(i.Sources) < maxSources {
		i.Sources = append(i.Sources, at)
		i.Robots = union(i.Robots, d.aboard(at.node()))
	}
	if at.Serial != "" && !slices.Contains(i.Devices, at.Serial) {
		i.Devices = append(i.Devices, at.Serial)
	}
	d.weigh(i, s, now)
	d.alarms.put(i.ID, i)
	if code != WideCode {
		d.wide(building, at.Serial, now)
	}
}

// calm ends a trouble that the device says is over.
func (d *Desk) calm(at Source, code string) { delete(d.spells, spellKey{at.Serial, code}) }

// incident is the open one of this building and code, or a new one.
func (d *Desk) incident(building, code string, now int64) *Incident {
	for _, r := range slices.Backward(d.alarms.rows) {
		if i := r.v; i.Open && i.Building == building && i.Code == code && now-i.Last <= mergeWithin {
			return i
		}
	}
	return &Incident{
		ID: fmt.Sprintf("a-%d", d.alarms.next), Building: building, Code: code, Level: Info, First: now, Open: true,
	}
}

// weigh sets share and level of an incident, and tells people: at first, when it got
// worse, and else once an hour for a device and a code. A level never falls.
func (d *Desk) weigh(i *Incident, s *spell, now int64) {
	i.Share = share(len(i.Devices), d.devicesIn(i.Building))
	level := Info
	many := len(i.Devices) >= wideDevices
	switch lasts := now - s.first; {
	case lasts >= 2*noticeEvery || many && i.Share >= urgentShare:
		level = Urgent
	case lasts >= noticeEvery || many && i.Share >= wideShare:
		level = Warning
	}
	worse := level.rank() > i.Level.rank()
	if worse {
		i.Level = level
	}
	fresh := s.notified == 0 || now-s.notified >= noticeEvery
	due := i.Notified == 0 || now-i.Notified >= noticeEvery
	if worse && (i.Notified != 0 || fresh) || fresh && due {
		i.Notified = now
		d.notice(Notice{At: now, Level: i.Level, What: "alarm", ID: i.ID, Text: i.text()})
	}
	if fresh && i.Notified != 0 {
		s.notified = i.Notified // it was told of with the others
	}
}

func (i *Incident) text() string {
	where := i.Building
	if where == "" {
		where = "no building"
	}
	return fmt.Sprintf("%s in %s: %d devices (%.0f %%), %d alarms", i.Code, where, len(i.Devices), 100*i.Share, i.Count)
}

// wide raises an alarm of its own when many devices of a building are in trouble.
func (d *Desk) wide(building, serial string, now int64) {
	known := d.incident(building, WideCode, now)
	if building == "" || slices.Contains(known.Devices, serial) {
		return
	}
	var serials []string
	for _, r := range d.alarms.rows {
		if i := r.v; i.Open && i.Building == building && i.Code != WideCode && now-i.Last <= mergeWithin {
			serials = union(serials, i.Devices)
		}
	}
	if len(serials) < wideDevices || share(len(serials), d.devicesIn(building)) < wideShare {
		return
	}
	for _, serial := range serials {
		if !slices.Contains(known.Devices, serial) {
			d.raise(Source{Serial: serial}, WideCode, now)
		}
	}
}

// tickAlarms closes what nothing joins any more, and forgets what has been quiet.
func (d *Desk) tickAlarms(now int64) {
	for _, r := range d.alarms.rows {
		if r.v.Open && now-r.v.Last > mergeWithin {
			r.v.Open = false
			d.alarms.save(r)
		}
	}
	for key, s := range d.spells {
		if now-s.last > quietFor {
			delete(d.spells, key)
		}
	}
}

func (d *Desk) notice(n Notice) {
	n.To = n.Level.concerns()
	d.out.Notices = append(d.out.Notices, n)
}

func (d *Desk) building(serial string) string {
	if t := d.things.get(serial); t != nil {
		return t.Tags.Building
	}
	return ""
}

func (d *Desk) devicesIn(building string) int {
	if d.census == nil {
		d.census = map[string]int{}
		for _, r := range d.things.rows {
			d.census[r.v.Tags.Building]++
		}
	}
	return d.census[building]
}

func share(part, whole int) float64 {
	if whole == 0 {
		return 0
	}
	return float64(part) / float64(whole)
}

func union(a, b []string) []string {
	for _, s := range b {
		if !slices.Contains(a, s) {
			a = append(a, s)
		}
	}
	return a
}
