package rules

// Tick lets time pass: what waits too long ends, who is silent too long counts as
// away. To be called about once a second.
func (s *Service) Tick(now int64) Result {
	s.begin(now)
	var all Result
	for _, t := range s.order {
		c := call{service: s, thing: t, now: now}
		c.expire()
		c.judgeOrders()
		c.judge()
		c.ageSamples()
		all.add(c.settle())
	}
	return all
}

func (r *Result) add(other Result) {
	r.Messages = append(r.Messages, other.Messages...)
	r.Changes = append(r.Changes, other.Changes...)
	r.News = append(r.News, other.News...)
	r.Puts = append(r.Puts, other.Puts...)
}
