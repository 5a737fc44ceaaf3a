package cli

import (
	"net/http"
	"strings"

	"github.com/spf13/cobra"

	"hoistway/agent/localapi"
)

func newWebhooksCommand(a *app) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "webhooks LIFT",
		Short: "Show how pushed messages come, and have a suspended push go on",
		Long: `Show for one lift how its service's messages come: when the last one was heard,
whether the service still pushes by its own word, and what the vendor has confirmed.`,
		Example: `  hoistway webhooks L1
  hoistway webhooks enable L1 --token-file token`,
		Args: wants("LIFT"),
	}
	q := a.asks(cmd)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		c, err := q.client()
		if err != nil {
			return err
		}
		raw, err := c.get(cmd.Context(), at("lifts", args[0]))
		return answer(q, raw, err, func(l localapi.Lift) *table { return pushDetail(l.Push) })
	}
	cmd.AddCommand(newWebhooksEnableCommand(a))
	return cmd
}

func newWebhooksEnableCommand(a *app) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "enable LIFT",
		Short: "Have a service push again after it suspended that",
		Long: `Have a service push again after it suspended that, and have everything read anew.
Mend first what made messages fail. Where only a person can do it, the steps are
printed.`,
		Example: `  hoistway webhooks enable L1 --token-file token`,
		Args:    wants("LIFT"),
	}
	q := a.asks(cmd)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		c, err := q.client()
		if err != nil {
			return err
		}
		raw, err := c.call(cmd.Context(), http.MethodPost, at("webhooks", args[0], "enable"), nil)
		return answer(q, raw, err, func(p localapi.Push) *table { return pushDetail(&p) })
	}
	return cmd
}

func pushDetail(p *localapi.Push) *table {
	t := &table{}
	if p == nil {
		t.row("pushed", "nothing")
		return t
	}
	t.row("proof", p.Verify+map[bool]string{true: ", unsigned messages are taken", false: ""}[p.Unsigned])
	t.row("last heard", ago(p.HeardMs))
	t.row("read anew", ago(p.RepairedMs))
	t.row("service pushes", p.State)
	if p.SuspendsInMs != nil {
		t.row("suspends in", span(*p.SuspendsInMs))
	}
	for _, alarm := range p.Alarms {
		t.row("alarm", alarm.Code+" "+alarm.Detail)
	}
	t.row("vendor confirmed", strings.Join(p.Confirmed, "; "))
	t.row("to enable by hand", strings.Join(p.Steps, "; "))
	return t
}
