// Package face is the stand-in cloud as an operator's programs see it: HTTP with JSON on
// loopback, problems by RFC 9457, sessions by bearer token, a live feed.
//
// It decides nothing about a fleet: what may be written is said by rules, what comes of
// groups and batches by ops. Here are paths, shapes, who asks, and how often.
package face
