package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"sync"
	"time"

	"hoistway/simulator/page"
	"hoistway/simulator/real"
	"hoistway/simulator/robots"
	"hoistway/simulator/scenarios"
)

// demo is one running demo: a site with the real agent, and who plays on it.
type demo struct {
	flags  demoFlags
	out    io.Writer
	log    *slog.Logger
	start  time.Time
	site   *real.Site
	live   *live
	robots []*robots.Robot
	wg     sync.WaitGroup
}

// runDemo starts everything, plays, and takes everything down again in the
// opposite order.
func runDemo(ctx context.Context, f demoFlags, out, errOut io.Writer, log *slog.Logger) (err error) {
	d := &demo{flags: f, out: out, log: log, start: time.Now()}
	dir, clean, err := tempStore(f.store)
	if err != nil {
		return status{exitFinding, err}
	}
	defer clean()
	d.site, err = real.Start(ctx, real.Options{
		Broker: f.broker, Listen: f.listen, Dir: dir, Version: buildVersion(), Log: log, Seed: uint64(d.start.UnixNano()),
		Instead: func(lift string, err error) {
			fmt.Fprintf(errOut, "E-3004: lift %s on a pseudo terminal: %v\n    none is to be had here (see /proc/sys/kernel/pty and /dev/ptmx): it answers Modbus TCP instead\n", lift, err)
		},
	})
	if err != nil {
		return status{exitReach, mended(err, f.listen, "--listen 127.0.0.1:0")}
	}
	defer func() { err = errors.Join(err, d.close()) }()
	d.live, err = newLive(f.page, page.Options{
		Header: d.site.Header("demo"), Site: d.site, AgentURL: d.agentPage(), Log: log,
	})
	if err != nil {
		fmt.Fprintf(errOut, "%v\n    the demo goes on without its picture\n", err)
	}
	if f.people > 0 {
		if err := d.site.Do(scenarios.Crowd{Mix: "two-way", PerFiveMinute: f.people}); err != nil {
			return status{exitFinding, err}
		}
	}
	d.introduce()
	verdict, err := d.play(ctx)
	if ctx.Err() != nil { // the robots go on talking: the agent waits for one in a doorway
		fmt.Fprintln(d.out, "stopping; a robot in a doorway is waited for, a second Ctrl-C does not wait")
	}
	if err != nil {
		return status{exitFinding, err}
	}
	if verdict == nil {
		return nil
	}
	return d.tell(*verdict)
}

func (d *demo) close() error {
	err := d.site.Close()
	d.wg.Wait()
	return err
}

// introduce prints what a person needs to look around.
func (d *demo) introduce() {
	s := d.site
	fmt.Fprintf(d.out, "# the agent's configuration\n%s\n", s.Configuration())
	if d.live != nil {
		fmt.Fprintf(d.out, "page   %s\n", d.live.url)
	}
	fmt.Fprintf(d.out, "agent  %s\n", d.agentPage())
	fmt.Fprintf(d.out, "lifts  L1 %s\n       L2 %s\ncloud  %s\n", s.Link("L1"), s.Link("L2"), s.CloudURL())
	fmt.Fprintf(d.out, "robots R1 token %s\n       R2 token %s\n\n", s.Token("R1"), s.Token("R2"))
	d.robots = []*robots.Robot{s.Bot("R1"), s.Bot("R2")}
}

// agentPage is the agent's own page, with the rights of a technician.
func (d *demo) agentPage() string { return d.site.URL() + "/#token=" + d.site.Technician() }

// play lets the robots ride until the rides are over or ctx ends. Without a number
// of rides it goes on until ctx ends and there is no verdict.
func (d *demo) play(ctx context.Context) (*verdict, error) {
	playing, stop := context.WithCancel(ctx)
	defer stop()
	for _, r := range d.robots {
		d.wg.Go(func() { forget(playing, r) })
	}
	if d.live != nil {
		d.wg.Go(func() { d.live.run(playing, d.site.Frame, d.log) })
	}
	story := newNarrator(d)
	told := make(chan struct{})
	d.wg.Go(func() {
		story.run(playing)
		close(told)
	})
	asked := d.ask(playing)
	if d.flags.rides > 0 {
		v, err := d.await(playing, asked)
		stop()
		<-told
		story.last()
		return v, err
	}
	select {
	case <-ctx.Done():
		return nil, nil
	case err := <-d.site.Ended():
		return nil, errors.Join(errors.New("the agent ended by itself"), err)
	}
}

// forget fetches the ends of a robot's rides, which the demo learns from the agent.
func forget(ctx context.Context, r *robots.Robot) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-r.Done():
		}
	}
}
