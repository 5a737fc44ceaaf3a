package cloud

import (
	"context"
	"errors"
	"fmt"
	"io"

	"hoistway/simulator/cloud/rules"
	"hoistway/sync/shadow"
)

// Run is the cloud alone: it prints the address, then a line a version with what
// changed in it, until ctx ends. When versions come faster than lines go out, some
// are left out and a line says so: the answers do not wait for a printer.
func Run(ctx context.Context, o Options, out io.Writer) error {
	c, err := Start(ctx, o)
	if err != nil {
		return err
	}
	changes, stop := c.Changes()
	defer func() { stop() }()
	_, err = fmt.Fprintf(out, "cloud  %s\n", c.URL())
	for err == nil {
		select {
		case change, open := <-changes:
			if !open && ctx.Err() == nil {
				changes, stop = c.Changes()
				_, err = fmt.Fprintln(out, leftOut)
				break
			}
			_, err = fmt.Fprintln(out, line(change))
		case <-ctx.Done():
			return c.Close()
		}
	}
	return errors.Join(err, c.Close())
}

const leftOut = "…  versions came faster than lines; some are left out"

// line is one version as people read it: what is new in each section.
func line(c rules.Change) string {
	name := c.Serial
	if c.Shadow != "" {
		name += "/" + c.Shadow
	}
	if !c.After.Exists() {
		return fmt.Sprintf("%s  v%d  deleted", name, c.After.Version)
	}
	text := fmt.Sprintf("%s  v%d", name, c.After.Version)
	if d := shadow.Diff(c.Before.Desired, c.After.Desired); len(d) > 0 {
		text += "  desired " + string(shadow.Encode(d))
	}
	if d := shadow.Diff(c.Before.Reported, c.After.Reported); len(d) > 0 {
		text += "  reported " + string(shadow.Encode(d))
	}
	return text
}
