package cli

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"hoistway/simulator/faults"
	"hoistway/simulator/scenarios"
)

// runFlags are the switches of run.
type runFlags struct {
	library    bool
	list       bool
	real       bool
	transcript bool
	asJSON     bool
	page       bool
	seed       uint64
	seeded     bool
	junit      string
	record     string
	listen     string
}

func newRun() *cobra.Command {
	f := runFlags{}
	c := &cobra.Command{
		Use:   "run FILE…",
		Short: "play scenarios: in virtual time, or with the real agent",
		Long: "Plays scenario files and says of each whether all that it demands has come true. FILE is a file,\n" +
			"or the name of a scenario that ships with the program (--list).\n\n" +
			"Usually everything is virtual: building, lines, agent, robots and cloud are the shipped laws on one\n" +
			"clock, a minute takes about a tenth of a second, and the same seed gives the same bytes. With --real\n" +
			"the shipped agent runs before the building on sockets, a pseudo terminal and a broker of this machine,\n" +
			"in real time, minutes for most scenarios; its goroutines have no seed, so only verdicts are compared.\n\n" +
			"Nothing is played unless every file is without a slip of the pen. Exit status: 0 all passed, 1 one\n" +
			"did not, 2 nothing was played.",
		Example: "  hoistway-sim run --list\n" +
			"  hoistway-sim run plain-ride --transcript\n" +
			"  hoistway-sim run my.txt --record my.jsonl --page\n" +
			"  hoistway-sim run --library --junit report.xml\n" +
			"  hoistway-sim run plain-ride --real",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 && !f.library && !f.list {
				return errors.New("run takes scenario files or names; --list shows those that ship with the program")
			}
			return nil
		},
		RunE: func(c *cobra.Command, args []string) error {
			f.seeded = c.Flags().Changed("seed")
			if f.list {
				return listLibrary(c, f)
			}
			if err := f.check(len(args) == 1 && !f.library); err != nil {
				return err
			}
			return runScenarios(c, f, args)
		},
	}
	fl := c.Flags()
	fl.BoolVar(&f.library, "library", false, "play every scenario that ships with the program")
	fl.BoolVar(&f.list, "list", false, "list the scenarios that ship with the program, and end")
	fl.BoolVar(&f.real, "real", false, "with the real agent, on sockets, in real time")
	fl.BoolVar(&f.transcript, "transcript", false, "print what happened, line by line; of a failed scenario it is printed anyway")
	fl.BoolVar(&f.asJSON, "json", false, "print the results as JSON")
	fl.Uint64Var(&f.seed, "seed", 0, "another seed than the scenario's own")
	fl.StringVar(&f.junit, "junit", "", "write a JUnit report to this file")
	fl.StringVar(&f.record, "record", "", "keep the run as a recording in this file; of several scenarios, in this folder")
	fl.BoolVar(&f.page, "page", false, "afterwards serve the page that replays the runs, until stopped")
	fl.StringVar(&f.listen, "listen", "127.0.0.1:0", "loopback address of that page")
	seedOf(c, &f.seed)
	return c
}

// check finds reports and recordings that could not be written, before an hour is played.
// The folder for recordings of several is made.
func (f runFlags) check(one bool) error {
	files := []string{f.junit}
	if one && !strings.HasSuffix(f.record, string(os.PathSeparator)) {
		files = append(files, f.record)
	}
	for _, file := range files {
		if dir, err := os.Stat(filepath.Dir(file)); err != nil || !dir.IsDir() {
			return fmt.Errorf("%s cannot be written: there is no folder %s", file, filepath.Dir(file))
		}
	}
	return nil
}

// story is one scenario to play, and how its user named it.
type story struct {
	name   string // for files and reports
	given  string // the argument
	script *scenarios.Script
}

// stories reads all that was asked for. Every fault of every file is told.
func stories(f runFlags, args []string) ([]story, error) {
	if f.library {
		for _, l := range scenarios.Library() {
			args = append(args, l.Name)
		}
	}
	var all []story
	var errs []error
	for _, a := range args {
		name, src, err := source(a)
		if err != nil {
			errs = append(errs, err)
			continue
		}
		script, wrong := scenarios.Parse(name, src)
		for _, w := range wrong {
			errs = append(errs, w)
		}
		if len(wrong) > 0 {
			continue
		}
		if f.seeded {
			script.Seed = f.seed
		}
		all = append(all, story{name: unlike(all, strings.TrimSuffix(filepath.Base(name), ".txt")), given: a, script: script})
	}
	return all, errors.Join(errs...)
}

// unlike is a name that no story has yet: reports and recordings go by it, and files
// of two folders may bear the same.
func unlike(all []story, name string) string {
	free := name
	for n := 2; slices.ContainsFunc(all, func(s story) bool { return s.name == free }); n++ {
		free = fmt.Sprintf("%s-%d", name, n)
	}
	return free
}

// source finds a file first, then a scenario of the library.
func source(arg string) (name string, src []byte, err error) {
	src, err = os.ReadFile(arg)
	if err == nil {
		return arg, src, nil
	}
	if errors.Is(err, syscall.EISDIR) {
		return "", nil, fmt.Errorf("%s: a folder; run takes files (%s)", arg, filepath.Join(arg, "*.txt"))
	}
	if l, ok := scenarios.Find(strings.TrimSuffix(arg, ".txt")); ok && !strings.ContainsRune(arg, os.PathSeparator) {
		return l.Name + ".txt", l.Source, nil
	}
	if errors.Is(err, os.ErrNotExist) {
		return "", nil, fmt.Errorf("%s: no such file, and no scenario of that name ships with the program (%s)", arg, alike(arg))
	}
	return "", nil, err
}

// alike names the scenario that was most likely meant, or says where all are listed.
func alike(name string) string {
	var names []string
	for _, l := range scenarios.Library() {
		names = append(names, l.Name)
	}
	return cmp.Or(faults.DidYouMean(strings.TrimSuffix(name, ".txt"), names), "hoistway-sim run --list")
}

func listLibrary(c *cobra.Command, f runFlags) error {
	type entry struct {
		Name   string   `json:"name"`
		Title  string   `json:"title"`
		Proves []string `json:"proves"`
		Faults []string `json:"faults"`
		Real   bool     `json:"real"` // can be played with the real agent
	}
	var list []entry
	for _, l := range scenarios.Library() {
		s, wrong := scenarios.Parse(l.Name, l.Source)
		if len(wrong) > 0 {
			return wrong[0]
		}
		list = append(list, entry{l.Name, s.Title, s.Proves, s.Faults(), s.OnlyVirtual == ""})
	}
	if f.asJSON {
		return writeJSON(c.OutOrStdout(), list)
	}
	for _, e := range list {
		fmt.Fprintf(c.OutOrStdout(), "%-34s %s\n", e.Name, e.Title)
	}
	return nil
}
