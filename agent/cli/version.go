package cli

import (
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"
)

func newVersionCommand(a *app) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "version",
		Short: "Say which version this is and what it was built from",
		Example: `  hoistway version
  hoistway version --json`,
		Args: wants(),
	}
	jsonFlag(cmd, &asJSON)
	cmd.RunE = func(*cobra.Command, []string) error {
		b := whatBuild(debug.ReadBuildInfo())
		if asJSON {
			return a.printValue(b)
		}
		_, err := fmt.Fprintln(a.out, b)
		return output(err)
	}
	return cmd
}

// build is what the binary knows of its own making.
type build struct {
	Version  string `json:"version"`
	Commit   string `json:"commit,omitempty"`
	Date     string `json:"date,omitempty"` // of the commit, RFC 3339
	Modified bool   `json:"modified"`       // the tree had changes that were not committed
	Go       string `json:"go"`
	Platform string `json:"platform"`
}

func whatBuild(info *debug.BuildInfo, ok bool) build {
	b := build{Version: "(devel)", Go: runtime.Version(), Platform: runtime.GOOS + "/" + runtime.GOARCH}
	if !ok {
		return b
	}
	b.Version = first(info.Main.Version, b.Version)
	for _, s := range info.Settings {
		switch s.Key {
		case "vcs.revision":
			b.Commit = s.Value
		case "vcs.time":
			b.Date = s.Value
		case "vcs.modified":
			b.Modified = s.Value == "true"
		}
	}
	return b
}

func (b build) String() string {
	s := "hoistway " + b.Version
	if b.Commit != "" {
		s += " commit " + b.Commit[:min(12, len(b.Commit))]
	}
	if b.Modified {
		s += " with changes"
	}
	if b.Date != "" {
		s += " of " + b.Date
	}
	return s + " " + b.Go + " " + b.Platform
}
