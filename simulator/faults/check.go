package faults

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Errors of [Check]. Test with errors.Is.
var (
	ErrKind   = errors.New("no such fault")
	ErrTarget = errors.New("wrong target")
	ErrArg    = errors.New("wrong argument")
	ErrRange  = errors.New("out of range")
)

// The words that name the targets that are no lift and no robot.
const (
	CloudTarget   = "cloud"
	GatewayTarget = "gateway"
)

const (
	maxFor   = 31 * 24 * time.Hour
	maxTimes = 1_000_000
)

// Check says what is wrong with a fault as far as its kind knows; whether the lift,
// robot or landing exists is for the site to say.
func Check(f Fault) error {
	k, ok := Find(f.Kind)
	if !ok {
		return unknown(f.Kind)
	}
	switch {
	case f.Target == "", k.Aim == AtCloud && f.Target != CloudTarget, k.Aim == AtGateway && f.Target != GatewayTarget:
		return fmt.Errorf("%s: %w %q: it is aimed at %s", k.Name, ErrTarget, f.Target, k.Aim)
	case f.For < 0 || f.For > maxFor:
		return fmt.Errorf("%s for %v: %w: up to %v", k.Name, f.For, ErrRange, maxFor)
	case f.Times < 0 || f.Times > maxTimes || f.From < 0 || f.From > maxTimes:
		return fmt.Errorf("%s: %w: counts from 0 to %d", k.Name, ErrRange, maxTimes)
	case f.Chance < 0 || f.Chance > 100:
		return fmt.Errorf("%s with a chance of %d: %w: per cent", k.Name, f.Chance, ErrRange)
	case k.Meets == "" && (f.Times > 0 || f.From > 1 || f.Chance > 0):
		return fmt.Errorf("%s: %w: it is on or off, so it takes no number of times and no chance", k.Name, ErrRange)
	}
	return k.checkArg(f.Arg)
}

func (k Kind) checkArg(arg string) error {
	if arg == "" {
		arg = k.Usual
	}
	bad := func(want string) error { return fmt.Errorf("%s %q: %w: %s", k.Name, arg, ErrArg, want) }
	switch k.Takes {
	case Nothing:
		if arg != "" {
			return bad("it takes none")
		}
	case Number:
		if n, err := strconv.Atoi(arg); err != nil || n < k.Min || n > k.Max {
			return bad(fmt.Sprintf("a whole number from %d to %d", k.Min, k.Max))
		}
	case Duration:
		lo, hi := time.Duration(k.Min)*time.Millisecond, time.Duration(k.Max)*time.Millisecond
		if d, err := time.ParseDuration(arg); err != nil || d < lo || d > hi {
			return bad(fmt.Sprintf("a duration from %v to %v", lo, hi))
		}
	case Landing:
		if arg == "" || len(arg) > 16 {
			return bad("a landing's label")
		}
	case Side:
		if !slices.Contains(sides(), arg) {
			return bad("one of " + strings.Join(sides(), ", "))
		}
	case Word:
		if !slices.Contains(k.Words, arg) {
			return bad("one of " + strings.Join(k.Words, ", "))
		}
	}
	return nil
}

func sides() []string { return []string{"front", "rear", "left", "right"} }

// Value is the argument in force: as given, else the usual one.
func (f Fault) Value() string {
	if k, ok := Find(f.Kind); ok && f.Arg == "" {
		return k.Usual
	}
	return f.Arg
}

// Number is the argument of a kind that takes a whole number.
func (f Fault) Number() int {
	n, _ := strconv.Atoi(f.Value())
	return n
}

// Duration is the argument of a kind that takes one.
func (f Fault) Duration() time.Duration {
	d, _ := time.ParseDuration(f.Value())
	return d
}

func unknown(kind string) error {
	var names []string
	for _, k := range Catalogue() {
		names = append(names, k.Name)
	}
	if meant := DidYouMean(kind, names); meant != "" {
		return fmt.Errorf("%q: %w; %s", kind, ErrKind, meant)
	}
	return fmt.Errorf("%q: %w", kind, ErrKind)
}
