package commission

import (
	"fmt"
	"strings"
	"time"
)

// Markdown writes a record for people.
func (h Handover) Markdown(s Signature) string {
	var b strings.Builder
	fmt.Fprintf(&b, "# Commissioning record of lift %s\n\n", text(h.Lift))
	for _, row := range [][2]string{
		{"site", strings.Trim(h.Campus+", "+h.Building, ", ")},
		{"device", h.Device},
		{"link", h.Link},
		{"profile", h.Profile + " " + h.Hash},
		{"hoistway", h.Version},
		{"made", h.Made.UTC().Format(time.RFC3339)},
		{"by", h.By},
		{"floors", strings.Join(h.Floors, " ")},
		{"made from", strings.Join(h.Sources, ", ")},
	} {
		if row[1] != "" {
			fmt.Fprintf(&b, "- %s: %s\n", row[0], text(row[1]))
		}
	}
	h.points(&b)
	h.commands(&b)
	fmt.Fprintf(&b, "\n## Door holds\n\n%s\n", h.Holds.words())
	h.Pushes.words(&b)
	b.WriteString("\n## Not proven\n\n")
	if len(h.Open) == 0 {
		b.WriteString("Nothing is open.\n")
	}
	for _, o := range h.Open {
		fmt.Fprintf(&b, "- %s\n", text(o))
	}
	fmt.Fprintf(&b, "\nSigned with Ed25519 by key `%s`; the signature stands in the JSON beside this page.\n", s.PublicKey)
	return b.String()
}

func (h Handover) points(b *strings.Builder) {
	b.WriteString("\n## Points\n\n| point | seen changing | values | from | to |\n| --- | --- | --- | --- | --- |\n")
	for _, p := range h.Points {
		changed := "no"
		if p.Changed {
			changed = "yes"
		}
		fmt.Fprintf(b, "| %s | %s | %s | %s | %s |\n", p.Point, changed, text(strings.Join(p.Values, ", ")), stamp(p.First), stamp(p.Last))
	}
}

func (h Handover) commands(b *strings.Builder) {
	b.WriteString("\n## Commands\n\n")
	if len(h.Commands) == 0 {
		b.WriteString("None was carried out.\n")
		return
	}
	b.WriteString("| command | frames | outcome | seen | by | at |\n| --- | --- | --- | --- | --- | --- |\n")
	for _, c := range h.Commands {
		seen := c.Seen
		if seen == "" {
			seen = "nobody looked"
		}
		fmt.Fprintf(b, "| %s | %s | %s | %s | %s | %s |\n", text(c.Command), strings.Join(c.Frames, "<br>"), strings.TrimSpace(c.Outcome+" "+text(c.Code)), text(seen), text(c.By), stamp(c.At))
	}
}

func (h Holds) words() string {
	switch {
	case !h.Has:
		return "The profile holds no door."
	case h.DiesAfter != "":
		return fmt.Sprintf("The device ends a hold by itself after %s.", h.DiesAfter)
	case h.Accepted != "":
		return "The device does not end a hold by itself. The site accepts that: " + text(h.Accepted)
	}
	return "The device does not end a hold by itself, and no reason is given why that is accepted."
}

// words lists what the vendor has confirmed of its pushes.
func (p *Pushes) words(b *strings.Builder) {
	if p == nil {
		return
	}
	b.WriteString("\n## Pushed messages\n\nThe vendor has confirmed:\n\n")
	if len(p.Confirmed) == 0 {
		b.WriteString("- nothing\n")
	}
	for _, c := range p.Confirmed {
		fmt.Fprintf(b, "- %s\n", text(c))
	}
}

func stamp(t time.Time) string {
	if t.IsZero() {
		return "-"
	}
	return t.UTC().Format("2006-01-02 15:04:05")
}

// text keeps what comes from elsewhere from becoming a table's bar, a tag or a line.
func text(s string) string {
	return strings.NewReplacer("|", "\\|", "<", "&lt;", "\n", " ", "\r", " ", "`", "'").Replace(s)
}
