package config

import (
	"strings"
	"testing"
)

// SH-1: with the public service a lift must not have the name of the shadow that holds
// the static facts.
func TestFlavourAWS(t *testing.T) {
	amazon := strings.Replace(whole, "flavour: hoistway", "flavour: aws", 1)
	if c := parse(t, amazon); c.Cloud.Flavour != AWS {
		t.Errorf("%+v", c.Cloud)
	}
	named := strings.Replace(amazon, "id: L1", "id: static", 1)
	_, faults := Parse("c.yaml", []byte(named), nil)
	if got := strings.Join(texts(faults), "\n"); len(faults) != 1 || !strings.Contains(got, "3:9: lifts[0].id: with cloud.flavour aws") {
		t.Error(got)
	}
	if _, faults := Parse("c.yaml", []byte(strings.Replace(named, "flavour: aws", "flavour: hoistway", 1)), nil); len(faults) > 0 {
		t.Error(faults)
	}
}
