package shadow

import (
	"errors"
	"testing"
)

type body struct {
	value []byte
	err   error
}

func (b body) Bytes() ([]byte, error) { return b.value, b.err }

// ST-3: what a record stores, and that a body which comes to nothing is never taken
// for a removal.
func TestRecordBytes(t *testing.T) {
	lost := errors.New("no number")
	for name, c := range map[string]struct {
		rec     Record
		want    string
		bad     bool
		deletes bool
	}{
		"value":         {rec: Record{Value: []byte("v")}, want: "v"},
		"empty value":   {rec: Record{Value: []byte{}}},
		"neither":       {deletes: true},
		"body":          {rec: Record{Body: body{value: []byte("b")}}, want: "b"},
		"bad body":      {rec: Record{Body: body{err: lost}}, bad: true},
		"nothing in it": {rec: Record{Body: body{}}, bad: true},
	} {
		c.rec.Bucket, c.rec.Key = "b", "k"
		got, err := c.rec.Bytes()
		var bad *BadRecord
		if string(got) != c.want || (err != nil) != c.bad || c.rec.Deletes() != c.deletes || (got == nil) != (c.deletes || c.bad) {
			t.Errorf("%s: %q, %v, deletes %v", name, got, err, c.rec.Deletes())
		}
		if c.bad && (!errors.As(err, &bad) || bad.Bucket != "b" || bad.Key != "k") {
			t.Errorf("%s: %v does not name the record", name, err)
		}
	}
	if _, err := (Record{Body: body{err: lost}}).Bytes(); !errors.Is(err, lost) {
		t.Errorf("%v does not say why", err)
	}
}
