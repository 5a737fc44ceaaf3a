package cloud

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"hoistway/simulator/cloud/rules"
	"hoistway/sync/shadow"
)

// Printing says how [Run] prints, and what is served beside it.
type Printing struct {
	Out  io.Writer
	JSON bool // one object a line
	// Begin are faults that are on from the start.
	Begin []Fault
	// Also is the address of what is served beside, "" for none.
	Also string
	// Beside is called once the cloud is up, in a goroutine of its own; Run waits for
	// its return after ctx ended. nil is nothing.
	Beside func(ctx context.Context, c *Cloud)
}

// Run is the cloud alone: it prints the address, then a line a version with what
// changed in it and a line a notice, until ctx ends. When versions come faster than
// lines go out, some are left out and a line says so: the answers do not wait for a
// printer.
func Run(ctx context.Context, o Options, p Printing) error {
	c, err := Start(ctx, o)
	if err != nil {
		return err
	}
	for _, f := range p.Begin {
		if err := c.Trouble(f); err != nil {
			return errors.Join(err, c.Close())
		}
	}
	beside := make(chan struct{})
	ctx, cancel := context.WithCancel(ctx)
	go func() {
		defer close(beside)
		if p.Beside != nil {
			p.Beside(ctx, c)
		}
	}()
	err = c.print(ctx, p)
	cancel()
	<-beside
	return errors.Join(err, c.Close())
}

func (c *Cloud) print(ctx context.Context, p Printing) error {
	events, stop := c.Changes()
	defer func() { stop() }()
	err := p.say("cloud  "+c.URL(), shadow.Tree{"cloud": c.URL()})
	if err == nil && p.Also != "" {
		err = p.say("api  "+p.Also, shadow.Tree{"api": p.Also})
	}
	for err == nil {
		select {
		case e, open := <-events:
			if !open && ctx.Err() == nil {
				events, stop = c.Changes()
				err = p.say(leftOut, shadow.Tree{"left_out": true})
				break
			}
			err = p.event(e)
		case <-ctx.Done():
			return nil
		}
	}
	return err
}

const leftOut = "…  versions came faster than lines; some are left out"

func (p Printing) say(text string, v any) error {
	if p.JSON {
		b, err := json.Marshal(v)
		if err != nil {
			return fmt.Errorf("print: %w", err)
		}
		text = string(b)
	}
	_, err := fmt.Fprintln(p.Out, text)
	return err
}

func (p Printing) event(e Event) error {
	if n := e.Notice; n != nil {
		return p.say(fmt.Sprintf("%s to %s: %s %s: %s", n.Level, n.To, n.What, n.ID, n.Text), shadow.Tree{"notice": n})
	}
	return p.say(line(e.Change), Told(e.Change))
}

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
	for _, s := range sections(c) {
		text += "  " + s.name + " " + string(shadow.Encode(s.diff))
	}
	return text
}

// Told is one version as a program reads it: the difference only.
func Told(c rules.Change) shadow.Tree {
	t := shadow.Tree{"serial": c.Serial, "shadow": c.Shadow, "version": c.After.Version, "at": c.At}
	if !c.After.Exists() {
		t["deleted"] = true
		return t
	}
	for _, s := range sections(c) {
		t[s.name] = s.diff
	}
	return t
}

type section struct {
	name string
	diff shadow.Tree
}

// sections are those in which something is new.
func sections(c rules.Change) (out []section) {
	if d := shadow.Diff(c.Before.Desired, c.After.Desired); len(d) > 0 {
		out = append(out, section{"desired", d})
	}
	if d := shadow.Diff(c.Before.Reported, c.After.Reported); len(d) > 0 {
		out = append(out, section{"reported", d})
	}
	return out
}
