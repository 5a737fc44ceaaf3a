package fsm

// Fields is what a ride reports on a transition, by the names of the shadow.
// A nil pointer is null: the field does not hold in this state.
type Fields struct {
	State        State   `json:"state"`
	Phase        Phase   `json:"phase"`
	CurrentFloor *string `json:"current_floor"`
	TargetFloor  *string `json:"target_floor"`
	ElevatorID   *string `json:"elevator_id"`
	WaitDuration *int64  `json:"wait_duration"` // whole seconds
	GateStatus   *string `json:"gate_status"`
	DoorStatus   *string `json:"door_status"`
	Elevator     *string `json:"elevator_floor"`
	CompleteTime *int64  `json:"complete_time"` // epoch seconds
	FaultCode    *string `json:"fault_code"`
	RetryCount   *int    `json:"retry_count"`
	Ride         *About  `json:"ride"`
}

// About keeps what identifies the ride; it is null when there is none.
type About struct {
	ID      string  `json:"id"`
	TaskID  *string `json:"task_id"`
	Robot   string  `json:"robot"`
	Battery *int    `json:"battery"`
	From    string  `json:"from"`
	To      string  `json:"to"`
	FaultNo int     `json:"fault_no"`
}
