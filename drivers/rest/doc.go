// Package rest speaks to lift services over HTTP and over WebSocket, as a profile
// says how.
//
// A vendor's service answers more often wrongly than a lift board does: a login page
// with status 200, a quota that looks like a wrong password, half a document. So an
// answer counts only when all of it is as the profile says, and whatever else comes is
// garbage, which makes values failed and commands unknown, never good or done.
//
// A command leaves at most once. The transport under us repeats a GET by itself when a
// used connection breaks; a command that is a GET therefore gets a connection of its
// own. Whether a byte has left is known by whether the request ever got a connection.
//
// Polls and commands share the account's quota: polls leave a reserve, wait where the
// service asked for it, and stop for a while when it does not believe who we are.
package rest
