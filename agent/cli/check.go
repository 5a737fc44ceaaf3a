package cli

import (
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"hoistway/agent/config"
	"hoistway/drivers/profiles/strict"
)

const defaultConfig = "/etc/hoistway/hoistway.yaml"

func newCheckCommand(a *app) *cobra.Command {
	var (
		file           string
		asJSON, sample bool
	)
	cmd := &cobra.Command{
		Use:   "check",
		Short: "Tell every fault of a configuration at once",
		Long: `Tell every fault of a configuration at once, each with file, line, column and a hint.
Nothing is started and nothing is connected to. The exit status is 1 when there is
a fault. Of a file that is fine it says what a lift can never permit.`,
		Example: `  hoistway check
  hoistway check -c hoistway.yaml
  hoistway check -c hoistway.yaml --json
  hoistway check --sample > hoistway.yaml`,
		Args: wants(),
	}
	configFlag(cmd, &file)
	jsonFlag(cmd, &asJSON)
	cmd.Flags().BoolVar(&sample, "sample", false, "print a whole configuration with every key, and end")
	cmd.RunE = func(*cobra.Command, []string) error {
		if sample {
			_, err := a.out.Write(config.Sample())
			return err
		}
		c, faults, err := a.readConfig(file)
		if err != nil {
			return err
		}
		if asJSON {
			err = a.printValue(checkedFile(file, c, faults))
		} else {
			err = a.printCheck(file, c, faults)
		}
		if err != nil {
			return err
		}
		return faulty(file, faults)
	}
	return cmd
}

func configFlag(cmd *cobra.Command, to *string) {
	cmd.Flags().StringVarP(to, "config", "c", defaultConfig, "the configuration `file`")
}

// readConfig loads a file. A file that cannot be read at all is an error of its
// own: it has no lines to point at.
func (a *app) readConfig(file string) (*config.Config, []strict.Fault, error) {
	if err := readable(file); err != nil {
		return nil, nil, &failure{exit: exitFinding, code: codeUnreadable, text: err.Error(), err: err}
	}
	c, faults := a.load(file)
	return c, faults, nil
}

func readable(file string) error {
	info, err := os.Stat(file)
	if err == nil && !info.Mode().IsRegular() {
		err = fmt.Errorf("%s is not a plain file", file) // a pipe would block for ever
	}
	if err != nil {
		return err
	}
	f, err := os.Open(file)
	if err != nil {
		return err
	}
	return f.Close()
}

func faulty(file string, faults []strict.Fault) error {
	if len(faults) == 0 {
		return nil
	}
	return &failure{exit: exitFinding, code: codeConfig, text: fmt.Sprintf("%s in %s", count(len(faults), "fault"), file)}
}

// printFaults is the one way in which check and run tell faults.
func printFaults(w io.Writer, faults []strict.Fault) error {
	for _, f := range faults {
		if _, err := fmt.Fprintln(w, oneLine(f.Error())); err != nil {
			return output(err)
		}
	}
	return nil
}

func (a *app) printCheck(file string, c *config.Config, faults []strict.Fault) error {
	if len(faults) > 0 {
		return printFaults(a.err, faults)
	}
	text := file + ": fine: " + holds(c) + "\n"
	for _, n := range never(c) {
		text += "  " + n + "\n"
	}
	_, err := io.WriteString(a.out, text)
	return output(err)
}

// holds says in a few words what a configuration is about.
func holds(c *config.Config) string {
	parts := []string{count(len(c.Lifts), "lift"), count(len(c.Robots), "robot"), count(len(c.API.Technicians), "technician")}
	if c.Cloud == nil {
		return strings.Join(append(parts, "no cloud"), ", ")
	}
	return strings.Join(append(parts, "cloud at "+c.Cloud.Broker), ", ")
}

type checked struct {
	File   string         `json:"file"`
	Fine   bool           `json:"fine"`
	Faults []checkedFault `json:"faults"`
	Holds  string         `json:"holds,omitempty"`
	Never  []string       `json:"never"` // what can never be permitted
}

type checkedFault struct {
	File    string `json:"file"`
	Line    int    `json:"line"`
	Col     int    `json:"col"`
	Path    string `json:"path"`
	Message string `json:"message"`
	Hint    string `json:"hint,omitempty"`
}

func checkedFile(file string, c *config.Config, faults []strict.Fault) checked {
	out := checked{File: file, Fine: len(faults) == 0, Faults: []checkedFault{}, Never: []string{}}
	for _, f := range faults {
		out.Faults = append(out.Faults, checkedFault{f.File, f.Line, f.Col, f.Path, f.Msg, f.Hint})
	}
	if out.Fine {
		out.Holds, out.Never = holds(c), append(out.Never, never(c)...)
	}
	return out
}
