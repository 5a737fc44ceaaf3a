package cli

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"
)

// limited is a flag that refuses what lies outside of its limits when it is read,
// before anything is started.
type limited struct {
	flagValue
	within func() bool
	takes  string
}

type flagValue interface {
	String() string
	Set(text string) error
	Type() string
}

func (l limited) Set(text string) error {
	if l.flagValue.Set(text) != nil || !l.within() {
		return errors.New(l.takes)
	}
	return nil
}

// limit bounds the flag that writes v. Every flag that is a number or a time has limits.
func limit[T int | uint64 | float64 | time.Duration](c *cobra.Command, name string, v *T, lo, hi T) {
	f := c.Flags().Lookup(name)
	f.Value = limited{
		f.Value,
		func() bool { return *v >= lo && *v <= hi }, // what is no number at all is outside
		"it takes " + plain(lo) + " to " + plain(hi),
	}
}

// seedOf lets a seed be any.
func seedOf(c *cobra.Command, v *uint64) { limit(c, "seed", v, 0, math.MaxUint64) }

// plain writes a number or a time as people do.
func plain(v any) string {
	switch v := v.(type) {
	case float64:
		return strconv.FormatFloat(v, 'f', -1, 64)
	case time.Duration:
		return strings.NewReplacer("h0m0s", "h", "m0s", "m").Replace(v.String())
	}
	return fmt.Sprint(v)
}
