package cli

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"hoistway/agent/explain"
)

const helpColumns = 80

func newHelpCommand(a *app) *cobra.Command {
	var (
		asJSON bool
		lang   string
	)
	cmd := &cobra.Command{
		Use:   "help [COMMAND... | CODE | errors]",
		Short: "Explain a command or an error code",
		Long: `Explain a command, or an error code like E-1203: what it means, what led to it and
what to do. The fault code of a ride (WAIT_TIMEOUT) works as well. It needs no
network and no agent. Codes are explained in English or Chinese: --lang decides,
else LC_ALL, LC_MESSAGES or LANG. Commands are explained in English.`,
		Example: `  hoistway help run
  hoistway help E-1203
  hoistway help WAIT_TIMEOUT
  hoistway help E-1203 --lang zh
  hoistway help errors`,
		Args: cobra.ArbitraryArgs,
	}
	jsonFlag(cmd, &asJSON)
	cmd.Flags().StringVar(&lang, "lang", "", "`language` of the explanation: en or zh (default by LC_ALL, LC_MESSAGES or LANG)")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		in, err := a.language(lang)
		if err != nil {
			return err
		}
		if len(args) == 1 {
			if args[0] == "errors" {
				return a.listCodes(in, asJSON)
			}
			if code := codeOf(args[0]); code != "" {
				return a.explain(in, code, asJSON)
			}
		}
		about, rest, err := cmd.Root().Find(args)
		if err != nil || len(rest) > 0 {
			return knownCommand(cmd.Root(), append(rest, args...))
		}
		if err := about.Help(); err != nil || lang == "" {
			return err
		}
		return a.pointToCodes(in)
	}
	return cmd
}

// pointToCodes says to whom asked for a language what there is in it: commands are
// told in English alone, by their names and flags.
func (a *app) pointToCodes(in explain.Lang) error {
	if in != explain.Chinese {
		return nil
	}
	_, err := fmt.Fprintln(a.out, "\n命令说明只有英文，错误码有中文解释：\n  hoistway help errors --lang zh\n  hoistway help E-5004 --lang zh")
	return output(err)
}

// codeOf gives the E-code that a word stands for, or "".
func codeOf(word string) string {
	if explain.LooksLikeCode(word) {
		return word
	}
	return explain.ForFault(strings.ToUpper(word))
}

// language is the one that was asked for, else that of the environment.
func (a *app) language(asked string) (explain.Lang, error) {
	if asked == "" {
		return explain.Preferred(a.env("LC_ALL"), a.env("LC_MESSAGES"), a.env("LANG")), nil
	}
	l, ok := explain.ParseLang(asked)
	if !ok {
		return l, usagef(codeFlag, "--lang is en or zh, not %q", asked)
	}
	return l, nil
}

// helpHeads are the words above cause and mend.
var helpHeads = map[explain.Lang][2]string{
	explain.English: {"Cause", "What to do"},
	explain.Chinese: {"原因", "怎么办"},
}

func (a *app) explain(in explain.Lang, code string, asJSON bool) error {
	e, ok := in.Lookup(code)
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
	heads := helpHeads[in]
	_, err := fmt.Fprintf(a.out, "%s\n\n%s\n%s\n%s\n%s", head, heads[0], fold(e.Cause), heads[1], fold(e.Do))
	return output(err)
}

func noSuchCode(code string) error {
	var near []string
	for _, e := range explain.Near(code, 3) {
		near = append(near, fmt.Sprintf("%s %s", e.Code, e.Title))
	}
	return usagef(codeNoCode, "no error code %s (nearest: %s)", strings.ToUpper(code), strings.Join(near, "; "))
}

func (a *app) listCodes(in explain.Lang, asJSON bool) error {
	if asJSON {
		return a.printValue(in.All())
	}
	var t table
	for _, e := range in.All() {
		t.row(e.Code, e.Title)
	}
	return t.print(a.out)
}
