package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"runtime/debug"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"hoistway/agent/audit"
	"hoistway/agent/commission"
	"hoistway/agent/config"
)

func newBundleCommand(a *app) *cobra.Command {
	d := bundling{}
	cmd := &cobra.Command{
		Use:   "bundle",
		Short: "Put everything that support needs into one file, with secrets masked",
		Long: `Put everything that support needs into one .tar.gz: the configuration as it is and
as it was understood, profiles with their hashes, the state of the agent, what
doctor finds, the flight records that are kept (those with a fault first), the
last frames of each lift, the audit of writes by hand, versions.
Secrets are masked. What could not be had is listed with the reason. --preview
only lists.`,
		Example: `  hoistway bundle --preview
  hoistway bundle -o hoistway-support.tar.gz --token-file token`,
		Args: wants(),
	}
	d.benching = a.benches(cmd, false)
	cmd.Flags().StringVarP(&d.out, "output", "o", "", "the bundle's `file` (default: hoistway-TIME.tar.gz here; it must not exist)")
	cmd.Flags().BoolVar(&d.preview, "preview", false, "list what would be in it, and write nothing")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error { return d.run(cmd.Context()) }
	return cmd
}

type bundling struct {
	*benching
	out     string
	preview bool
}

func (d *bundling) run(ctx context.Context) error {
	b := &commission.Bundle{Made: time.Now()}
	b.JSON("version.json", whatBuild(debug.ReadBuildInfo()))
	conf := d.putConfig(b)
	d.putAgent(ctx, b, conf)
	doctor := doctoring{benching: d.benching}
	if r, err := doctor.examine(ctx, nil); err != nil {
		b.Missing("doctor.json", err)
	} else {
		b.JSON("doctor.json", r)
	}
	if !d.preview {
		if err := d.write(b); err != nil {
			return err
		}
	}
	return d.list(b)
}

// putConfig puts in the file, what was understood of it, and its profiles.
func (d *bundling) putConfig(b *commission.Bundle) *config.Config {
	raw, err := os.ReadFile(d.config)
	if err != nil {
		b.Missing("config.yaml", err)
		return nil
	}
	b.Text("config.yaml", string(raw))
	conf, faults, err := d.app.readConfig(d.config)
	if err != nil || len(faults) > 0 {
		b.Missing("config.json", errors.New("the configuration has faults: doctor.json tells them"))
		return nil
	}
	b.JSON("config.json", conf)
	hashes := map[string]string{}
	for _, l := range conf.Lifts {
		name, src := conf.ProfileSource(l.ID)
		if hashes[l.Profile] == "" {
			b.Text("profiles/"+strings.TrimSuffix(strings.TrimLeft(l.Profile, "./"), ".yaml")+".yaml", string(src))
		}
		hashes[l.Profile] = strings.TrimSuffix("sha256-"+commission.Hash(name, src), "-")
	}
	b.JSON("profiles.json", hashes)
	if acts, err := os.ReadFile(filepath.Join(conf.Store.Dir, audit.FileName)); err == nil {
		b.Text(audit.FileName, string(acts))
	}
	return conf
}

// putAgent puts in what the running agent tells.
func (d *bundling) putAgent(ctx context.Context, b *commission.Bundle, conf *config.Config) {
	c, err := d.agentOf(conf)
	if err != nil {
		b.Missing("agent", err)
		return
	}
	for name, path := range map[string]string{"ready.json": "/readyz", "lifts.json": "/v1/lifts", "rides.json": "/v1/rides", "shadow.json": "/v1/shadow", "metrics.txt": "/metrics"} {
		raw, err := c.get(ctx, path, http.StatusServiceUnavailable)
		if err != nil {
			b.Missing("agent/"+name, err)
			continue
		}
		b.Text("agent/"+name, string(raw))
	}
	if conf == nil {
		return
	}
	d.putRecords(ctx, b, c, conf)
	for _, l := range conf.Lifts {
		d.putFrames(ctx, b, c, l)
	}
}

// putFrames puts in the last frames of a lift's line, as a recording that replay reads.
func (d *bundling) putFrames(ctx context.Context, b *commission.Bundle, c *client, l config.Lift) {
	name := "frames/" + l.ID + ".jsonl"
	if u := l.URL(); u == nil || !commission.FramesAreBare(u.Scheme) {
		b.Missing(name, errors.New("frames of this kind of link may hold secrets"))
		return
	}
	var text bytes.Buffer
	enc := json.NewEncoder(&text)
	to, after, head := aim{lift: l.ID, agent: c}, uint64(0), false
	var start time.Time
	for {
		got, err := d.frames(ctx, to, after, 0)
		if err != nil {
			b.Missing(name, err)
			return
		}
		if len(got.Frames) == 0 {
			break
		}
		if after = got.Next; !head {
			head, start = true, got.Frames[0].At
			_ = enc.Encode(commission.Head{Recording: 1, Link: got.Link, Line: got.Line, Lift: l.ID, Profile: l.Profile, Floors: l.Table(), Started: start})
		}
		for _, f := range got.Frames {
			_ = enc.Encode(map[string]any{"ms": float64(f.At.Sub(start).Microseconds()) / 1000, "out": f.Out, "hex": f.Hex, "note": f.Note})
		}
	}
	b.Verbatim(name, text.Bytes())
}

func (d *bundling) write(b *commission.Bundle) error {
	if d.out == "" {
		d.out = "hoistway-" + b.Made.UTC().Format("20060102T150405") + ".tar.gz"
	}
	f, err := os.OpenFile(d.out, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err == nil {
		err = errors.Join(b.Write(f), f.Close())
	}
	if err != nil {
		return &failure{exit: exitFinding, code: codeRecording, text: err.Error(), err: err}
	}
	return nil
}

func (d *bundling) list(b *commission.Bundle) error {
	items, missing := b.List()
	if d.json {
		return d.app.printValue(struct {
			File    string            `json:"file"`
			Files   []commission.Item `json:"files"`
			Missing []string          `json:"missing"`
		}{d.out, items, missing})
	}
	t := &table{}
	for _, i := range items {
		t.row(i.Name, fmt.Sprintf("%d bytes", i.Bytes))
	}
	for _, m := range missing {
		name, why, _ := strings.Cut(m, ": ")
		t.row(name, "not in: "+why)
	}
	if d.preview {
		t.row("(nothing written)", " ")
	} else {
		t.row("written", d.out)
	}
	return t.print(d.app.out)
}
