package page

import "net/http"

const fastest = 100_000 // times

// controlState is what the page may do to the site's clock. Speeds are times the
// wall's.
type controlState struct {
	Able   bool    `json:"able"`
	Paused bool    `json:"paused"`
	Speed  float64 `json:"speed"`
}

// controlOrder sets the clock, or takes one step.
type controlOrder struct {
	Paused bool    `json:"paused"`
	Speed  float64 `json:"speed"`
	Step   bool    `json:"step"`
}

func (p *Page) clock() (Clock, bool) {
	c, ok := p.o.Site.(Clock)
	return c, ok
}

func (p *Page) control(w http.ResponseWriter, _ *http.Request) {
	var s controlState
	if c, ok := p.clock(); ok {
		s.Able = true
		s.Speed, s.Paused = c.Speed()
	}
	answer(w, s)
}

func (p *Page) setControl(w http.ResponseWriter, r *http.Request) {
	c, ok := p.clock()
	if !ok {
		refuse(w, http.StatusNotFound, "the clock of this site cannot be set")
		return
	}
	var o controlOrder
	if !body(w, r, &o) {
		return
	}
	var err error
	switch {
	case o.Step:
		err = c.Step()
	case !(o.Speed > 0 && o.Speed <= fastest):
		refuse(w, http.StatusUnprocessableEntity, "a speed of %v: want more than 0 and at most %d", o.Speed, fastest)
		return
	default:
		err = c.SetSpeed(o.Speed, o.Paused)
	}
	if err != nil {
		refuse(w, http.StatusConflict, "%v", err)
		return
	}
	p.control(w, r)
}
