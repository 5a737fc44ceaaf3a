package cli

import (
	"io"
	"log/slog"
	"os"

	"github.com/spf13/cobra"
	"golang.org/x/term"
)

// logging is how the daemon logs.
type logging struct{ level, format string }

func (l *logging) flags(cmd *cobra.Command) {
	cmd.Flags().StringVar(&l.level, "log-level", "info", "least important `level` that is logged: debug, info, warn or error")
	cmd.Flags().StringVar(&l.format, "log-format", "auto", "`form` of the log: text, json, or auto")
}

func (l *logging) logger(w io.Writer) (*slog.Logger, error) {
	var level slog.Level
	if err := level.UnmarshalText([]byte(l.level)); err != nil {
		return nil, usagef(codeFlag, "--log-level must be debug, info, warn or error, not %q", l.level)
	}
	options := &slog.HandlerOptions{Level: level}
	switch {
	case l.format == "json", l.format == "auto" && !isTerminal(w):
		return slog.New(slog.NewJSONHandler(w, options)), nil
	case l.format == "text", l.format == "auto":
		return slog.New(slog.NewTextHandler(w, options)), nil
	}
	return nil, usagef(codeFlag, "--log-format must be text, json or auto, not %q", l.format)
}

func isTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}
