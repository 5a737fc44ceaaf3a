package cli

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"hoistway/agent/localapi"
)

func newShadowCommand(a *app) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "shadow [NAME]",
		Short: "Show the shadow: what is desired, reported and still different",
		Long: `Show the local shadow. Without a name: each document with its version and what still
differs, and each setting that the cloud may change, with where its value comes from
(the file, or the cloud, by which batch and by whom). With a name: every value of one
document; the classic shadow, which has no name, is called "classic".`,
		Example: `  hoistway shadow
  hoistway shadow L1
  hoistway shadow classic --json`,
		Args: wants("[NAME]"),
	}
	q := a.asks(cmd)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		c, err := q.client()
		if err != nil {
			return err
		}
		raw, err := c.get(cmd.Context(), at("shadow"))
		if err != nil {
			return err
		}
		s, err := read[localapi.Shadow](raw, nil)
		switch {
		case err != nil:
			return err
		case len(args) == 1:
			return q.printDocument(s, args[0])
		case q.json:
			return q.printJSON(raw)
		}
		return q.printShadows(s)
	}
	return cmd
}

const classic = "classic"

func (q *asking) printShadows(s localapi.Shadow) error {
	if err := shadowTable(s).print(q.app.out); err != nil {
		return err
	}
	if len(s.Settings) > 0 {
		if _, err := fmt.Fprintln(q.app.out); err != nil {
			return output(err)
		}
		if err := settingsTable(s).print(q.app.out); err != nil {
			return err
		}
	}
	_, err := fmt.Fprintf(q.app.out, "\ncloud: %s\n", cloudSummary(s))
	return output(err)
}

func settingsTable(s localapi.Shadow) *table {
	t := &table{}
	t.row("SETTING", "VALUE", "FROM", "BATCH", "BY")
	for _, x := range s.Settings {
		if x.Value != nil {
			t.row(x.Path, flat("", map[string]any{"v": x.Value}, nil)["v"], x.From, x.Batch, x.By)
		}
	}
	return t
}

// settingsSummary says how many settings are the cloud's; "" when all are the file's.
func settingsSummary(s localapi.Shadow) string {
	cloud, batch := 0, ""
	for _, x := range s.Settings {
		if x.From == "cloud" {
			cloud, batch = cloud+1, first(x.Batch, batch)
		}
	}
	var words []string
	if cloud > 0 {
		words = append(words, fmt.Sprintf("%d of the cloud", cloud))
	}
	if batch != "" {
		words = append(words, "batch "+batch)
	}
	if s.SetAside != "" {
		words = append(words, "E-4010: "+s.SetAside)
	}
	return strings.Join(words, ", ")
}

func shadowTable(s localapi.Shadow) *table {
	t := &table{}
	t.row("SHADOW", "VERSION", "UPDATES", "SYNC", "DELTA", "PENDING")
	for _, d := range s.Shadows {
		t.row(first(d.Name, classic), strconv.FormatInt(d.Version, 10), strconv.FormatInt(d.Updates, 10),
			known(d.Sync), leaves(d.State.Delta), leaves(d.Pending))
	}
	return t
}

func leaves(tree map[string]any) string {
	n := len(flat("", tree, nil))
	if n == 0 {
		return "empty"
	}
	return count(n, "value")
}

func (q *asking) printDocument(s localapi.Shadow, name string) error {
	for _, d := range s.Shadows {
		if first(d.Name, classic) != name {
			continue
		}
		if q.json {
			return q.app.printValue(d)
		}
		return documentTable(d).print(q.app.out)
	}
	return &failure{exit: exitFinding, code: "E-2016", text: fmt.Sprintf("no shadow %q (hoistway shadow lists them)", name)}
}

func documentTable(d localapi.ShadowDocument) *table {
	desired, reported := flat("", d.State.Desired, nil), flat("", d.State.Reported, nil)
	delta := flat("", d.State.Delta, nil)
	all := maps.Clone(desired)
	maps.Copy(all, reported)
	maps.Copy(all, delta)
	t := &table{}
	t.row("VALUE", "DESIRED", "REPORTED", "DIFFERS")
	for _, path := range slices.Sorted(maps.Keys(all)) {
		differs := ""
		if _, ok := delta[path]; ok {
			differs = "yes"
		}
		t.row(path, desired[path], reported[path], differs)
	}
	return t
}

// flat lists the leaves of a tree by their dotted paths, as JSON.
func flat(prefix string, tree map[string]any, into map[string]string) map[string]string {
	if into == nil {
		into = map[string]string{}
	}
	for k, v := range tree {
		path := k
		if prefix != "" {
			path = prefix + "." + k
		}
		if sub, ok := v.(map[string]any); ok && len(sub) > 0 {
			flat(path, sub, into)
			continue
		}
		b, err := json.Marshal(v)
		if err != nil { // cannot happen: it came from JSON
			b = []byte("?")
		}
		into[path] = string(b)
	}
	return into
}
