// Package serial speaks frames that a profile declares: over a serial line, over a
// TCP connection to a serial server or a gateway that speaks so, and over UDP.
//
// How a frame looks, what proves it and what the messages say is the profile's, read
// by package profiles; when, and who else is on the line, is package fieldbus. Left
// to this package are the link of one lift, and what becomes of a command.
//
// # Reading
//
// Each message that feeds points is asked by its period. What is no frame, no answer
// to that question, or for another device is skipped and the waiting goes on. A
// message that comes unasked is laid over what is known, and answered where the
// profile says how. A controller that says busy and tells its state with that counts
// as heard.
//
// # What becomes of a command
//
// No byte left: not sent. The answer that the profile names came: done; where the
// profile names a proof, as a bit that the device clears, done when that is seen. A
// frame by which the controller says no: refused, with its code as it came. Bytes
// left and no fitting answer came, or the controller never answers that message:
// unknown, and the fast points are read next. Nothing is ever sent again by itself.
//
// # Lines whose answers have no number
//
// There a late answer looks like one to the next question. After a time-out such a
// line is drained, and the next question is another one, so that what comes late does
// not fit it. A profile that has a second message to ask makes that proof good.
package serial
