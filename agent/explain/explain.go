// Package explain is the dictionary of the stable error codes that both programs
// print. A code stands at the front of one line on stderr, in a problem of the
// local API and beside a fault of a ride; this table tells a technician with no
// internet what is behind it and what to do.
//
// A code is never given a second meaning and never taken away: papers and
// tickets outlive a release. The thousands say the kind:
//
//	E-1xxx  configuration, usage and starting
//	E-2xxx  the local API said no
//	E-3xxx  something could not be reached
//	E-4xxx  the store
//	E-5xxx  a ride ended in FAULT; one code for each fault code of a ride
//	E-6xxx  the line to a lift controller
//	E-7xxx  the cloud
//	E-8xxx  the simulator
//
// The words stand in text/, one file a language; [Lookup] and [All] give English,
// and a [Lang] has both for its own. The package imports nothing of ours, so that
// everything may import it.
package explain

import "strings"

// Entry explains one code. All fields but Fault are always filled.
type Entry struct {
	Code  string `json:"code"`            // E-5004
	Fault string `json:"fault,omitempty"` // the ride's fault code, E-5xxx only
	Title string `json:"title"`           // a few words, no full stop
	Cause string `json:"cause"`           // what led to it, whole sentences
	Do    string `json:"do"`              // what to do, whole sentences
}

// All returns every entry in the order of the codes. The slice is the caller's.
func All() []Entry { return English.All() }

// Lookup finds a code. It forgives case and a missing dash: e5004 and 5004 are E-5004.
func Lookup(code string) (Entry, bool) { return English.Lookup(code) }

// All is [All] in this language.
func (l Lang) All() []Entry {
	var all []Entry
	for _, block := range strings.Split(l.text(), "\n\n")[1:] { // the first says how the file is made
		all = append(all, entry(block))
	}
	return all
}

// Lookup is [Lookup] in this language.
func (l Lang) Lookup(code string) (Entry, bool) {
	want, ok := normal(code)
	if !ok {
		return Entry{}, false
	}
	_, rest, found := strings.Cut(l.text(), "\n"+want+" ")
	if !found {
		return Entry{}, false
	}
	block, _, _ := strings.Cut(rest, "\n\n")
	return entry(want + " " + block), true
}

// entry reads one block of a file. A test holds the files to their form.
func entry(block string) Entry {
	head, rest, _ := strings.Cut(block, "\n")
	cause, do, _ := strings.Cut(rest, "\n")
	code, title, _ := strings.Cut(head, " ")
	return Entry{Code: code, Fault: faultOf(code), Title: title, Cause: cause, Do: strings.TrimRight(do, "\n")}
}

// normal brings a code into the form E-1234.
func normal(code string) (string, bool) {
	s := strings.ToUpper(strings.TrimSpace(code))
	s = strings.TrimPrefix(strings.TrimPrefix(s, "E"), "-")
	if len(s) != 4 {
		return "", false
	}
	for _, c := range s {
		if c < '0' || c > '9' {
			return "", false
		}
	}
	return "E-" + s, true
}

// LooksLikeCode reports whether s has the form of an error code, known or not.
func LooksLikeCode(s string) bool {
	_, ok := normal(s)
	return ok
}
