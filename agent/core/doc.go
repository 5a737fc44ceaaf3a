// Package core joins what dispatch decides for rides and what the shadow session
// must tell the cloud: one [Step] gives one batch to commit and the effects that
// follow it. It is pure.
package core
