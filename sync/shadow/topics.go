package shadow

import "strings"

// What can stand after the prefix of one shadow's topics.
const (
	OpGet             = "get"
	OpGetAccepted     = "get/accepted"
	OpGetRejected     = "get/rejected"
	OpUpdate          = "update"
	OpUpdateAccepted  = "update/accepted"
	OpUpdateRejected  = "update/rejected"
	OpUpdateDelta     = "update/delta"
	OpUpdateDocuments = "update/documents"
	OpDelete          = "delete"
	OpDeleteAccepted  = "delete/accepted"
	OpDeleteRejected  = "delete/rejected"
)

// What can stand after X.
const (
	BesidePresence         = "presence"
	BesideHeartbeat        = "heartbeat"
	BesideHeartbeatReply   = "heartbeat/reply"
	BesideEvents           = "events"
	BesideEventsAccepted   = "events/accepted"
	BesideEventsRejected   = "events/rejected"
	BesideResync           = "resync"
	BesideTelemetry        = "telemetry"
	BesideCommands         = "commands" // /{cmd}/request, /{cmd}/response, …
	BesidePending          = "commands/pending/get"
	BesideRegister         = "register"
	BesideRegisterAccepted = "register/accepted"
	BesideRegisterRejected = "register/rejected"
)

// ShadowTopic is where op of a shadow is spoken; name "" is the classic shadow.
// prefix is hoistway/things/{serial}/shadow or $aws/things/{serial}/shadow.
func ShadowTopic(prefix, name, op string) string {
	if name == "" {
		return prefix + "/" + op
	}
	return prefix + "/name/" + name + "/" + op
}

// ParseShadowTopic is the reverse of [ShadowTopic]. An empty name between its
// slashes is refused: it is not the classic shadow.
func ParseShadowTopic(prefix, topic string) (name, op string, ok bool) {
	rest, ok := strings.CutPrefix(topic, prefix+"/")
	if !ok {
		return "", "", false
	}
	if named, is := strings.CutPrefix(rest, "name/"); is {
		name, rest, ok = strings.Cut(named, "/")
		if !ok || !ValidName(name) {
			return "", "", false
		}
	}
	return name, rest, knownOp(rest)
}

func knownOp(op string) bool {
	switch op {
	case OpGet, OpGetAccepted, OpGetRejected,
		OpUpdate, OpUpdateAccepted, OpUpdateRejected, OpUpdateDelta, OpUpdateDocuments,
		OpDelete, OpDeleteAccepted, OpDeleteRejected:
		return true
	}
	return false
}

// ValidName holds for a thing or shadow name: 1 to 64 of A-Z a-z 0-9 : _ -.
func ValidName(s string) bool {
	if s == "" || len(s) > 64 {
		return false
	}
	for i := range len(s) {
		c := s[i]
		if !isAlnum(c) && c != ':' && c != '_' && c != '-' {
			return false
		}
	}
	return true
}

func isAlnum(c byte) bool {
	return c >= '0' && c <= '9' || c >= 'A' && c <= 'Z' || c >= 'a' && c <= 'z'
}
