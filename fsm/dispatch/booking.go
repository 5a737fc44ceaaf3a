package dispatch

import (
	"hoistway/fsm"
	"hoistway/fsm/elevator"
)

// Asked is what a ride was first asked for, in the words of the request. A change of the
// destination leaves it as it was, so that the same request again is the same ride.
type Asked struct {
	Lift     string
	Group    string `json:",omitzero"`
	Any      bool   `json:",omitzero"`
	Among    uint64 `json:",omitzero"`
	From     string
	To       string
	FromDoor string             `json:",omitzero"`
	ToDoor   string             `json:",omitzero"`
	Open     bool               `json:",omitzero"`
	Toward   elevator.Direction `json:",omitzero"`
}

// Why a lift takes no ride though its controller would.
const (
	WhyMaintenance fsm.Code = "MAINTENANCE"
	WhyStopped     fsm.Code = "STOPPED"
	WhyDrill       fsm.Code = "DRILL"
)
