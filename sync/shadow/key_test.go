package shadow

import (
	"strings"
	"testing"
)

// ST-6
func TestKeys(t *testing.T) {
	long := "a:b:" + strings.Repeat("i", MaxKey-6) + ":f"
	for key, ok := range map[string]bool{
		"shadow:doc:l1:desired": true, "shadow:ack:l1:retry/max_count": true, "out:event:0000012:body": true, long: true,
		"": false, "a:b:c": false, "a:b:c:d:e": false, "a::c:d": false, "a:b:c:": false, ":b:c:d": false,
		"a:b:L1:d": false, "a:b:c d:e": false, "a:b:c\n:e": false, "a:b:ü:e": false, "a:b:\x00:e": false, long + "x": false,
	} {
		if err := (Record{Key: key}).Check(); (err == nil) != ok {
			t.Errorf("%q: %v, want ok=%v", key, err, ok)
		}
	}
}
