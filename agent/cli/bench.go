package cli

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"os/user"

	"github.com/spf13/cobra"

	"hoistway/agent/commission"
	"hoistway/agent/config"
	"hoistway/agent/localapi"
	"hoistway/drivers/profiles"
)

// benching is what every command that touches a controller has in common: the
// configuration, in which lifts have their links, and the agent that may hold them.
type benching struct {
	*asking
	config  string
	asked   *cobra.Command // tells whether --config was given
	profile string
	floors  string
	world   commission.World
}

// benches gives cmd the flags of a command that touches a controller.
func (a *app) benches(cmd *cobra.Command, withProfile bool) *benching {
	b := &benching{asking: a.asks(cmd), asked: cmd, world: a.world}
	configFlag(cmd, &b.config)
	if withProfile {
		cmd.Flags().StringVar(&b.profile, "profile", "", "`profile` of the controller: an id of the catalog or a file (default: the lift's)")
		cmd.Flags().StringVar(&b.floors, "floors", "", "`file` with the floor table, floors: [{label: G, wire: 1, doors: [front]}] as in a configuration (default: the lift's, else the controller's own numbers)")
	}
	return b
}

// aim is a controller as a command can reach it: through the agent that runs, or
// directly.
type aim struct {
	lift   string
	agent  *client // nil: directly
	target commission.Target
	conf   *config.Config // nil: none was found
}

// toward finds the way to LIFT or to a link. A line that the running agent holds
// is only ever reached through it.
func (b *benching) toward(ctx context.Context, arg string) (aim, error) {
	conf, err := b.loaded()
	if err != nil {
		return aim{}, err
	}
	if !isLink(arg) {
		if err := almostLink(arg); err != nil {
			return aim{}, err
		}
		return b.towardLift(ctx, conf, arg)
	}
	u, err := linkOf(arg)
	if err != nil {
		return aim{}, err
	}
	held, same := b.holder(ctx, conf, u)
	switch {
	case held == "":
		return b.direct(aim{target: commission.Target{Link: u}, conf: conf})
	case same:
		return b.towardLift(ctx, conf, held)
	}
	return aim{}, heldByAgent(u, held)
}

// loaded reads the configuration, if there is one. Only a file that was asked for
// must be there.
func (b *benching) loaded() (*config.Config, error) {
	asked := b.asked.Flags().Changed("config")
	if _, err := os.Stat(b.config); err != nil && !asked {
		return nil, nil
	}
	c, faults, err := b.app.readConfig(b.config)
	if err != nil || len(faults) > 0 {
		if !asked {
			return nil, nil
		}
		if err != nil {
			return nil, err
		}
		return nil, faulty(b.config, faults)
	}
	return c, nil
}

func (b *benching) towardLift(ctx context.Context, conf *config.Config, lift string) (aim, error) {
	to := aim{lift: lift, conf: conf}
	c, err := b.agentOf(conf)
	if err != nil {
		return to, err
	}
	_, err = read[localapi.Lift](c.get(ctx, at("lifts", lift)))
	switch {
	case err == nil:
		to.agent = c
		return to, nil
	case conf == nil || !answersNot(err):
		return to, err
	}
	l := liftOf(conf, lift)
	if l == nil {
		return to, usagef("E-2005", "the configuration %s has no lift %q", b.config, lift)
	}
	to.target = commission.Target{Link: l.URL(), Floors: l.Table()}
	if b.profile == "" {
		name, src := conf.ProfileSource(lift)
		to.target, err = to.target.WithProfile(name, src)
		if err != nil {
			return to, &failure{exit: exitFinding, code: codeConfig, text: err.Error(), err: err}
		}
	}
	return b.direct(to)
}

// answersNot reports that there is no agent at the address: nobody listens there. One
// that is hung or busy still holds its lines.
func answersNot(err error) bool {
	var f *failure
	return errors.As(err, &f) && f.exit == exitReach && f.code == "E-3001"
}

// agentOf is a client of the agent that runs by this configuration.
func (b *benching) agentOf(conf *config.Config) (*client, error) {
	if conf != nil && b.api == "" && b.app.env(envAPI) == "" {
		b.api = "http://" + conf.API.Listen
	}
	return b.client()
}

