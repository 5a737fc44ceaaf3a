package commission

import (
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"hoistway/drivers"
	"hoistway/drivers/all"
	"hoistway/drivers/fieldbus"
	"hoistway/drivers/profiles"
)

// ErrSpec is of a link that cannot be used as it is written: nothing was opened.
var ErrSpec = errors.New("the link cannot be used")

// IsModbus reports a link whose questions need no profile, and whose frames this
// package can judge.
func IsModbus(u *url.URL) bool { return strings.HasPrefix(u.Scheme, "modbus+") }

// Schemes lists with what a link may begin, sorted.
func Schemes() []string {
	env := drivers.Env{}
	r, err := all.Builtin(fieldbus.NewLines(env), env)
	if err != nil {
		return nil // two drivers of one scheme, which a test of theirs finds
	}
	return r.Schemes()
}

// speaks says with what the link of a profile begins, by its protocol.
var speaks = map[string][]string{
	"modbus": {"modbus+tcp", "modbus+rtu", "modbus+rtu+tcp"},
	"frames": {"serial", "serial+tcp", "serial+udp"},
	"http":   {"http", "https"},
	"socket": {"ws", "wss"},
}

// suits asks that profile and link are of one protocol.
func suits(u *url.URL, p *profiles.Profile) error {
	may, known := speaks[p.Protocol]
	if !known || slices.Contains(may, u.Scheme) {
		return nil
	}
	return fmt.Errorf("%w: profile %s is of protocol %s, its link begins with %s://, not %s://",
		ErrSpec, p.ID, p.Protocol, strings.Join(may, ":// or "), u.Scheme)
}
