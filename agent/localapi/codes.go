package localapi

import "net/http"

// refusal is a stable code and the status that goes with it. What a code means
// and what to do about it is told by agent/explain, which both programs read.
type refusal struct {
	code   string
	status int
}

// Every way in which this door says no by itself. The ride loop has codes of its
// own, which pass through.
var (
	asMalformed    = refusal{"E-2001", http.StatusBadRequest} // no JSON object, unknown, doubled or missing key, wrong type
	asBadValue     = refusal{"E-2112", http.StatusBadRequest} // right type, but out of its range or words
	asTooBig       = refusal{"E-2002", http.StatusRequestEntityTooLarge}
	asMediaType    = refusal{"E-2011", http.StatusUnsupportedMediaType}
	asNoToken      = refusal{"E-2003", http.StatusUnauthorized}
	asWrongToken   = refusal{"E-2003", http.StatusUnauthorized}
	asGuessing     = refusal{"E-2012", http.StatusTooManyRequests}
	asNotAllowed   = refusal{"E-2004", http.StatusForbidden}
	asForeign      = refusal{"E-2009", http.StatusForbidden} // Host or Origin of somebody else
	asNoLift       = refusal{"E-2005", http.StatusNotFound}
	asNoRide       = refusal{"E-2006", http.StatusNotFound}
	asNoRobot      = refusal{"E-2007", http.StatusNotFound}
	asNoArea       = refusal{"E-2020", http.StatusNotFound}
	asNoCall       = refusal{"E-2008", http.StatusNotFound}
	asMethod       = refusal{"E-2008", http.StatusMethodNotAllowed}
	asUnknownFloor = refusal{"E-2101", http.StatusUnprocessableEntity}
	asSamePlace    = refusal{"E-2102", http.StatusUnprocessableEntity}
	asUnknownLift  = refusal{"E-2103", http.StatusUnprocessableEntity}
	asUnknownDoor  = refusal{"E-2104", http.StatusUnprocessableEntity}
	asUnknownRobot = refusal{"E-2007", http.StatusUnprocessableEntity}
	asClosed       = refusal{"E-2110", http.StatusUnprocessableEntity} // the floor, to robots
	asTooLarge     = refusal{"E-2113", http.StatusUnprocessableEntity} // the robot, for the car
	asOtherWish    = refusal{"E-2105", http.StatusConflict}            // the ride id asked for another ride
	asImpossible   = refusal{"E-2115", http.StatusUnprocessableEntity}
	asConflict     = refusal{"E-2111", http.StatusConflict}
	asStopping     = refusal{"E-2108", http.StatusServiceUnavailable}
	asNoAnswer     = refusal{"E-2015", http.StatusServiceUnavailable}
	asReaders      = refusal{"E-2013", http.StatusServiceUnavailable}
	asNoPush       = refusal{"E-6037", http.StatusNotFound}
	asByHand       = refusal{"E-6036", http.StatusConflict}
	asVendor       = refusal{"E-6034", http.StatusBadGateway}
	asBusy         = refusal{"E-2014", http.StatusServiceUnavailable}
	asTooOften     = refusal{"E-2014", http.StatusTooManyRequests}
	asInUse        = refusal{"E-2017", http.StatusConflict} // a ride holds the lift
	asNoBench      = refusal{"E-2018", http.StatusUnprocessableEntity}
	asNoController = refusal{"E-2019", http.StatusBadGateway}
	asNoRecord     = refusal{"E-2030", http.StatusNotFound}
	asNoAudit      = refusal{"E-2031", http.StatusServiceUnavailable}
	asInternal     = refusal{"E-2010", http.StatusInternalServerError}
)
