package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"sync"
	"time"

	"hoistway/agent/config"
	"hoistway/agent/daemon"
	"hoistway/simulator/building"
	"hoistway/simulator/cloud"
	"hoistway/simulator/devices"
	"hoistway/simulator/robots"
)

const demoSerial = "GW-DEMO"

// demo is the parts of one running demo.
type demo struct {
	flags      demoFlags
	out        io.Writer
	log        *slog.Logger
	start      time.Time
	world      *devices.World
	cloud      *cloud.Cloud
	config     string
	links      map[string]string
	tokens     map[string]string
	technician string
	base       string // URL of the agent's API
	api        *api
	robots     []*robots.Robot
	wg         sync.WaitGroup
	closers    []func() error
}

// runDemo starts everything, plays, and takes everything down again in the
// opposite order.
func runDemo(ctx context.Context, f demoFlags, out io.Writer, log *slog.Logger) (err error) {
	d := &demo{
		flags: f, out: out, log: log, start: time.Now(), technician: token(),
		links: map[string]string{}, tokens: map[string]string{"R1": token(), "R2": token()},
	}
	dir, clean, err := tempStore(f.store)
	if err != nil {
		return status{exitFinding, err}
	}
	defer clean()
	// What plays around the agent lives a little longer than ctx, so that the agent
	// can end in an orderly way.
	around, stop := context.WithCancel(context.WithoutCancel(ctx))
	defer func() {
		stop()
		d.wg.Wait()
		err = errors.Join(err, d.close())
	}()
	if err := d.raise(around, dir); err != nil {
		return status{exitReach, err}
	}
	return d.play(ctx, around)
}

// raise puts up the building, its wires and the cloud.
func (d *demo) raise(ctx context.Context, dir string) error {
	b, err := building.New(building.Bench())
	if err != nil {
		return err
	}
	d.world = devices.NewRealWorld(b)
	tcp, err := devices.ServeTCP(d.world, "L1", "127.0.0.1:0", 1)
	if err != nil {
		return fmt.Errorf("lift L1 on Modbus TCP: %w", err)
	}
	d.closers = append(d.closers, tcp.Close)
	rtu, err := devices.ServeRTU(d.world, "L2", 1)
	if err != nil {
		return fmt.Errorf("lift L2 on Modbus RTU: %w", err)
	}
	d.closers = append(d.closers, rtu.Close)
	d.links["L1"] = fmt.Sprintf("modbus+tcp://%s?unit=1", tcp.Addr())
	d.links["L2"] = fmt.Sprintf("modbus+rtu://%s?baud=19200&parity=none&stop=1&unit=1", rtu.Path())
	if d.cloud, err = cloud.Start(ctx, cloud.Options{Broker: d.flags.broker, Patient: true, Log: d.log}); err != nil {
		return fmt.Errorf("stand-in cloud: %w", err)
	}
	d.closers = append(d.closers, d.cloud.Close)
	d.config = demoConfig(d.links, d.tokens, d.technician, d.flags.listen, d.cloud.URL(), dir)
	return nil
}

func (d *demo) close() error {
	var errs []error
	for i := len(d.closers) - 1; i >= 0; i-- {
		errs = append(errs, d.closers[i]())
	}
	return errors.Join(errs...)
}

// play runs the agent and the robots until the rides are over or ctx ends.
func (d *demo) play(ctx, around context.Context) error {
	c, faults := config.Parse("demo.yaml", []byte(d.config), nil)
	if len(faults) > 0 {
		return status{exitFinding, fmt.Errorf("the demo's own configuration: %w", faults[0])}
	}
	fmt.Fprintf(d.out, "# the agent's configuration\n%s\n", d.config)
	agent, stopAgent := context.WithCancel(ctx)
	defer stopAgent()
	ended := make(chan error, 1)
	ready := make(chan string, 1)
	go func() {
		ended <- daemon.Run(agent, c, daemon.Deps{
			Log: d.log, Version: buildVersion(), Ready: func(addr string) { ready <- addr },
		})
	}()
	select {
	case addr := <-ready:
		d.base = "http://" + addr
	case err := <-ended:
		return status{exitFinding, fmt.Errorf("the agent: %w", err)}
	}
	fmt.Fprintf(d.out, "page   %s/#token=%s\n", d.base, d.technician)
	fmt.Fprintf(d.out, "lifts  L1 %s\n       L2 %s\ncloud  %s\n", d.links["L1"], d.links["L2"], d.cloud.URL())
	fmt.Fprintf(d.out, "robots R1 token %s\n       R2 token %s\n\n", d.tokens["R1"], d.tokens["R2"])
	d.api = newAPI(d.base)
	riding, dismiss := context.WithCancel(around)
	defer dismiss()
	verdict, err := d.ride(ctx, riding, ended)
	if ctx.Err() == nil {
		dismiss()
	} else { // the robots go on talking: the agent waits for one in a doorway
		fmt.Fprintln(d.out, "stopping; a robot in a doorway is waited for, a second Ctrl-C does not wait")
	}
	stopAgent()
	if agentErr := <-ended; agentErr != nil {
		err = errors.Join(err, agentErr)
	}
	if err != nil {
		return status{exitFinding, err}
	}
	if verdict == nil {
		return nil
	}
	return d.tell(*verdict)
}

// ride lets the robots ride. Without a number of rides it goes on until ctx ends
// and there is no verdict. The robots live as long as riding.
func (d *demo) ride(ctx, riding context.Context, ended chan error) (*verdict, error) {
	playing, stop := context.WithCancel(ctx)
	defer stop()
	d.enlist(riding)
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
		story.last(riding)
		return v, err
	}
	select {
	case <-ctx.Done():
		return nil, nil
	case err := <-ended:
		ended <- err
		return nil, errors.New("the agent ended by itself")
	}
}

// enlist starts the pretend robots.
func (d *demo) enlist(ctx context.Context) {
	for i, id := range []string{"R1", "R2"} {
		r := robots.New(robots.Options{
			ID: id, BaseURL: d.base, Token: d.tokens[id], Crossing: 1500 * time.Millisecond,
			Log: d.log, World: presence{d.world}, Seed: uint64(i + 1),
		})
		d.robots = append(d.robots, r)
		d.wg.Go(func() {
			if err := r.Run(ctx); err != nil && ctx.Err() == nil {
				d.log.Error("robot ended", "robot", id, "error", err)
			}
		})
		d.wg.Go(func() { forget(ctx, r) })
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
