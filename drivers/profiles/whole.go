package profiles

import "fmt"

// Whole is [Parse] for those who can do nothing about faults but tell them.
func Whole(name string, src []byte) (*Profile, error) {
	p, faults := Parse(name, src)
	if p == nil {
		return nil, fmt.Errorf("profile %s: %v", name, faults)
	}
	return p, nil
}
