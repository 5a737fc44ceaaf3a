package cli

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"hoistway/agent/config"
	"hoistway/drivers/profiles"
	"hoistway/drivers/profiles/strict"
)

// dirFlag says where a site's own profiles are.
func dirFlag(cmd *cobra.Command, to *string) {
	cmd.Flags().StringVar(to, "dir", config.DefaultProfiles, "`folder` of the site's own profiles")
}

// listedProfile is one line of profile list.
type listedProfile struct {
	ID       string `json:"id"`
	Title    string `json:"title"`
	Protocol string `json:"protocol"`
	Maturity string `json:"maturity"`
	From     string `json:"from"` // bundled, or the file
	Hash     string `json:"hash"`
	Faults   int    `json:"faults,omitempty"`
}

func newProfileListCommand(a *app) *cobra.Command {
	var (
		dir    string
		asJSON bool
	)
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List the profiles that there are, the site's own before the bundled ones",
		Long: `List the profiles that there are: a site's own, behind which their file stands, and
the bundled ones. One of the site with the id of a bundled one goes before it. The
protocol says with what its link begins: modbus (modbus+tcp, modbus+rtu,
modbus+rtu+tcp), frames (serial, serial+tcp, serial+udp), http (http, https),
socket (ws, wss). A draft is only read; bench was proven on the desk by frames
from elsewhere, field on a real site too.`,
		Example: "  hoistway profile list\n  hoistway profile list --dir ./profiles --json",
		Args:    wants(),
	}
	dirFlag(cmd, &dir)
	jsonFlag(cmd, &asJSON)
	cmd.RunE = func(*cobra.Command, []string) error {
		lib, faults := config.Library(dir)
		var list []listedProfile
		for _, id := range lib.IDs() {
			list = append(list, listed(lib, id))
		}
		var err error
		if asJSON {
			err = a.printValue(list)
		} else {
			err = a.printProfiles(list)
		}
		if err != nil {
			return err
		}
		return a.profileFaults(dir, faults)
	}
	return cmd
}

func listed(lib profiles.Library, id string) listedProfile {
	file, src, _ := lib.Lookup(id)
	out := listedProfile{ID: id, From: "bundled"}
	if lib.Local(id) {
		out.From = file
	}
	p, faults := lib.Parse(file, src)
	if p == nil {
		out.Faults = len(faults)
		return out
	}
	out.Title, out.Protocol, out.Maturity, out.Hash = p.Title, p.Protocol, p.Maturity, p.Hash()
	return out
}

func (a *app) printProfiles(list []listedProfile) error {
	var b strings.Builder
	fmt.Fprintf(&b, "%-28s %-9s %-8s %s\n", "PROFILE", "PROTOCOL", "MATURITY", "TITLE")
	for _, p := range list {
		what := p.Maturity
		if p.Faults > 0 {
			what = count(p.Faults, "fault")
		}
		fmt.Fprintf(&b, "%-28s %-9s %-8s %s", p.ID, p.Protocol, what, p.Title)
		if p.From != "bundled" {
			b.WriteString(" (" + p.From + ")")
		}
		b.WriteString("\n")
	}
	_, err := a.out.Write([]byte(b.String()))
	return err
}

func newProfileShowCommand(a *app) *cobra.Command {
	var (
		dir      string
		resolved bool
	)
	cmd := &cobra.Command{
		Use:   "show NAME",
		Short: "Print a profile, or with --resolved all that it means and its hash",
		Example: `  hoistway profile show bench/modbus-lift
  hoistway profile show ./board.yaml --resolved`,
		Args: wants("NAME"),
	}
	dirFlag(cmd, &dir)
	cmd.Flags().BoolVar(&resolved, "resolved", false, "with what it extends, as one file")
	cmd.RunE = func(_ *cobra.Command, args []string) error {
		lib, _ := config.Library(dir)
		file, src, err := a.profileSource(lib, args[0])
		if err != nil {
			return err
		}
		if !resolved {
			_, err := a.out.Write(src)
			return err
		}
		p, faults := lib.Parse(file, src)
		if p == nil {
			return a.profileFaults(file, faults)
		}
		_, err = fmt.Fprintf(a.out, "# %s, resolved; sha256 %s\n%s", p.ID, p.Hash(), p.Laid())
		return err
	}
	return cmd
}

func newProfileCheckCommand(a *app) *cobra.Command {
	var dir string
	cmd := &cobra.Command{
		Use:   "check NAME",
		Short: "Tell every fault of a profile at once",
		Long: `Tell every fault of a profile at once, each with file, line and column. NAME is an
id or a file; what a file extends is looked for in the folder of --dir. The exit
status is 1 when there is a fault.`,
		Example: `  hoistway profile check ./board.yaml`,
		Args:    wants("NAME"),
	}
	dirFlag(cmd, &dir)
	cmd.RunE = func(_ *cobra.Command, args []string) error {
		lib, _ := config.Library(dir)
		file, src, err := a.profileSource(lib, args[0])
		if err != nil {
			return err
		}
		p, faults := lib.Parse(file, src)
		if p == nil {
			return a.profileFaults(file, faults)
		}
		_, err = fmt.Fprintf(a.out, "%s: %s, %s, %s, %d reads a cycle; sha256 %s\n",
			file, p.ID, p.Protocol, maturity(p), len(p.ReadPlan())+len(p.Sources()), p.Hash())
		return err
	}
	return cmd
}

func maturity(p *profiles.Profile) string {
	if p.Draft() {
		return "draft: it is only read"
	}
	return p.Maturity
}

func newProfileSchemaCommand(a *app) *cobra.Command {
	return &cobra.Command{
		Use:     "schema",
		Short:   "Print the JSON Schema of a profile, for editors",
		Example: "  hoistway profile schema > profile.schema.json",
		Args:    wants(),
		RunE: func(*cobra.Command, []string) error {
			b, err := profiles.JSONSchema()
			if err != nil {
				return err
			}
			_, err = a.out.Write(append(b, '\n'))
			return err
		},
	}
}

// profileSource finds a profile by id or by path.
func (a *app) profileSource(lib profiles.Library, name string) (file string, src []byte, err error) {
	if file, src, ok := lib.Lookup(name); ok {
		return file, src, nil
	}
	if filepath.Ext(name) != ".yaml" && filepath.Ext(name) != ".yml" {
		text := "there is no profile " + name
		if hint := strict.DidYouMean(name, lib.IDs()); hint != "" {
			text += ", " + hint
		}
		return "", nil, &failure{exit: exitFinding, code: codeUnreadable, text: text}
	}
	if err := readable(name); err != nil {
		return "", nil, &failure{exit: exitFinding, code: codeUnreadable, text: err.Error(), err: err}
	}
	if src, err = os.ReadFile(name); err != nil {
		return "", nil, &failure{exit: exitFinding, code: codeUnreadable, text: err.Error(), err: err}
	}
	return name, src, nil
}

// profileFaults prints faults, one a line.
func (a *app) profileFaults(file string, faults []strict.Fault) error {
	if err := printFaults(a.out, faults); err != nil {
		return err
	}
	return faulty(file, faults)
}
