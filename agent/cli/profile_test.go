package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// DR-7: a technician sees which profiles there are, what one means, and what is wrong
// with his own.
func TestProfileCommands(t *testing.T) {
	dir := t.TempDir()
	good := filepath.Join(dir, "good.yaml")
	bad := filepath.Join(dir, "bad.yaml")
	for path, text := range map[string]string{
		good: "id: site/lift\ntitle: Ours\nextends: bench/modbus-lift\nmaturity: bench\n",
		bad:  "id: site/bad\ntitle: Ours\nextends: bench/modbus-lift\npoints: {floor: {adress: 3}}\n",
	} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct {
		args string
		exit int
		says []string
	}{
		{"profile list --dir " + dir, 0, []string{"bench/modbus-lift", "site/lift", "Ours (" + good + ")", "site/bad", "1 fault", "PROTOCOL  MATURITY TITLE"}},
		{"profile list --json --dir /nowhere", 0, []string{`"id": "techwind/sdk-500"`, `"from": "bundled"`}},
		{"profile show techwind/sdk-500", 0, []string{"title: TechWind"}},
		{"profile show site/lift --resolved --dir " + dir, 0, []string{"# site/lift, resolved; sha256 ", "order: ABCD"}},
		{"profile check " + good, 0, []string{"site/lift, modbus, bench, 1 reads a cycle"}},
		{"profile check hpmont/hd3n-l", 0, []string{"draft: it is only read"}},
		{"profile check site/bad --dir " + dir, 1, []string{bad + ":4:18: points.floor.adress: unknown key"}},
		{"profile check bench/modbus-lfit", 1, []string{"there is no profile bench/modbus-lfit, did you mean `bench/modbus-lift`?"}},
		{"profile schema", 0, []string{`"$schema"`}},
	} {
		out, errs := new(strings.Builder), new(strings.Builder)
		exit := Main(strings.Fields(c.args), strings.NewReader(""), out, errs)
		if exit != c.exit {
			t.Errorf("%s: exit %d: %s%s", c.args, exit, out, errs)
		}
		for _, say := range c.says {
			if !strings.Contains(out.String()+errs.String(), say) {
				t.Errorf("%s does not say %q:\n%s%s", c.args, say, out, errs)
			}
		}
	}
}
