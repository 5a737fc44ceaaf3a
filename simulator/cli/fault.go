package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"hoistway/simulator/faults"
)

// faultFlags are the switches of fault.
type faultFlags struct {
	at     string
	list   bool
	asJSON bool
	clear  bool
	life   time.Duration
	times  int
	from   int
	chance int
	seed   uint64
}

func newFault() *cobra.Command {
	f := faultFlags{}
	c := &cobra.Command{
		Use:   "fault TARGET NAME [ARGUMENT]",
		Short: "begin a fault at a running demo or building, or end it",
		Long: "Tells a running hoistway-sim demo or serve to play a fault. TARGET is a lift, a robot, the word cloud\n" +
			"or the word gateway; --list shows the names and what each does, with --json also what the agent\n" +
			"owes. --at is the address on the line \"page\" that demo or serve has printed. When the fault strikes\n" +
			"and when it ends is told by the log on that page.",
		Example: "  hoistway-sim fault --list\n" +
			"  hoistway-sim fault L1 door-reopens 3 --at http://127.0.0.1:40001\n" +
			"  hoistway-sim fault L2 silent --for 30s --at http://127.0.0.1:40001\n" +
			"  hoistway-sim fault L2 --clear --at http://127.0.0.1:40001",
		Args: func(_ *cobra.Command, args []string) error { return f.check(args) },
		RunE: func(c *cobra.Command, args []string) error {
			if f.list {
				return listFaults(c.OutOrStdout(), f.asJSON)
			}
			if err := sendFault(c.Context(), f, args); err != nil {
				return err
			}
			fmt.Fprintln(c.OutOrStdout(), f.told(args))
			return nil
		},
	}
	fl := c.Flags()
	fl.StringVar(&f.at, "at", "", "address of the page, http://127.0.0.1:PORT")
	fl.BoolVar(&f.list, "list", false, "list the faults, and end")
	fl.BoolVar(&f.asJSON, "json", false, "with --list: as JSON, and with what the agent owes")
	fl.BoolVar(&f.clear, "clear", false, "end the fault; without NAME all of the target's")
	fl.DurationVar(&f.life, "for", 0, "end it by itself after this long")
	fl.IntVar(&f.times, "times", 0, "end it after so many strikes")
	fl.IntVar(&f.from, "from", 0, "spare what comes before the nth meeting")
	fl.IntVar(&f.chance, "chance", 0, "strike this many of a hundred meetings")
	fl.Uint64Var(&f.seed, "seed", 0, "of the chance")
	seedOf(c, &f.seed)
	limit(c, "for", &f.life, time.Millisecond, 31*24*time.Hour)
	limit(c, "times", &f.times, 1, 1_000_000)
	limit(c, "from", &f.from, 1, 1_000_000)
	limit(c, "chance", &f.chance, 1, 100)
	return c
}

func (f faultFlags) check(args []string) error {
	switch {
	case f.list:
		return nil
	case f.clear && (len(args) < 1 || len(args) > 2):
		return errors.New("fault --clear takes TARGET [NAME]")
	case !f.clear && (len(args) < 2 || len(args) > 3):
		return errors.New("fault takes TARGET NAME [ARGUMENT]; --list shows the names")
	case !f.clear:
		err := faults.Check(f.fault(args))
		if _, swapped := faults.Find(args[0]); swapped && errors.Is(err, faults.ErrKind) {
			return fmt.Errorf("the target comes first: fault %s %s", args[1], args[0])
		}
		if err != nil {
			return err
		}
	}
	_, err := pageURL(f.at)
	return err
}

// pageURL is where a page takes faults; http:// may be left out.
func pageURL(at string) (string, error) {
	if at == "" {
		return "", errors.New("fault needs --at http://127.0.0.1:PORT, the address on the line \"page\" that demo or serve has printed")
	}
	if !strings.Contains(at, "://") {
		at = "http://" + at
	}
	u, err := url.Parse(at)
	if err != nil || u.Scheme != "http" || u.Host == "" {
		return "", fmt.Errorf("--at takes an address such as http://127.0.0.1:40001, not %q", at)
	}
	return "http://" + u.Host + "/sim/faults", nil
}

