// Package view is what every link has beside its wire: the newest snapshot of its
// lift and who watches it ([View]), and the memory by which a command acts at most
// once ([Once]).
//
// A driver lays good values over the view, notes failures, and says when its
// controller is absent; the view tells online from offline, dates the change and
// wakes the watchers. All methods may be called from several goroutines.
package view
