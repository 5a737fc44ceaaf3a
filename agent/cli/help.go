package cli

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"hoistway/agent/explain"
)

const helpColumns = 80

func newHelpCommand(a *app) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "help [COMMAND... | CODE | errors]",
		Short: "Explain a command or an error code",
		Long: `Explain a command, or an error code like E-1203: what it means, what led to it and
what to do. The fault code of a ride (WAIT_TIMEOUT) works as well. It needs no
network and no agent.`,
		Example: `  hoistway help run
  hoistway help E-1203
  hoistway help WAIT_TIMEOUT
  hoistway help errors`,
		Args: cobra.ArbitraryArgs,
	}
	jsonFlag(cmd, &asJSON)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if len(args) == 1 {
			if args[0] == "errors" {
				return a.listCodes(asJSON)
			}
			if code := codeOf(args[0]); code != "" {
				return a.explain(code, asJSON)
			}
		}
		about, rest, err := cmd.Root().Find(args)
		if err != nil || len(rest) > 0 {
			return knownCommand(cmd.Root(), append(rest, args...))
		}
		return about.Help()
	}
	return cmd
}

// codeOf gives the E-code that a word stands for, or "".
func codeOf(word string) string {
	if explain.LooksLikeCode(word) {
		return word
	}
	return explain.ForFault(strings.ToUpper(word))
}

func (a *app) explain(code string, asJSON bool) error {
	e, ok := explain.Lookup(code)
	if !ok {
		return noSuchCode(code)
	}
	if asJSON {
		return a.printValue(e)
	}
	head := e.Code + "  " + e.Title
	if e.Fault != "" {
		head += " (" + e.Fault + ")"
	}
	_, err := fmt.Fprintf(a.out, "%s\n\nCause\n%s\nWhat to do\n%s", head, fold(e.Cause), fold(e.Do))
	return output(err)
}

func noSuchCode(code string) error {
	var near []string
	for _, e := range explain.Near(code, 3) {
		near = append(near, fmt.Sprintf("%s %s", e.Code, e.Title))
	}
	return usagef(codeNoCode, "no error code %s (nearest: %s)", strings.ToUpper(code), strings.Join(near, "; "))
}

func (a *app) listCodes(asJSON bool) error {
	if asJSON {
		return a.printValue(explain.All())
	}
	var t table
	for _, e := range explain.All() {
		t.row(e.Code, e.Title)
	}
	return t.print(a.out)
}

// fold breaks a text into indented lines of at most helpColumns.
func fold(text string) string {
	const indent = "  "
	var b strings.Builder
	line := indent
	for _, word := range strings.Fields(text) {
		if line != indent && width(line)+1+width(word) > helpColumns {
			b.WriteString(line + "\n")
			line = indent
		}
		if line != indent {
			line += " "
		}
		line += word
	}
	b.WriteString(line + "\n")
	return b.String()
}
