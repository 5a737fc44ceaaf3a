package commission

import "hoistway/drivers/profiles"

// Hash names a profile with all that it extends, so that a record says by which it
// was made; "" for one with faults.
func Hash(name string, src []byte) string {
	p, _ := profiles.Parse(name, src)
	if p == nil {
		return ""
	}
	return p.Hash()
}
