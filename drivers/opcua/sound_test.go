package opcua

import (
	"encoding/hex"
	"reflect"
	"testing"

	"github.com/gopcua/opcua/ua"
)

// Answers as the standard lays them out, written by hand: type, header (time, handle,
// result, no diagnostics, no texts, no object), then the body.
const head = "0000000000000000" + "01000000" + "00000000" + "00" + "ffffffff" + "000000"

func answerOf(t testing.TB, kind, body string) []byte {
	b, err := hex.DecodeString("01" + "00" + kind + head + body)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

const (
	readKind  = "7a02" // 634
	writeKind = "a402" // 676
)

// DR-11: lengths that the message cannot hold, and values within values, never reach
// the library: it would take the memory, or recurse, for as long as it is told to.
func TestSound(t *testing.T) {
	deep := ""
	for range 40 {
		deep += "18" // a variant in a variant
	}
	for name, c := range map[string]struct {
		kind, body string
		good       bool
	}{
		"one int16":                   {readKind, "01000000" + "01" + "04" + "0300" + "ffffffff", true},
		"a bad status, no value":      {readKind, "01000000" + "02" + "00003480" + "ffffffff", true},
		"a list of int32":             {readKind, "01000000" + "01" + "86" + "02000000" + "01000000" + "09000000" + "ffffffff", true},
		"a text":                      {readKind, "01000000" + "01" + "0c" + "02000000" + "4231" + "ffffffff", true},
		"one status":                  {writeKind, "01000000" + "00000000" + "ffffffff", true},
		"two thousand million values": {readKind, "ffffff7f" + "01" + "04" + "0300" + "ffffffff", false},
		"a list of minus two":         {readKind, "01000000" + "01" + "86" + "feffffff" + "ffffffff", false},
		"a long list in few bytes":    {readKind, "01000000" + "01" + "86" + "ffffff00" + "01000000" + "ffffffff", false},
		"many dimensions":             {readKind, "01000000" + "01" + "c6" + "01000000" + "01000000" + "ffffff7f" + "ffffffff", false},
		"dimensions that do not fit":  {readKind, "01000000" + "01" + "c6" + "02000000" + "01000000" + "09000000" + "02000000" + "02000000" + "02000000" + "ffffffff", false},
		"values within values":        {readKind, "01000000" + "01" + deep + "00" + "ffffffff", false},
		"a type that is none":         {readKind, "01000000" + "01" + "3f" + "0300" + "ffffffff", false},
		"half of it":                  {readKind, "01000000" + "01" + "04" + "03", false},
		"a message that is no answer": {"7902", "00000000", false}, // a read request
	} {
		b := answerOf(t, c.kind, c.body)
		k := checker{types: answers(), mask: true}
		if err := k.body(b); (err == nil) != c.good {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if !c.good {
			continue
		}
		if _, _, err := ua.DecodeService(b); err != nil {
			t.Errorf("%s: the library says %v", name, err)
		}
	}
}

// A structure that the library would open stays closed to it.
func TestSoundHides(t *testing.T) {
	// An argument of a method, type 298 in its binary form, with a list of 2^31 sizes.
	body := "01000000" + "01" + "16" + "01" + "00" + "2a01" + "01" + "04000000" + "ffffff7f" + "ffffffff"
	b := answerOf(t, readKind, body)
	k := checker{types: answers(), mask: true}
	if err := k.body(b); err != nil {
		t.Fatal(err)
	}
	_, v, err := ua.DecodeService(b)
	if err != nil {
		t.Fatal(err)
	}
	got := v.(*ua.ReadResponse).Results[0].Value.Value()
	if eo, ok := got.(*ua.ExtensionObject); !ok || eo.Value != nil {
		t.Errorf("%#v", got)
	}
	k = checker{types: answers()} // where a signature covers it nothing can be hidden
	if err := k.body(answerOf(t, readKind, body)); err == nil {
		t.Error("a signed structure passed")
	}
}

// What the checker lets pass the library takes apart, or refuses, without a panic.
func FuzzSound(f *testing.F) {
	for _, body := range []string{
		"01000000" + "01" + "04" + "0300" + "ffffffff",
		"02000000" + "0f" + "86" + "02000000" + "01000000" + "09000000" + "00000000" + "0000000000000000" + "0000000000000000" + "01" + "0c" + "02000000" + "4231" + "ffffffff",
		"01000000" + "01" + "c6" + "04000000" + "01000000" + "09000000" + "02000000" + "02000000" + "02000000" + "02000000" + "02000000" + "ffffffff",
		"01000000" + "01" + "16" + "01" + "00" + "2a01" + "01" + "04000000" + "ffffff7f" + "ffffffff",
	} {
		f.Add(answerOf(f, readKind, body))
	}
	for _, v := range []any{
		&ua.PublishResponse{
			ResponseHeader: &ua.ResponseHeader{ServiceDiagnostics: &ua.DiagnosticInfo{}, AdditionalHeader: ua.NewExtensionObject(nil)}, SubscriptionID: 1,
			NotificationMessage: &ua.NotificationMessage{NotificationData: []*ua.ExtensionObject{ua.NewExtensionObject(&ua.DataChangeNotification{
				MonitoredItems: []*ua.MonitoredItemNotification{{Value: &ua.DataValue{EncodingMask: 1, Value: ua.MustVariant(int16(3))}}},
			})}},
		},
		&ua.CreateSessionResponse{
			ResponseHeader: &ua.ResponseHeader{ServiceDiagnostics: &ua.DiagnosticInfo{}, AdditionalHeader: ua.NewExtensionObject(nil)},
			SessionID:      ua.NewNumericNodeID(1, 5), AuthenticationToken: ua.NewStringNodeID(1, "x"), ServerSignature: &ua.SignatureData{},
			ServerEndpoints: []*ua.EndpointDescription{{Server: &ua.ApplicationDescription{ApplicationName: ua.NewLocalizedText("x")}, UserIdentityTokens: []*ua.UserTokenPolicy{{PolicyID: "a"}}}},
		},
	} {
		b, err := ua.Encode(v)
		if err != nil {
			f.Fatal(err)
		}
		kind := ua.ServiceTypeID(v)
		f.Add(append([]byte{1, 0, byte(kind), byte(kind >> 8)}, b...))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		if len(b) > maxMessage {
			return
		}
		k := checker{types: answers(), mask: true}
		if k.body(b) != nil {
			return
		}
		if _, v, err := ua.DecodeService(b); err == nil && k.types[uint32(ua.ServiceTypeID(v))] != reflect.TypeOf(v).Elem() {
			t.Errorf("%T is no answer", v)
		}
	})
}
