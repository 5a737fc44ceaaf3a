package cli

import (
	"os"
	"regexp"
	"strings"
	"testing"
)

// runs is one command as a shell would show it: what it printed, and how it ended.
func runs(line string) (said string, exit int) {
	var out strings.Builder
	exit = Main(shellWords(strings.TrimPrefix(line, "hoistway ")), strings.NewReader(""), &out, &out)
	return out.String(), exit
}

// The page that adapts a vendor is typed as it stands, and each answer on it is what the
// program says. DR-7
func TestTheTutorialAsItIsTyped(t *testing.T) {
	page, err := os.ReadFile("../../drivers/profiles/README.md")
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(t.TempDir())
	typed := 0
	for _, b := range regexp.MustCompile("(?s)```(yaml|text) ?(\\S*)\n(.*?)```").FindAllStringSubmatch(string(page), -1) {
		line, want, _ := strings.Cut(b[3], "\n")
		switch {
		case b[1] == "yaml" && b[2] != "":
			if err := os.WriteFile(b[2], []byte(b[3]), 0o600); err != nil {
				t.Fatal(err)
			}
			if b[2] != "slips.yaml" {
				_ = os.Remove("slips.yaml") // the first version of the same profile
			}
		case strings.HasPrefix(line, "$ "):
			typed++
			if said, _ := runs(strings.TrimPrefix(line, "$ ")); said != want {
				t.Errorf("%s\nsays\n%sthe page\n%s", line, said, want)
			}
		}
	}
	if typed < 3 {
		t.Errorf("%d commands found on the page", typed)
	}
	for line, want := range map[string]string{
		"hoistway profile list --dir .":                                   "acme/lc-20-site-b            modbus    bench    Acme LC-20 at site B (site-b.yaml)",
		"hoistway profile show acme/lc-20-site-b --resolved --dir .":      "address: 40005",
		"hoistway profile check ./site-b.yaml --dir /nowhere":             "there is no profile acme/lc-20",
		"hoistway try modbus+tcp://127.0.0.1:1 lc-20":                     "did you mean the file lc-20.yaml?",
		"hoistway try serial+tcp://127.0.0.1:1 ./lc-20.yaml":              "E-1111: the link cannot be used: profile acme/lc-20 is of protocol modbus",
		"hoistway profile test hpmont/hd3n-l --against serial:///dev/no1": "E-1111",
	} {
		if said, _ := runs(line); !strings.Contains(said, want) {
			t.Errorf("%s\ndoes not say %q:\n%s", line, want, said)
		}
	}
}

// A file with the id of a bundled profile goes before it, in lists and in a configuration.
// DR-7
func TestASitesFileGoesBeforeTheBundledOne(t *testing.T) {
	t.Chdir(t.TempDir())
	for name, text := range map[string]string{
		"mine.yaml": "id: bench/modbus-lift\ntitle: Ours\nextends: bench/modbus-lift\nmaturity: bench\nremove: [points.mode]\n",
		"hoistway.conf": `device: {serial: GW-1, kind: lift-gateway, site: {campus: R, building: A}}
profiles: {dir: .}
lifts: [{id: L1, profile: bench/modbus-lift, link: "modbus+tcp://127.0.0.1:1?unit=1", floors: [{label: G, wire: 1, doors: [front]}, {label: "1", wire: 2, doors: [front]}]}]
store: {dir: store}
`,
	} {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for line, want := range map[string]string{
		"hoistway profile list --dir .":   "bench/modbus-lift            modbus    bench    Ours (mine.yaml)",
		"hoistway check -c hoistway.conf": "L1 never permits anything: its profile does not tell the mode",
	} {
		if said, _ := runs(line); !strings.Contains(said, want) {
			t.Errorf("%s\ndoes not say %q:\n%s", line, want, said)
		}
	}
}

// Who gives a port or an address, or a link of no driver, is told what a link is. DR-1
func TestAlmostALink(t *testing.T) {
	for line, want := range map[string]string{
		"probe /dev/ttyUSB0":                   "modbus+rtu:///dev/ttyUSB0?baud=9600&unit=1",
		"try 10.0.0.5:502 bench/modbus-lift":   "modbus+tcp://10.0.0.5:502?unit=1",
		"doctor 10.0.0.5":                      "modbus+tcp://10.0.0.5?unit=1",
		"doctor telnet://10.0.0.5":             "there are no links of telnet://",
		"probe serial+tcp://10.0.0.5:1":        "is tried by its profile",
		"doctor L9":                            "no configuration tells the link of lift \"L9\"",
		"read serial+tcp://127.0.0.1:1 status": "name one with --profile",
	} {
		if said, exit := runs(line); exit != exitUsage || !strings.Contains(said, "E-1111") || !strings.Contains(said, want) {
			t.Errorf("%s: exit %d, not %q:\n%s", line, exit, want, said)
		}
	}
}
