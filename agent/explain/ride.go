package explain

// rideFaults: one entry for each fault code of a ride, in the order of the codes.
// What the robot must do meanwhile is always told by the ride itself.
var rideFaults = []Entry{
	{
		Code: "E-5001", Fault: "CALL_NOT_ACCEPTED", Title: "the call was not taken",
		Cause: "The landing call was sent, but the controller showed no sign of having it: no acknowledgement, no lamp, no car coming.",
		Do:    "It is tried again by itself. If it repeats, press the button by hand and watch the lamp: remote calls may be switched off, or the profile's output may be the wrong one.",
	},
	{
		Code: "E-5002", Fault: "CALL_REFUSED", Title: "the call was refused for good",
		Cause: "The controller said no in a way that asking again will not change, so the ride ended.",
		Do:    "Check that the floor may be called (access control, locked floors) and that the floor table's wire numbers are right.",
	},
	{
		Code: "E-5003", Fault: "CLAIM_REFUSED", Title: "the car could not be claimed",
		Cause: "The controller did not give the car to the robot in time; another user holds it.",
		Do:    "It is tried again. Find the holder: another gateway, a fire drill, or a key switch for priority service.",
	},
	{
		Code: "E-5004", Fault: "WAIT_TIMEOUT", Title: "no car came in time",
		Cause: "The call stood for the whole wait limit, and no car opened at the robot's floor.",
		Do:    "It is tried again. Under heavy traffic raise rides.wait_timeout; otherwise see whether the car is held, in another mode, or passes full.",
	},
	{
		Code: "E-5005", Fault: "DOOR_CLOSED_EARLY", Title: "the door closed before the robot was through",
		Cause: "The door began to close while the robot had not yet entered or left, and opening it again did not help.",
		Do:    "Check that door hold works on this controller, that the crossing time of the robot is realistic, and the door's own dwell time.",
	},
	{
		Code: "E-5006", Fault: "BOARD_TIMEOUT", Title: "the robot did not enter in time",
		Cause: "The door was held as long as allowed, and the robot never reported that it is inside.",
		Do:    "Look where the robot is. If it stands outside, the next try runs by itself; if it is in the doorway, clear it. Check crossing, and that the robot sends `entered`.",
	},
	{
		Code: "E-5007", Fault: "SIGNAL_CONFLICT", Title: "robot and lift contradict each other",
		Cause: "What the robot says and what the controller says cannot both be true, for instance the robot is on the landing while the car has left with it.",
		Do:    "Go and look. Believe neither until you have seen it. A second conflict in one ride locks it until a person resets it.",
	},
	{
		Code: "E-5008", Fault: "TRAVEL_TIMEOUT", Title: "the car does not get to the destination",
		Cause: "With the robot inside, the car made no progress for too long, or the whole travel took too long.",
		Do:    "See whether the car stands, and why: its call lost, a blocked door elsewhere, another mode. The robot stays inside until a permit to leave comes.",
	},
	{
		Code: "E-5009", Fault: "WRONG_FLOOR", Title: "the car is at a floor that was not asked for",
		Cause: "The car ended the travel at another floor than the destination.",
		Do:    "Check the wire numbers of the floor table. The ride asks for the destination again.",
	},
	{
		Code: "E-5010", Fault: "EXIT_TIMEOUT", Title: "the robot did not leave in time",
		Cause: "The door was held at the destination as long as allowed, and the robot never reported that it is out.",
		Do:    "Look what is in its way, inside and on the landing. Until it reports, its place counts as unknown and the door is not made to close.",
	},
	{
		Code: "E-5011", Fault: "LINK_LOST", Title: "the line to the controller is gone",
		Cause: "The controller could not be read for longer than the limit while a ride needed it.",
		Do:    "See E-6001 and E-6002. The ride goes on when the line is back; what is owed to the controller is paid then.",
	},
	{
		Code: "E-5012", Fault: "STALE", Title: "the lift's values are too old",
		Cause: "The line is open, but door, floor or motion were not read recently enough to act on.",
		Do:    "See E-6012. The ride goes on when the values are fresh.",
	},
	{
		Code: "E-5013", Fault: "NETWORK_TIMEOUT", Title: "the network did not answer",
		Cause: "A network between gateway and controller lost or delayed what was sent.",
		Do:    "It is tried again. Check switches and wireless bridges on the way; a lift's line should not share a congested network.",
	},
	{
		Code: "E-5014", Fault: "OVERLOAD", Title: "the car is overloaded",
		Cause: "The controller reports overload, so the car will not move and no permit to enter is given.",
		Do:    "Somebody or something has to leave the car. With an empty car, have the load sensor adjusted.",
	},
	{
		Code: "E-5015", Fault: "BUSY", Title: "the lift is busy",
		Cause: "The controller or the car is taken for something else for the moment.",
		Do:    "Nothing: the ride waits until it is free, within its expiry.",
	},
	{
		Code: "E-5016", Fault: "MODE_FIRE", Title: "fire mode",
		Cause: "The controller is in fire recall or firefighter service. Every permit to enter is withdrawn.",
		Do:    "Follow the building's fire plan. Afterwards a person on site has to see where the robot is and reset the ride.",
	},
	{
		Code: "E-5017", Fault: "MODE_SEISMIC", Title: "seismic mode",
		Cause: "The controller reports an earthquake and goes to the nearest floor.",
		Do:    "The lift must be inspected as the maker demands. Then see where the robot is and reset the ride.",
	},
	{
		Code: "E-5018", Fault: "MODE_INSPECTION", Title: "inspection mode",
		Cause: "Somebody works on the lift.",
		Do:    "Keep robots away until the work is done. The ride waits within its expiry.",
	},
	{
		Code: "E-5019", Fault: "MODE_INDEPENDENT", Title: "independent service",
		Cause: "The car is driven by a person with a key; calls from outside are not served.",
		Do:    "Wait, or have the key switch turned back.",
	},
	{
		Code: "E-5020", Fault: "OUT_OF_SERVICE", Title: "out of service",
		Cause: "The controller reports that the lift is switched off or has failed.",
		Do:    "Read the controller's fault memory; call the lift's service company.",
	},
	{
		Code: "E-5021", Fault: "EMERGENCY_STOP", Title: "emergency stop",
		Cause: "The emergency stop or the alarm in the car was used.",
		Do:    "Go there. Once it is released and the car is safe, see where the robot is and reset the ride.",
	},
	{
		Code: "E-5022", Fault: "ROBOT_LOST", Title: "the robot is silent",
		Cause: "No signal of the robot came for longer than the limit. Where it is, is what it last reported; silence proves nothing.",
		Do:    "Look for it, at the landing and in the car. Check its battery, its network and its token.",
	},
	{
		Code: "E-5023", Fault: "IO_ERROR", Title: "reading or writing the controller failed",
		Cause: "The controller or the line answered with an error that is none of the others.",
		Do:    "The log of the agent has the line's own words. It is tried again.",
	},
	{
		Code: "E-5024", Fault: "RESTARTED", Title: "the agent restarted in mid-ride",
		Cause: "The ride was taken from the store after a restart. Nothing is asserted before the lift was read and the robot has spoken.",
		Do:    "Nothing, if the restart was meant. Otherwise look in the log for why it restarted.",
	},
	{
		Code: "E-5025", Fault: "STORE", Title: "the ride cannot be stored",
		Cause: "A write to the store failed. The ride goes on in memory and would be forgotten by a restart.",
		Do:    "See E-4002. Do not restart the agent while a robot is in a car.",
	},
	{
		Code: "E-5026", Fault: "INVARIANT", Title: "the agent contradicts itself",
		Cause: "A rule that must always hold did not. The ride stopped at a clear fault rather than guess.",
		Do:    "See where the robot is, reset the ride, and report it with the ride's record: this is a mistake in the program.",
	},
	{
		Code: "E-5027", Fault: "VENDOR", Title: "a fault of the controller's own",
		Cause: "The controller reports an error that only its maker can explain. Its code stands behind the colon as it came.",
		Do:    "Look the code up in the maker's manual. The profile says whether the ride tries again, waits or ends.",
	},
}
