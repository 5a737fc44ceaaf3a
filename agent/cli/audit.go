package cli

import (
	"net/url"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"hoistway/agent/audit"
)

func newAuditCommand(a *app) *cobra.Command {
	var (
		outputs bool
		limit   int
	)
	cmd := &cobra.Command{
		Use:   "audit",
		Short: "Show who did what, when, why, and what came of it",
		Long: `Show what people did at the gateway: each act once before it was carried out and once
after. --outputs shows the commands that the lifts were given instead. Both want the
token of a technician.`,
		Example: `  hoistway audit --token-file token
  hoistway audit --outputs --limit 50 --token-file token
  hoistway audit --json --token-file token`,
		Args: wants(),
	}
	cmd.Flags().BoolVar(&outputs, "outputs", false, "the commands that lifts were given")
	cmd.Flags().IntVar(&limit, "limit", 200, "the last so many entries, 1000 at most")
	q := a.asks(cmd)
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		if limit < 1 || limit > 1000 {
			return usagef(codeFlag, "--limit takes 1 to 1000, not %d", limit)
		}
		c, err := q.client()
		if err != nil {
			return err
		}
		of := "acts"
		if outputs {
			of = "outputs"
		}
		raw, err := c.get(cmd.Context(), at("audit")+"?"+url.Values{"of": {of}, "limit": {strconv.Itoa(limit)}}.Encode())
		return answer(q, raw, err, auditTable)
	}
	return cmd
}

func auditTable(list []audit.Entry) *table {
	t := &table{}
	t.row("NO", "AT", "BY", "WHAT", "LIFT", "RIDE", "OUTCOME", "CODE", "WHY", "DETAIL")
	for _, e := range list {
		detail := first(e.Detail, e.Question)
		if e.Lost > 0 {
			detail = strconv.FormatUint(e.Lost, 10) + " " + detail
		}
		t.row(strconv.FormatUint(e.N, 10), e.At.UTC().Format(time.DateTime), e.By, e.What, e.Lift, e.Ride, e.Outcome, e.Code, e.Why, detail)
	}
	return t
}
