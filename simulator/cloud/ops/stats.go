package ops

const (
	lastFaults   = 5
	adviseFaults = 5    // in a day
	adviseLoss   = 0.05 // share of commands that failed
	adviseLeast  = 20   // commands, for a share to mean something
	adviseOnline = 0.95 // share of the time
)

// Stats are a device's figures since the last inspection.
type Stats struct {
	Since       int64       `json:"since"`
	OnlineSince int64       `json:"online_since,omitempty"` // 0 = not online
	OnlineS     int64       `json:"online_s"`               // seconds, up to OnlineSince
	Faults      int         `json:"faults"`
	Last        []LastFault `json:"last_faults,omitempty"`
	Commands    int         `json:"commands"`
	Failed      int         `json:"commands_failed"`
}

// LastFault is one of a device's last faults.
type LastFault struct {
	At   int64  `json:"at"`
	Lift string `json:"lift,omitempty"`
	Code string `json:"code"`
}

// heard reports whether a figure changed.
func (s *Stats) heard(h Happened, now int64) bool {
	if s.Since == 0 {
		s.Since = now
	}
	switch h.Kind {
	case Online, Recovered:
		if s.OnlineSince == 0 {
			s.OnlineSince = now
		}
	case Offline:
		s.OnlineS = s.online(now)
		s.OnlineSince = 0
	case RideFault, Alarm:
		s.Faults++
		s.Last = append(s.Last, LastFault{now, h.Shadow, h.Code})
		s.Last = s.Last[max(0, len(s.Last)-lastFaults):]
	case CommandFailed:
		s.Commands++
		s.Failed++
	case Command:
		if h.Code != "done" {
			return false
		}
		s.Commands++
	default:
		return false
	}
	return true
}

// online is how many seconds since the last inspection the device was there.
func (s *Stats) online(now int64) int64 {
	if s.OnlineSince == 0 {
		return s.OnlineS
	}
	return s.OnlineS + now - s.OnlineSince
}

// advise says why somebody should look at the device; "" for no reason.
func (s *Stats) advise(now int64) string {
	switch lasts := now - s.Since; {
	case s.Faults >= adviseFaults:
		return "many faults"
	case s.Commands >= adviseLeast && share(s.Failed, s.Commands) > adviseLoss:
		return "commands are lost"
	case s.Since > 0 && lasts >= 3600 && float64(s.online(now)) < adviseOnline*float64(lasts):
		return "often away"
	}
	return ""
}

// anew begins another day; what is remembered of the last faults stays.
func (s *Stats) anew(now int64) {
	next := Stats{Since: now, Last: s.Last}
	if s.OnlineSince != 0 {
		next.OnlineSince = now
	}
	*s = next
}