// told says what was done, once the page has taken it.
func (f faultFlags) told(args []string) string {
	if !f.clear {
		return "begun: " + f.fault(args).String()
	}
	return "ended: " + strings.Join(append(args, "all faults")[:2], " ")
}

func (f faultFlags) fault(args []string) faults.Fault {
	x := faults.Fault{Target: args[0], Kind: args[1], For: f.life, Times: f.times, From: f.from, Chance: f.chance, Seed: f.seed}
	if len(args) > 2 {
		x.Arg = args[2]
	}
	return x
}

func sendFault(ctx context.Context, f faultFlags, args []string) error {
	at, err := pageURL(f.at)
	if err != nil {
		return err
	}
	if f.clear {
		q := url.Values{"target": {args[0]}}
		if len(args) > 1 {
			q.Set("kind", args[1])
		}
		return sendPage(ctx, http.MethodDelete, at+"?"+q.Encode(), nil)
	}
	x := f.fault(args)
	body := map[string]any{"fault": x.Kind, "target": x.Target, "arg": x.Arg, "times": x.Times, "from": x.From, "chance": x.Chance, "seed": x.Seed}
	if x.For > 0 {
		body["for"] = x.For.String()
	}
	raw, err := json.Marshal(body)
	if err != nil {
		return err
	}
	return sendPage(ctx, http.MethodPost, at, raw)
}

// sendPage makes one call of the page.
func sendPage(ctx context.Context, method, at string, body []byte) error {
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, method, at, bytes.NewReader(body))
	if err != nil {
		return err
	}
	req.Header.Set("Content-Type", "application/json")
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return status{exitReach, fmt.Errorf("E-8106: the page does not answer: %w", err)}
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(io.LimitReader(resp.Body, 64<<10))
	if err != nil {
		return status{exitReach, err}
	}
	if resp.StatusCode/100 != 2 {
		return status{exitFinding, refusal(resp.Status, text)}
	}
	return nil
}

// refusal is what the page says against it; another server's answer is told as such.
func refusal(code string, text []byte) error {
	var said struct {
		Error string `json:"error"`
	}
	if err := json.Unmarshal(text, &said); err != nil || said.Error == "" {
		return fmt.Errorf("that is no page of a demo or a served building (%s); --at takes the address on the line \"page\"", code)
	}
	return fmt.Errorf("refused: %s", said.Error)
}

func listFaults(out io.Writer, asJSON bool) error {
	if asJSON {
		type row struct {
			Name   string `json:"name"`
			Family string `json:"family"`
			Aim    string `json:"aim"`
			Takes  string `json:"takes"`
			Does   string `json:"does"`
			Owed   string `json:"owed"`
		}
		var rows []row
		for _, k := range faults.Catalogue() {
			rows = append(rows, row{k.Name, k.Family.String(), k.Aim.String(), takes(k), k.Does, k.Owed})
		}
		return writeJSON(out, rows)
	}
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	family := faults.FamilyUnknown
	for _, k := range faults.Catalogue() {
		if k.Family != family {
			family = k.Family
			fmt.Fprintf(w, "\n%s, aimed at %s\n", family, k.Aim)
		}
		fmt.Fprintf(w, "  %s %s\t%s\n", k.Name, takes(k), k.Does)
	}
	return w.Flush()
}

// takes says what follows a name, in brackets when it may be left out.
func takes(k faults.Kind) string {
	var what string
	switch k.Takes {
	case faults.Nothing:
		return ""
	case faults.Number:
		what = "N"
	case faults.Duration:
		what = "TIME"
	case faults.Landing:
		what = "LANDING"
	case faults.Side:
		what = "SIDE"
	case faults.Word:
		what = strings.Join(k.Words, "|")
	}
	if k.Usual == "" {
		return what
	}
	return "[" + what + "=" + k.Usual + "]"
}
