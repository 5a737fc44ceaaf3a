package explain

// storeFaults: the one file in which rides and the shadow survive.
var storeFaults = []Entry{
	{
		Code: "E-4001", Title: "a damaged store was set aside",
		Cause: "state.db could not be read at start: power was lost while the disk lied about writing, the disk is failing, or the file was edited. It was renamed and an empty one begun; rides of before are not known.",
		Do:    "Make sure that no robot stands in a car, then go on. Keep the file that was set aside for support, and check the disk (`dmesg`, `smartctl`).",
	},
	{
		Code: "E-4002", Title: "the store cannot be written",
		Cause: "A write was refused: the disk is full, has gone read-only after an error, or failed.",
		Do:    "`df -h` and `dmesg` tell which. Free space or replace the disk; the agent tries again by itself. Until then running rides go on and new ones are refused.",
	},
	{
		Code: "E-4003", Title: "the store's folder cannot be used",
		Cause: "The folder of store.dir is missing, is no folder, or the agent may not write there.",
		Do:    "Create it and give it to the service's user, or correct store.dir. Under systemd StateDirectory does both.",
	},
	{
		Code: "E-4004", Title: "the store cannot be opened",
		Cause: "state.db is there, but it could neither be opened nor set aside: rights, a failing disk, or another process that holds it.",
		Do:    "The words behind the code say which. See E-4002, E-4003 and E-4006.",
	},
	{
		Code: "E-4005", Title: "a record of the store was left out",
		Cause: "One record in state.db is not readable by this version; all others were taken. Something of one ride, or of one document, is forgotten.",
		Do:    "The log names the record. See with your own eyes where the robots are before you go on. Keep state.db for support.",
	},
	{
		Code: "E-4006", Title: "the store is in use",
		Cause: "Another process has state.db open, nearly always a second agent with the same store.dir.",
		Do:    "`fuser -v` on the file shows who. Run one agent a store.",
	},
	{
		Code: "E-4007", Title: "the store comes from a newer version",
		Cause: "state.db was written by a version whose format this one does not know. It was left as it is.",
		Do:    "Install that version again, or move the file away and begin with an empty one.",
	},
	{
		Code: "E-4008", Title: "the flight record is damaged or cannot be written",
		Cause: "A segment in the folder journal of store.dir could not be read (a power cut, a failing disk, an edited file) and was put aside or cut at its last sound record; or the disk takes no more. Rides go on all the same.",
		Do:    "The log names the file. `df -h` and `dmesg` tell about the disk. What was put aside (.bad) goes by itself when the room is needed; keep a copy for support.",
	},
	{
		Code: "E-4009", Title: "the audit cannot be written",
		Cause: "audit.jsonl or outputs.jsonl in store.dir took no more: the disk is full, read-only or failing, or the file's rights were changed.",
		Do:    "`df -h`, `dmesg` and `ls -l` tell which. Until it works, acts of a technician that move something are refused (E-2031); to stop, to cancel and to take a lift out of use always work.",
	},
}
