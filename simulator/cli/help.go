package cli

import (
	"fmt"

	"github.com/spf13/cobra"

	"hoistway/agent/explain"
)

func newHelp() *cobra.Command {
	return &cobra.Command{
		Use:     "help [COMMAND | CODE]",
		Short:   "explain a command or an error code",
		Example: "  hoistway-sim help demo\n  hoistway-sim help E-8001",
		Args:    cobra.ArbitraryArgs,
		RunE: func(c *cobra.Command, args []string) error {
			if len(args) == 1 && explain.LooksLikeCode(args[0]) {
				return explainCode(c, args[0])
			}
			about, rest, err := c.Root().Find(args)
			if err != nil || len(rest) > 0 {
				return fmt.Errorf("no command or code %q", args)
			}
			return about.Help()
		},
	}
}

func explainCode(c *cobra.Command, code string) error {
	e, ok := explain.Lookup(code)
	if !ok {
		return fmt.Errorf("no error code %s", code)
	}
	_, err := fmt.Fprintf(c.OutOrStdout(), "%s  %s\n\n%s\n\nwhat to do: %s\n", e.Code, e.Title, e.Cause, e.Do)
	return err
}
