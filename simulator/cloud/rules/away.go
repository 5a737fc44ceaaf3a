package rules

// strikesForOrder is how often in a row a thing is found away before somebody is sent.
const strikesForOrder = 3

// standing is what came of a thing's being away.
type standing struct {
	Away     Kind  // Offline, Semi, or "" while it is there
	Since    int64 // epoch seconds
	JudgedAt int64
	Strikes  int
}

// judge looks whether a thing is there. One found away leaves the pool at once, and is
// looked at again each time the threshold has passed; the third time in a row is a work
// order, once, and its first sign of being well puts it back.
func (c *call) judge() {
	p := c.service.presence(c.thing, c.now)
	is, s := p.away(), &c.thing.Standing
	switch {
	case p.LastSeen == 0 || p.Session == 0: // never there
	case is == "" && s.Away != "":
		*s = standing{}
		c.tell(News{Kind: Recovered})
	case is == "":
	case p.LastSeen < c.service.begun && c.now-c.service.begun <= c.thing.threshold(is):
		// nobody listened before: it shall have its time
	case s.Away == "":
		*s = standing{Away: is, Since: c.now, JudgedAt: c.now, Strikes: 1}
		c.tell(News{Kind: is, Text: p.Reason})
	default:
		c.stillAway(is)
	}
}

func (c *call) stillAway(is Kind) {
	s := &c.thing.Standing
	if s.Away != is {
		s.Away = is
		c.tell(News{Kind: is})
	}
	if c.now-s.JudgedAt < c.thing.threshold(is) {
		return
	}
	s.JudgedAt = c.now
	if s.Strikes++; s.Strikes == strikesForOrder {
		c.tell(News{Kind: WorkOrder, Code: string(is), Count: strikesForOrder})
	}
}

func (p Presence) away() Kind {
	switch {
	case !p.Online:
		return Offline
	case p.Semi:
		return Semi
	}
	return ""
}
