package aws

import (
	"fmt"
	"slices"
	"testing"

	"hoistway/sync/shadow"
)

// CM-1, CM-2: a command of the service is carried out once; each of its states is told
// when the one before was taken.
func TestACommandIsCarriedOut(t *testing.T) {
	s := newStage(t)
	s.connect(1)
	s.wait(minute)
	request := s.service.Command("e1", fmt.Sprintf(`{"cmd":"restart","by":"ops","exp":%d}`, s.time()+30))
	s.deliver(request)
	s.deliver(request)
	s.step(shadow.Performed{ID: "e1", Status: shadow.OrderDone})
	s.wait(minute)
	if !slices.Equal(s.performed, []string{"restart e1"}) {
		t.Errorf("performed %q", s.performed)
	}
	told := slices.Compact(s.service.Executions["e1"])
	if !slices.Equal(told, []string{"IN_PROGRESS RECEIVED", "SUCCEEDED DONE"}) {
		t.Errorf("told %q", told)
	}
}

// DD-2: an event lies in the store until the broker took it, and goes once.
func TestAnEventIsHadByTheBroker(t *testing.T) {
	s := newStage(t)
	s.step(shadow.Event{Kind: "ride.done", Body: shadow.Tree{"ride": "r-1"}})
	s.connect(1)
	s.wait(5 * minute)
	events := 0
	for _, m := range s.beside {
		if m.Topic == x+"/events" {
			events++
		}
	}
	if events != 1 {
		t.Errorf("said %d times", events)
	}
}
