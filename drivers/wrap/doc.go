// Package wrap holds behaviour that can be put around any link: a rate, a log,
// an age limit, another try of a read. Each wrapper is one small type that
// passes on what it does not change and shows what it holds by Unwrap, so that
// drivers.As finds the powers within.
//
// A wrapper never makes a command more than it was: it may delay or withhold it,
// it never sends one again.
package wrap
