package serial

import (
	"fmt"
	"time"

	"hoistway/drivers"
	"hoistway/drivers/fieldbus"
	"hoistway/drivers/profiles"
	"hoistway/fsm/elevator"
)

// ask says one message on the line and reads what comes to it. The error is a
// [fieldbus.Refusal] for a no, with the answer that says so.
func (l *link) ask(w *fieldbus.Wire, name string, args map[string]profiles.Raw) (profiles.Answer, error) {
	q, err := l.frames.Ask(name, args, int(w.Number()))
	if err != nil {
		return profiles.Answer{}, fmt.Errorf("%w: %w", drivers.ErrConfig, err)
	}
	time.Sleep(l.frames.Gap()) // a board that tells frames by silence would glue them
	if q.Silent {
		if err := w.Say(q.Bytes); err != nil {
			return profiles.Answer{}, err
		}
		return profiles.Answer{}, fieldbus.ErrNoAnswer
	}
	frame, err := w.Exchange(q.Bytes, q.Usual, func(in []byte) fieldbus.Heard { return heard(q.Hear(in)) })
	if err != nil {
		return profiles.Answer{}, err
	}
	a, err := q.Read(frame)
	if err != nil {
		return a, fmt.Errorf("%w: %w", drivers.ErrProtocol, err)
	}
	if a.Refused {
		return a, l.refusal(a)
	}
	return a, nil
}

func (l *link) refusal(a profiles.Answer) *fieldbus.Refusal {
	advice, text := l.prof.Meaning(a.Code)
	r := &fieldbus.Refusal{Code: a.Code, Kind: kind(advice), Text: text}
	if a.Busy {
		r.Kind = drivers.ErrBusy
	}
	if text == "" {
		r.Text = "the controller says " + a.Message
	}
	return r
}

// kind is the error that goes with what a code means.
func kind(a elevator.Advice) error {
	switch a {
	case elevator.AdviceRetry:
		return drivers.ErrBusy
	case elevator.AdviceConfig:
		return drivers.ErrConfig
	case elevator.AdviceWait:
		return drivers.ErrDevice
	}
	return drivers.ErrProtocol
}
