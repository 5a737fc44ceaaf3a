package scenarios

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"hoistway/fsm/elevator"
)

// Line is one line of a transcript: of the player, or of whoever else was there.
type Line struct {
	At   elevator.Instant // of the stage's clock
	Who  string           // one word: scenario, L1, R1, agent, cloud
	What string
	Bad  bool
}

// Transcript writes the lines under a title: the time in seconds with three digits
// behind the point, who, and what. The columns stay where they are whatever the
// lines say, so that two transcripts can be compared line by line.
func Transcript(title string, lines []Line) string {
	var b strings.Builder
	fmt.Fprintf(&b, "# %s\n", oneLine(title))
	for _, l := range lines {
		mark := " "
		if l.Bad {
			mark = "!"
		}
		who := oneLine(l.Who)
		if pad := whoWide - utf8.RuneCountInString(who); pad > 0 {
			who += strings.Repeat(" ", pad)
		}
		ms := int64(l.At) / 1e6
		fmt.Fprintf(&b, "%9d.%03d %s %s %s\n", ms/1000, ms%1000, mark, who, oneLine(l.What))
	}
	return b.String()
}

const whoWide = 8

// oneLine keeps what others say from breaking the columns.
func oneLine(s string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f || r == 0x2028 || r == 0x2029 {
			return ' '
		}
		return r
	}, strings.ToValidUTF8(s, "\ufffd"))
}
