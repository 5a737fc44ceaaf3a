// Package conformance judges somebody's half of the protocol over MQTT, case by case: a
// service, in the place of a device and its operator, or a device, in the place of the
// service. A case is a short text; each message that comes is held against its schema.
package conformance
