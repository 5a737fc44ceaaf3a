package opcua

import (
	"net/url"
	"strings"
	"testing"
	"time"
)

func TestTarget(t *testing.T) {
	u, _ := url.Parse("opc.tcp://plc?base=ns=2;s=Lift1.&timeout=700ms")
	got, err := parseTarget(u)
	if err != nil || got.host != "plc:4840" || got.base != "ns=2;s=Lift1." || got.timeout != 700*time.Millisecond || got.endpoint != "opc.tcp://plc" {
		t.Errorf("%+v, %v", got, err)
	}
	for link, want := range map[string]string{
		"opc.tcp://?base=i=1":                                                   "no host",
		"opc.tcp://plc?bas=ns=2":                                                "bas: not known",
		"opc.tcp://plc?base=a&base=b":                                           "given twice",
		"opc.tcp://me:secret@plc":                                               "password_file",
		"opc.tcp://plc?security=sign":                                           "needs cert, key and trust",
		"opc.tcp://plc?security=off":                                            "none, sign or encrypt",
		"opc.tcp://plc?cert=a.pem":                                              "security=sign",
		"opc.tcp://plc?security=sign&cert=a&key=b&trust=c&policy=X":             "policy X",
		"opc.tcp://plc?user=me":                                                 "come together",
		"opc.tcp://plc?user=me&password_file=f":                                 "encrypted channel only",
		"opc.tcp://plc?timeout=5ms":                                             "50ms to 1m",
		"opc.tcp://plc?security=sign&cert=a&key=b&trust=c&policy=Basic128Rsa15": "policy Basic128Rsa15",
	} {
		u, err := url.Parse(link)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := parseTarget(u); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", link, err)
		}
	}
}
