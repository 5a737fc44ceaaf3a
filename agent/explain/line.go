package explain

// lineFaults: between the gateway and a lift controller.
var lineFaults = []Entry{
	{
		Code: "E-6001", Title: "the controller cannot be reached",
		Cause: "No connection could be made to the address of the lift's link, or the port could not be opened. The lift counts as offline; nothing about it is assumed.",
		Do:    "Check power and cable of the controller, then the address and port in link. The agent keeps trying and comes up by itself.",
	},
	{
		Code: "E-6002", Title: "the controller does not answer",
		Cause: "The line is open, but no answer came in time: wrong unit id, wrong line settings, swapped wires, or a controller that is busy starting.",
		Do:    "Check unit, baud, parity and stop in link against the controller's menu; on RS-485 also A/B, termination and bias.",
	},
	{
		Code: "E-6003", Title: "the answer is damaged",
		Cause: "An answer was too short, too long or failed its checksum. It was thrown away; no value comes from it.",
		Do:    "A few a day are noise. Many point at cabling, termination, a wrong baud rate or two masters on one line.",
	},
	{
		Code: "E-6004", Title: "the answer is not for us",
		Cause: "An answer came from another unit, for another request, or too late. It was thrown away.",
		Do:    "Look for a second master on the line, a doubled unit id, or a time-out shorter than the controller needs.",
	},
	{
		Code: "E-6005", Title: "the controller refuses the request",
		Cause: "The controller says that it has no such function, address or value: profile and controller do not match.",
		Do:    "Compare model and firmware of the controller with the profile's title. An option of the controller may have to be enabled first.",
	},
	{
		Code: "E-6006", Title: "the controller is busy",
		Cause: "The controller took the request but cannot serve it now.",
		Do:    "Nothing, as long as it passes. If it stays, poll more slowly or look for another client of the controller.",
	},
	{
		Code: "E-6007", Title: "the controller reports a failure of its own",
		Cause: "The controller answered that it could not carry the request out.",
		Do:    "Read the controller's own fault memory. The code stands with the lift as vendor code.",
	},
	{
		Code: "E-6008", Title: "no right to the port",
		Cause: "The serial device exists, but the agent's user may not open it.",
		Do:    "Add the service's user to the device's group (often dialout) and restart the service. Use the /dev/serial/by-id name, which survives replugging.",
	},
	{
		Code: "E-6009", Title: "the port is held by another program",
		Cause: "Another program has the serial device open. Two masters on one line spoil each other's answers.",
		Do:    "`fuser -v DEVICE` shows who. Stop it.",
	},
	{
		Code: "E-6010", Title: "a floor that is not in the table",
		Cause: "The controller reported a floor number that no row of the lift's floor table has. The floor counts as unknown; it is never rounded to the nearest.",
		Do:    "Compare the wire numbers in floors with the controller's numbering, including express zones and pits.",
	},
	{
		Code: "E-6011", Title: "it is not known whether a command was taken",
		Cause: "The command left, but its answer did not come. It may have worked, so it is not sent again; a read finds out.",
		Do:    "Nothing: the ride goes on by what is read. If it happens often, treat it like E-6002.",
	},
	{
		Code: "E-6012", Title: "values are too old",
		Cause: "The line works, but some points have not been read for longer than their limit. Stale values give no permits.",
		Do:    "Too many points for the line's speed, or one slow device on a shared line: raise the baud rate or lengthen the poll of slow points.",
	},
}
