package cli

import (
	"net/http"

	"github.com/spf13/cobra"

	"hoistway/agent/localapi"
)

func newEmptyCommand(a *app) *cobra.Command {
	var word localapi.Attest
	cmd := &cobra.Command{
		DisableFlagsInUseLine: true,
		Use:                   "empty LIFT --seen-by NAME",
		Short:                 "Say as a person that no robot is in this car",
		Long: `Say as a person who has looked that no robot is in this car. Go and look first: the
agent believes you, and the next robot is sent in. It is refused while a robot
rides in it, or says by itself that it is in the car.`,
		Example: `  hoistway lifts empty L1 --seen-by "M. Weber" --token-file token`,
		Args:    wants("LIFT"),
	}
	seenByFlag(cmd, &word)
	q := a.asks(cmd)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if err := hasLooked(word); err != nil {
			return err
		}
		c, err := q.client()
		if err != nil {
			return err
		}
		raw, err := c.call(cmd.Context(), http.MethodPost, at("lifts", args[0], "car-empty"), word)
		return answer(q, raw, err, liftDetail)
	}
	return cmd
}

func seenByFlag(cmd *cobra.Command, word *localapi.Attest) {
	cmd.Flags().StringVar(&word.SeenBy, "seen-by", "", "`name` of who has looked (required)")
}

func hasLooked(word localapi.Attest) error {
	if word.SeenBy == "" {
		return usage(codeFlag, "--seen-by is required: who has looked?")
	}
	return nil
}
