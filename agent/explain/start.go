package explain

// startFaults: configuration (10xx), usage of a command (11xx), starting (12xx).
var startFaults = []Entry{
	{
		Code: "E-1001", Title: "the configuration file cannot be read",
		Cause: "The file named by -c, or /etc/hoistway/hoistway.yaml where none was named, is missing, is a folder, is too big to be a configuration, or this user may not read it.",
		Do:    "Look at the path in the message. Compare the file's owner and mode with the user that runs the program (`ls -l`, `id`). To start from nothing: `hoistway check --sample > hoistway.yaml`, a whole configuration with its comments.",
	},
	{
		Code: "E-1002", Title: "the configuration has faults",
		Cause: "At least one key is unknown, of the wrong type, doubled, missing, or points at something that does not exist. Nothing was started.",
		Do:    "Run `hoistway check -c FILE`: it tells every fault at once with line and column. Mend them all, check again, then restart.",
	},
	{
		Code: "E-1003", Title: "wrong usage",
		Cause: "A command, a flag or an argument of hoistway-sim is not as it has to be; the words behind the code say which.",
		Do:    "Run the command with --help to see its flags and examples.",
	},
	{
		Code: "E-1101", Title: "no such command",
		Cause: "The first word is not a command of this program.",
		Do:    "`hoistway --help` lists the commands. The message names the nearest ones.",
	},
	{
		Code: "E-1102", Title: "a flag is wrong",
		Cause: "A flag is unknown to this command, lacks its value, or its value has the wrong form.",
		Do:    "Run the command with --help to see its flags and examples.",
	},
	{
		Code: "E-1103", Title: "wrong number of arguments",
		Cause: "The command was given more or fewer words than it takes.",
		Do:    "Run the command with --help; the first line of the usage shows what it takes.",
	},
	{
		Code: "E-1104", Title: "the token cannot be used",
		Cause: "The file named by --token-file cannot be read, is empty, is too long, or holds more than one word.",
		Do:    "Put the token alone on one line, readable by you only (mode 0600). A token never goes on the command line, where every user of the machine could read it.",
	},
	{
		Code: "E-1105", Title: "the address of the agent is malformed",
		Cause: "The value of --api or HOISTWAY_API is not an http or https address.",
		Do:    "Write it like http://127.0.0.1:8732, with no path behind the port.",
	},
	{
		Code: "E-1106", Title: "the token would travel in the clear",
		Cause: "A token was given together with an http address that is not on this machine. Anyone on that network could read and reuse it.",
		Do:    "Use an https address, or log in to the gateway and call its loopback address.",
	},
	{
		Code: "E-1107", Title: "no such error code",
		Cause: "The code asked for is not in this version's table; it may be mistyped, or come from a newer version.",
		Do:    "`hoistway help errors` lists every code. The message names the nearest ones.",
	},
	{
		Code: "E-1108", Title: "no such question",
		Cause: "A raw question is not in the words of the link's protocol, or asks for what that protocol cannot say.",
		Do:    "For Modbus: holding:12 reads one register, holding:12x4 four, coil:3=1 and holding:7=300 write. Tables are coil, discrete, holding and input; addresses are decimal and count from 0.",
	},
	{
		Code: "E-1109", Title: "not confirmed",
		Cause: "A command that moves something wants a person's word, and nobody could be asked, or the answer was no. Nothing was sent.",
		Do:    "Run it on a terminal and answer y, or say --i-understand in a script that you are sure of.",
	},
	{
		Code: "E-1110", Title: "the audit cannot be written",
		Cause: "A write by hand is noted before its first byte leaves, and the note could not be stored. Nothing was sent.",
		Do:    "Look at the path in the message: its folder must be writable for this user. --audit FILE takes another place.",
	},
	{
		Code: "E-1111", Title: "no such link",
		Cause: "What was given is neither the id of a lift nor a link to a controller, or the link cannot be used here.",
		Do:    "Name a lift of the configuration, or a link like modbus+tcp://10.0.0.5:502?unit=1 or modbus+rtu:///dev/serial/by-id/NAME?baud=9600&parity=none&stop=1&unit=1. Quote it: & and ? mean something to a shell.",
	},
	{
		Code: "E-1112", Title: "the profile or floor table cannot be used",
		Cause: "The profile is not in the catalog, its file cannot be read or has faults, or the floor table has; or a command was asked of a profile that has none such, or that is a draft. A draft is only read, because nobody has proven it yet.",
		Do:    "The message names the file, line and column. An id like bench/modbus-lift is of the catalog (`hoistway profile list`); a file ends in .yaml. A draft is made better by a file of your own that extends it and says maturity: bench, once cases prove what its notes say is missing.",
	},
	{
		Code: "E-1113", Title: "the recording cannot be used",
		Cause: "The file is no recording, a line of it is damaged, or it cannot be read or written.",
		Do:    "The message names the line. A recording is text, one JSON object a line, the first of which says what was recorded; a damaged last line may be cut off.",
	},
	{
		Code: "E-1114", Title: "the signature does not fit",
		Cause: "The record was changed after it was signed, or it was signed with another key than the one that was asked for.",
		Do:    "Ask whoever signed it for the file as it was made, and for the public key. Do not accept a lift on this record.",
	},
	{
		Code: "E-1201", Title: "the agent could not start or had to end",
		Cause: "Something that the agent cannot do without failed; the words behind the code say what.",
		Do:    "Read the last lines of its log (`journalctl -u hoistway -n 50`). The service manager starts it again; a cause that stays needs mending first.",
	},
	{
		Code: "E-1202", Title: "a lift cannot be set up",
		Cause: "The profile or the link of a lift passed the check of the file but cannot be used together, or its line could not be made ready.",
		Do:    "The message names the lift. Run `hoistway check` again: a profile file may have changed since. Then look at the link: two lifts may want one serial port with different settings.",
	},
	{
		Code: "E-1203", Title: "a right is missing",
		Cause: "The operating system refused the agent a file, a folder, a port or a device that it needs.",
		Do:    "The message names it. For a serial port add the service's user to the group that owns the device (often dialout); for the store give the folder to that user; ports under 1024 want a capability or a higher number.",
	},
}
