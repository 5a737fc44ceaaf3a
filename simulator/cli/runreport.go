package cli

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"hoistway/simulator/scenarios"
)

// tell prints one result as it comes, and keeps it.
func (r *runner) tell(c scenarios.CaseResult) {
	r.results = append(r.results, c)
	if r.f.asJSON {
		return
	}
	out := r.c.OutOrStdout()
	fmt.Fprintf(out, "%-7s %-34s %s\n", word(c), c.Name, c.Title)
	switch {
	case c.Skipped != "":
		fmt.Fprintf(out, "        %s\n", c.Skipped)
		return
	case c.Error != "":
		fmt.Fprintf(out, "        %s\n", c.Error)
	default:
		fmt.Fprintf(out, "        %s of the site in %s; %d demands, seed %d\n",
			c.Verdict.Lasted.Round(100*time.Millisecond), c.Time.Round(time.Millisecond), c.Verdict.Demands, c.Seed)
	}
	for _, f := range c.Verdict.Failures {
		fmt.Fprintf(out, "        %v\n", f)
	}
	for _, n := range c.Verdict.Notes {
		fmt.Fprintf(out, "        note: %s\n", n)
	}
	failed := !c.Verdict.Passed || c.Error != ""
	if failed {
		fmt.Fprintf(out, "        see it again: %s\n", c.Again)
	}
	if failed || r.f.transcript {
		fmt.Fprint(out, c.Transcript)
	}
}

func word(c scenarios.CaseResult) string {
	switch {
	case c.Skipped != "":
		return "SKIPPED"
	case c.Error != "":
		return "ERROR"
	case c.Verdict.Passed:
		return "PASS"
	}
	return "FAIL"
}

// finish writes the reports.
func (r *runner) finish() error {
	if r.f.junit != "" {
		if err := r.writeJUnit(); err != nil {
			return status{exitFinding, err}
		}
	}
	if r.f.asJSON {
		return writeJSON(r.c.OutOrStdout(), r.jsonResults())
	}
	return nil
}

func (r *runner) writeJUnit() error {
	to, err := os.Create(r.f.junit)
	if err != nil {
		return fmt.Errorf("JUnit report: %w", err)
	}
	return errors.Join(scenarios.JUnit(to, r.results), to.Close())
}

// judge sums up. Anything but passed and skipped is a finding.
func (r *runner) judge(asked int) error {
	count := map[string]int{}
	for _, c := range r.results {
		count[word(c)]++
	}
	text := fmt.Sprintf("%d of %d passed", count["PASS"], asked)
	if n := count["SKIPPED"]; n > 0 {
		text += fmt.Sprintf(", %d skipped", n)
	}
	if count["PASS"]+count["SKIPPED"] == asked {
		if r.many && !r.f.asJSON {
			fmt.Fprintln(r.c.OutOrStdout(), text)
		}
		return nil
	}
	return status{exitFinding, errors.New("E-8102: " + text)}
}

// jsonResult is one result for machines.
type jsonResult struct {
	Name     string   `json:"name"`
	Title    string   `json:"title"`
	File     string   `json:"file"`
	Seed     uint64   `json:"seed"`
	Result   string   `json:"result"`
	Why      string   `json:"why,omitempty"`
	Failures []string `json:"failures"`
	Notes    []string `json:"notes,omitempty"`
	SiteMS   int64    `json:"site_ms"`
	TookMS   int64    `json:"took_ms"`
	Again    string   `json:"again"`
}

func (r *runner) jsonResults() []jsonResult {
	out := []jsonResult{}
	for _, c := range r.results {
		j := jsonResult{
			Name: c.Name, Title: c.Title, File: c.File, Seed: c.Seed, Result: word(c), Why: c.Error + c.Skipped,
			Failures: []string{}, Notes: c.Verdict.Notes, SiteMS: c.Verdict.Lasted.Milliseconds(), TookMS: c.Time.Milliseconds(), Again: c.Again,
		}
		for _, f := range c.Verdict.Failures {
			j.Failures = append(j.Failures, f.Error())
		}
		out = append(out, j)
	}
	return out
}

func writeJSON(out io.Writer, v any) error {
	raw, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		return err
	}
	_, err = fmt.Fprintln(out, string(raw))
	return err
}
