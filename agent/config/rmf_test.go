package config

import (
	"reflect"
	"strings"
	"testing"
)

// RB-2: whose sessions there are, and by which broker.
func TestRMFArrives(t *testing.T) {
	c := parse(t, whole+`rmf:
  broker: mqtts://broker.site
  prefix: site/rmf
  robots: [{session: "fleet/dr 1", robot: R1}, {session: R1, robot: R1}]
  ca_file: ca.pem
  cert_file: c.pem
  key_file: k.pem
  username: gw
  password_file: /run/secret
`)
	want := &RMF{
		Broker: "mqtts://broker.site:8883", Prefix: "site/rmf", Sessions: []Session{{"fleet/dr 1", "R1"}, {"R1", "R1"}},
		CAFile: "ca.pem", CertFile: "c.pem", KeyFile: "k.pem", Username: "gw", PasswordFile: "/run/secret",
	}
	if !reflect.DeepEqual(c.RMF, want) {
		t.Errorf("%+v", c.RMF)
	}
	if c := parse(t, whole+"rmf: {}\n"); c.RMF == nil || c.RMF.Broker != "" || c.RMF.Prefix != "rmf" {
		t.Errorf("%+v", c.RMF)
	}
	if c := parse(t, whole); c.RMF != nil {
		t.Errorf("%+v", c.RMF)
	}
}

// A robot never rides on the word of another.
func TestRMFSessionOfAnotherRobot(t *testing.T) {
	two := strings.Replace(whole, "robots: [", `robots: [{id: R2, token_sha256: "0000000000000000000000000000000000000000000000000000000000000009"}, `, 1)
	_, faults := Parse("c.yaml", []byte(two+"rmf: {robots: [{session: R2, robot: R1}]}\n"), nil)
	if got := strings.Join(texts(faults), "\n"); !strings.Contains(got, "rmf.robots[0].session: is the id of another robot") || len(faults) != 1 {
		t.Errorf("%s", got)
	}
}
