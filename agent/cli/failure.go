package cli

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
)

const (
	exitFine    = 0
	exitFinding = 1
	exitUsage   = 2
	exitReach   = 3
)

// The codes that the command line itself gives. agent/explain has their meaning.
const (
	codeUnreadable = "E-1001"
	codeConfig     = "E-1002"
	codeCommand    = "E-1101"
	codeFlag       = "E-1102"
	codeArgs       = "E-1103"
	codeToken      = "E-1104"
	codeAddress    = "E-1105"
	codeClear      = "E-1106"
	codeNoCode     = "E-1107"
	codeQuestion   = "E-1108"
	codeUnsure     = "E-1109"
	codeAudit      = "E-1110"
	codeLink       = "E-1111"
	codeProfile    = "E-1112"
	codeRecording  = "E-1113"
	codeSignature  = "E-1114"
	codeStart      = "E-1201"
	codeRights     = "E-1203"
)

// errFindings ends a command whose findings are printed already.
var errFindings = errors.New("findings")

// failure is an error with what the user gets to see of it.
type failure struct {
	exit int
	code string // E-code
	text string
	err  error // cause, for errors.Is; its words are in text already
}

func (f *failure) Error() string { return f.code + ": " + f.text }
func (f *failure) Unwrap() error { return f.err }

func usage(code, text string) *failure {
	return &failure{exit: exitUsage, code: code, text: text}
}

func usagef(code, format string, args ...any) *failure {
	return usage(code, fmt.Sprintf(format, args...))
}

// wants checks the number of arguments: each name is one, [NAME] may be left out.
func wants(names ...string) cobra.PositionalArgs {
	least := 0
	for _, n := range names {
		if !strings.HasPrefix(n, "[") {
			least++
		}
	}
	return func(cmd *cobra.Command, args []string) error {
		if slices.ContainsFunc(args, blank) { // a script's variable that was never set
			return usagef(codeArgs, "%s got an argument that is empty (see %s --help)", cmd.CommandPath(), cmd.CommandPath())
		}
		if len(args) >= least && len(args) <= len(names) {
			return nil
		}
		want := strings.Join(names, " ")
		if want == "" {
			want = "no arguments"
		}
		return usagef(codeArgs, "%s takes %s, got %d arguments (see %s --help)",
			cmd.CommandPath(), want, len(args), cmd.CommandPath())
	}
}

func blank(s string) bool { return strings.TrimSpace(s) == "" }

// knownCommand refuses a first word that is no command and names the nearest.
func knownCommand(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	hint := "see hoistway --help"
	cmd.SuggestionsMinimumDistance = 2
	if near := cmd.SuggestionsFor(args[0]); len(near) > 0 {
		hint = "did you mean " + strings.Join(near, " or ") + "?"
	}
	return usagef(codeCommand, "no command %q (%s)", args[0], hint)
}
