// Package page is the simulator's own page: a picture of a whole site in the
// browser, live or from recordings.
//
// The agent has a page too, and it shows what the agent knows. This one shows what
// is: where the car really stands, who waits, which fault is on, and beside it what
// the agent takes for true, so that a person sees at a glance where the two differ.
//
// Whoever runs a site hands a [picture.Frame] to [Page.Show] as often as it likes.
// Readers get them over one stream of server-sent events: the header, what went
// before, then frames, at most ten a second each, with the events and waiting times
// of the frames between added up; a reader that does not read is cut. The drawing
// itself is in web/: plain HTML, CSS and ES modules, nothing from outside, and a
// recording is played by the browser alone.
//
// The page can make faults. So it listens on loopback only, answers to no other
// name than localhost, takes nothing from another page's scripts and lets its own
// load nothing from elsewhere.
package page
