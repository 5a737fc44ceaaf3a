package cli

import (
	"errors"

	"hoistway/agent/journal"
	"hoistway/agent/localapi"
)

// ours refuses an answer that is well-formed but lacks what every agent tells:
// from an empty answer nobody may read that a ride has no fault.
func ours(v any) error {
	switch v := v.(type) {
	case localapi.Ride:
		return told(v.ID != "" && v.State != "", "a ride without its id or state")
	case journal.Record:
		return told(v.Schema != "" && v.Ride.ID != "", "a record without its schema or ride")
	case localapi.Lift:
		return told(v.ID != "" && v.Link != "", "a lift without its id or link")
	case localapi.Outputs:
		return told(v.Lift != "" && v.Asked != nil && v.Owed != nil, "no list of what is asked")
	case localapi.Cleared:
		return told(v.Area != "" && v.Lifts != nil, "no area, or none of its lifts")
	case localapi.Shadow:
		return told(v.Shadows != nil, "no list of shadows")
	case localapi.Ready:
		return told(v.Reasons != nil, "no list of reasons")
	case localapi.BenchPeek:
		return told(v.Question != "", "no question")
	case localapi.BenchPreview:
		return told(len(v.Frames) > 0, "no frames")
	case localapi.BenchPoke:
		return told(v.Outcome != "", "no outcome")
	case localapi.BenchFrames:
		return told(v.Frames != nil && v.Line != "", "no frames of a line")
	case localapi.BenchStats:
		return told(v.Line != "", "no line")
	case localapi.BenchPlan:
		return told(v.Reads != nil, "no reads")
	case []localapi.Ride:
		return each(v, v != nil, "no list of rides")
	case []localapi.Lift:
		return each(v, v != nil, "no list of lifts")
	}
	return nil
}

func each[T any](list []T, there bool, lack string) error {
	err := told(there, lack)
	for i := 0; err == nil && i < len(list); i++ {
		err = ours(list[i])
	}
	return err
}

func told(is bool, lack string) error {
	if is {
		return nil
	}
	return errors.New(lack)
}
