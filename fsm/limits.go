package fsm

import "time"

// PermitMargin is what a permit adds to the time of a crossing: the late start and a second to spare.
const PermitMargin = startWithin + time.Second

// The limits that are the same for every ride. Those that a site may change are
// in [Params], those of a controller in [Plan].
const (
	sightLimit   = time.Second     // age of a door, floor or motion that a permit may rest on
	slowLimit    = 3 * time.Second // the same for mode, alarms and load, which are polled less often
	silenceLimit = 5 * time.Second // after it the lift counts as not heard

	startWithin = 2 * time.Second // a permit is good for starting to cross
	boardMargin = 8 * time.Second // added to the crossing time before boarding counts as failed: five seconds to start
	graceHold   = 30 * time.Second

	settle       = time.Second     // a press may take this long to show in the lamps
	reassertWait = 5 * time.Second // a call that was taken and is lost must stay lost so long
	maxPresses   = 3               // of one call in one attempt
	callLife     = 10 * time.Second
	lapseLife    = 2 * time.Second // of what may close a door: short, since no permit is given and no lease ended before it is over
	backEvery    = 10 * time.Second

	progressLimit = 2 * time.Minute
	travelLimit   = 10 * time.Minute
	insideWindow  = 10 * time.Minute
	backLimit     = 15 * time.Second // for the door to open again where the robot came in
	maxInside     = 3                // recoveries with the robot inside, within the window
	maxExits      = 3                // exits that failed, each within the window of the one before
	maxReopened   = 2                // doors that closed early at one stop

	keepLease   = 10 * time.Second // a fault that lasts longer gives the car to others
	closeLimit  = 30 * time.Second // the door must have closed so long after the ride
	clashLimit  = 2 * time.Second
	clashCount  = 2
	agreeFor    = 10 * time.Second
	restartJump = 1000 // numbers skipped after a restart: the last ones may never have been stored

	coolDown     = 30 * time.Second
	acceptWithin = 5 * time.Second
	claimWithin  = 10 * time.Second
	poll         = 200 * time.Millisecond
	crossing     = 10 * time.Second
)
