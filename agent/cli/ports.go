package cli

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"hoistway/agent/commission"
)

func newPortsCommand(a *app) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "ports",
		Short: "List the serial ports: names, driver, rights, who holds them",
		Long: `List the serial ports of this machine with their stable names, their driver, who
holds them and whether this user may open them. No port is opened: opening one
moves its control lines.`,
		Example: `  hoistway ports
  hoistway ports --json`,
		Args: wants(),
	}
	jsonFlag(cmd, &asJSON)
	cmd.RunE = func(*cobra.Command, []string) error {
		ports, err := a.world.Ports()
		if err != nil {
			return &failure{exit: exitFinding, code: codeStart, text: err.Error(), err: err}
		}
		if asJSON {
			return a.printValue(ports)
		}
		return a.printPorts(ports)
	}
	return cmd
}

func (a *app) printPorts(ports []commission.Port) error {
	if len(ports) == 0 {
		_, err := fmt.Fprintln(a.out, "no serial ports")
		return output(err)
	}
	t := &table{}
	t.row("PORT", "DRIVER", "RS-485", "LATENCY", "GROUP", "MAY OPEN", "HELD BY", "STABLE NAME")
	for _, p := range ports {
		latency := ""
		if p.LatencyMs != nil {
			latency = fmt.Sprintf("%d ms", *p.LatencyMs)
		}
		t.row(p.Path, p.Driver, p.RS485, latency, p.Group, yes(p.MayOpen), heldBy(p), stable(p))
	}
	if err := t.print(a.out); err != nil {
		return err
	}
	for _, p := range ports {
		if p.Why != "" {
			if _, err := fmt.Fprintf(a.out, "%s: %s\n", p.Path, oneLine(p.Why)); err != nil {
				return output(err)
			}
		}
	}
	return nil
}

func heldBy(p commission.Port) string {
	var out []string
	for _, h := range p.Held {
		out = append(out, fmt.Sprintf("%s (%d)", h.Command, h.PID))
	}
	switch {
	case len(out) > 0:
		return strings.Join(out, ", ")
	case p.HeldKnown:
		return "nobody"
	}
	return "" // not known without more rights
}

func stable(p commission.Port) string {
	for _, names := range [][]string{p.ByID, p.ByPath} {
		if len(names) > 0 {
			return names[0]
		}
	}
	return ""
}
