package config

import "testing"

// CT-1: the words of a service are its driver's to judge; host and port are ours. A node
// id has a ; that stands as it is.
func TestServiceLinks(t *testing.T) {
	for _, in := range []string{"opc.tcp://plc?base=ns=2;s=Lift1.", "mqtt://10.0.0.7?building=b1&elevator=1", "mqtts://lci.example?robot=R%2D7"} {
		if l, ps := parseLink(in); len(ps) > 0 || l.url().String() != in {
			t.Errorf("%s: %s, %v", in, l.url(), ps)
		}
	}
	for _, in := range []string{"mqtt://", "mqtt://h:0", "opc.tcp://a@h", "mqtt://h?a=1&a=2", "opc.tcp://h?%zz"} {
		if _, ps := parseLink(in); len(ps) == 0 {
			t.Errorf("%s was taken", in)
		}
	}
}