// direct fills in what the flags say of a controller that no agent holds.
func (b *benching) direct(to aim) (aim, error) {
	var err error
	if b.floors != "" {
		if to.target.Floors, err = commission.LoadFloors(b.floors); err != nil {
			return to, &failure{exit: exitUsage, code: codeProfile, text: err.Error(), err: err}
		}
	}
	if b.profile != "" {
		if to.target, err = withProfile(library(to.conf), to.target, b.profile); err != nil {
			return to, err
		}
	}
	return to, b.free(to.target.Link)
}

// free refuses a serial port that another program has open.
func (b *benching) free(u *url.URL) error {
	if u.Host != "" || u.Path == "" {
		return nil
	}
	for _, h := range b.world.Holders(u.Path) {
		return &failure{exit: exitFinding, code: "E-6009", text: fmt.Sprintf("%s is open in process %d (%s): two masters on a line spoil each other's answers", u.Path, h.PID, h.Command)}
	}
	return nil
}

// library has the site's own profiles before the bundled ones. A file of it that
// cannot be used is told when it is asked for.
func library(conf *config.Config) profiles.Library {
	dir := config.DefaultProfiles
	if conf != nil {
		dir = conf.Profiles.Dir
	}
	lib, _ := config.Library(dir)
	return lib
}

func withProfile(lib profiles.Library, t commission.Target, ref string) (commission.Target, error) {
	name, src, err := commission.LoadProfile(lib, ref)
	if err == nil {
		t, err = t.WithProfile(name, src)
	}
	if err != nil {
		return t, &failure{exit: exitUsage, code: codeProfile, text: err.Error(), err: err}
	}
	return t, nil
}

// holder names the lift of the running agent that is on the line of a link, and
// tells whether it is the very unit.
func (b *benching) holder(ctx context.Context, conf *config.Config, u *url.URL) (lift string, same bool) {
	if conf == nil {
		return b.holderUnknown(ctx, u)
	}
	for _, l := range conf.Lifts {
		if !b.world.SameLine(l.URL(), u) || same {
			continue
		}
		lift, same = l.ID, unitIn(l.URL()) == unitIn(u)
	}
	if lift == "" || !b.agentRuns(ctx, conf) {
		return "", false
	}
	return lift, same
}

// holderUnknown asks an agent whose configuration is not at hand which lines it
// has. When it does not tell, a person is warned: it may be the master of this one.
func (b *benching) holderUnknown(ctx context.Context, u *url.URL) (lift string, same bool) {
	c, err := b.client()
	if err != nil {
		return "", false
	}
	lifts, err := read[[]localapi.Lift](c.get(ctx, at("lifts")))
	if err != nil {
		if !answersNot(err) {
			_, _ = fmt.Fprintf(b.app.err, "something listens at %s and does not say which lines it holds: %v\n", c.base, err)
		}
		return "", false
	}
	for _, l := range lifts {
		s, err := read[localapi.BenchStats](c.get(ctx, at("lifts", l.ID, "commissioning", "stats")))
		if err != nil {
			_, _ = fmt.Fprintf(b.app.err, "an agent runs here and does not say which lines it holds (name its configuration with -c, or give a technician's token)\n")
			return "", false
		}
		if at, err := url.Parse(s.Link); err == nil && b.world.SameLine(at, u) {
			return l.ID, unitIn(at) == unitIn(u)
		}
	}
	return "", false
}

func unitIn(u *url.URL) string { return first(u.Query().Get("unit"), "1") }

// agentRuns reports that something answers where this configuration's agent would.
func (b *benching) agentRuns(ctx context.Context, conf *config.Config) bool {
	c, err := b.agentOf(conf)
	if err != nil {
		return false
	}
	_, err = c.get(ctx, "/healthz", http.StatusServiceUnavailable)
	return err == nil || !answersNot(err)
}

func heldByAgent(u *url.URL, lift string) *failure {
	return &failure{exit: exitFinding, code: "E-6021", text: fmt.Sprintf("the running agent holds the line of %s, for lift %s: a line has one master", u.Redacted(), lift)}
}

func liftOf(conf *config.Config, id string) *config.Lift {
	for i := range conf.Lifts {
		if conf.Lifts[i].ID == id {
			return &conf.Lifts[i]
		}
	}
	return nil
}

// whoami is the person at the keyboard, for the audit.
func whoami() string {
	if u, err := user.Current(); err == nil {
		return u.Username
	}
	return fmt.Sprintf("uid %d", os.Getuid())
}

func (to aim) path(what string, query url.Values) string {
	p := at("lifts", to.lift, "commissioning", what)
	if len(query) > 0 {
		p += "?" + query.Encode()
	}
	return p
}
