package cli

import "github.com/spf13/cobra"

func newProfileCommand(a *app) *cobra.Command {
	cmd := &cobra.Command{
		Use:     "profile",
		Short:   "Vendor profiles",
		Example: `  hoistway profile list`,
		Args:    knownCommand,
		RunE:    func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(newProfileListCommand(a), newProfileShowCommand(a), newProfileCheckCommand(a), newProfileSchemaCommand(a), newProfileTestCommand(a))
	return cmd
}
