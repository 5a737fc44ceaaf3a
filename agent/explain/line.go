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
	{
		Code: "E-6013", Title: "the adapter echoes",
		Cause: "What we send comes back to us before, or instead of, an answer. A write acknowledges itself on such a line.",
		Do:    "Turn the echo of the adapter off (a jumper, or local echo in its settings), or use two-wire mode with automatic direction.",
	},
	{
		Code: "E-6014", Title: "somebody else speaks on the line",
		Cause: "Bytes came that nobody here asked for: another master polls the same controller, or a device sends by itself.",
		Do:    "Find the other master (a display, a building system, another gateway) and take one of the two off the line. The frames in the finding say which unit it asks.",
	},
	{
		Code: "E-6015", Title: "the time-out is too short",
		Cause: "The controller answers, but later than the link waits for it.",
		Do:    "Set timeout in the link to twice the slowest answer that was seen.",
	},
	{
		Code: "E-6016", Title: "another unit answers",
		Cause: "The unit id of the link is silent, and another one on the same line answers.",
		Do:    "Set unit in the link to the one that answers, after looking at the controller's menu: it may be another lift.",
	},
	{
		Code: "E-6017", Title: "the line settings do not fit",
		Cause: "Bytes come, but none of them is a frame: baud rate, parity or stop bits differ, or the wiring spoils them.",
		Do:    "`hoistway probe` finds the settings. If none fits, look at A/B, termination and bias.",
	},
	{
		Code: "E-6018", Title: "reads are fine, writes are not known to the controller",
		Cause: "The controller answers reads and refuses writes with exception 1: writing is switched off in its menu, needs a licence of the maker, or wants another function (6 instead of 16, or the other way round).",
		Do:    "Look for remote control or a licence in the controller's menu, and ask its maker. Then try the other function with `hoistway write LIFT \"holding:N=V multi\"`.",
	},
	{
		Code: "E-6019", Title: "two devices share one id",
		Cause: "Answers of this unit come twice, or come damaged in turn with good ones: two devices answer at once.",
		Do:    "Take one of the devices off the line and give it an id of its own.",
	},
	{
		Code: "E-6020", Title: "the port's name may change",
		Cause: "The link names a device like /dev/ttyUSB0. After a restart or replugging the number may be another adapter's.",
		Do:    "Use the name in /dev/serial/by-id, or by-path where two adapters are alike; `hoistway ports` shows them.",
	},
	{
		Code: "E-6021", Title: "the running agent holds the line",
		Cause: "A line has one master. The agent that runs speaks on this line already, so this command would spoil its answers.",
		Do:    "Name the lift instead of the link: the question then goes through the agent. For a scan, stop the agent first (systemctl stop hoistway) with no ride under way.",
	},
	{
		Code: "E-6022", Title: "nothing was found on the line",
		Cause: "No unit answered at any of the settings that were tried.",
		Do:    "Look at power, A/B, the common wire and termination, then at the unit id in the controller's menu. Widen the search with --units 1-247 and --settings all.",
	},
	{
		Code: "E-6023", Title: "a controller does not say what its profile expects",
		Cause: "At least one point of the profile brought no value, or another one than it should.",
		Do:    "The list says which point, and what came. Compare model and firmware of the controller with the profile.",
	},
	{
		Code: "E-6024", Title: "the clock is not set",
		Cause: "The clock of this machine is not synchronised, or shows a time before this program was made. Records and certificates will be wrong.",
		Do:    "Set up time synchronisation (timedatectl set-ntp true), or set the clock by hand where there is no network.",
	},
	{
		Code: "E-6025", Title: "the disk is nearly full",
		Cause: "Less than 5 % or less than 50 MB are free where the store is.",
		Do:    "Free some space there. When nothing can be stored, no ride is taken.",
	},
	{
		Code: "E-6030", Title: "a pushed message is refused",
		Cause: "A message came to the lift's webhook that could not be believed or read: its signature, token or time is not right, its nonce came before, its content type is not the profile's, or it is no document. The log says which.",
		Do:    "Compare the secrets file of the link with the vendor's console and the clock of this machine with the real time. If nobody of yours sent it, somebody tries; nothing was changed.",
	},
	{
		Code: "E-6031", Title: "pushed messages are not taken",
		Cause: "Of the messages that came to the lift's webhook within five minutes, 2 % or more were answered with something else than yes. Many services suspend their push at 5 %, half an hour after a notice.",
		Do:    "Look in the log why: a store that fails (E-4002), a proxy before the gateway, wrong secrets (E-6030). Mend it before the time that the alarm tells; what was missed is fetched afterwards.",
	},
	{
		Code: "E-6032", Title: "the service has suspended its push",
		Cause: "The service was asked and says that it does not push any more. Values come by the slower readings only.",
		Do:    "Mend first what made messages fail (E-6031), then `hoistway webhooks enable LIFT`; it prints the steps where only a person can do it. Everything is read anew afterwards.",
	},
	{
		Code: "E-6033", Title: "the vendor tells of its push",
		Cause: "The vendor sent a notice to a person, and it was handed on to the gateway.",
		Do:    "Read it and act before the time that the alarm tells: see E-6031. `hoistway webhooks enable LIFT` ends the alarm.",
	},
	{
		Code: "E-6034", Title: "what pushes miss is not made good",
		Cause: "A subscription, the question for messages that could not be delivered, the full reading or the question for the state of the push failed. The alarm tells which and why.",
		Do:    "Check the account and its quota at the vendor, then the network. It is tried again by itself.",
	},
	{
		Code: "E-6035", Title: "messages without a signature are taken",
		Cause: "The link of the lift says unsigned=accepted, so whoever reaches the webhook can tell the gateway anything about the lift.",
		Do:    "Enable signatures in the vendor's console, put the secret into the link's secrets file, and take unsigned=accepted out of the link.",
	},
	{
		Code: "E-6036", Title: "only a person can have the push go on",
		Cause: "The lift's profile knows no request that would have a suspended push go on.",
		Do:    "Follow the steps that are printed, in the vendor's console; the gateway finds out by itself.",
	},
	{
		Code: "E-6037", Title: "nothing is pushed for this lift",
		Cause: "The profile of the lift has no section for pushed messages, so there is no webhook for it.",
		Do:    "`hoistway lifts` shows which lifts have pushes. Check the address in the vendor's console.",
	},
}
