package opcua

import (
	"encoding/binary"
	"errors"
	"fmt"
	"reflect"
	"time"

	"github.com/gopcua/opcua/ua"
)

// errUnsound is a message that the library must not see.
var errUnsound = errors.New("a message that cannot be right")

// deepest bounds values within values.
const deepest = 16

// answers are the messages that a server may send us, by the number of their type.
func answers() map[uint32]reflect.Type {
	out := map[uint32]reflect.Type{}
	for _, v := range []any{
		&ua.OpenSecureChannelResponse{}, &ua.CloseSecureChannelResponse{}, &ua.CreateSessionResponse{}, &ua.ActivateSessionResponse{},
		&ua.CloseSessionResponse{}, &ua.ReadResponse{}, &ua.WriteResponse{}, &ua.CallResponse{}, &ua.CreateSubscriptionResponse{},
		&ua.CreateMonitoredItemsResponse{}, &ua.PublishResponse{}, &ua.ServiceFault{},
	} {
		out[uint32(ua.ServiceTypeID(v))] = reflect.TypeOf(v).Elem()
	}
	return out
}

// checker walks over the body of a message as its type lays it out, and takes nothing
// for granted: no length is believed that the rest of the message could not hold.
type checker struct {
	types map[uint32]reflect.Type
	b     []byte
	mask  bool // what the library should not open may be hidden from it
}

// body checks a message from its type on. It may change a type that is of no use to us
// into one that nobody knows.
func (c *checker) body(b []byte) error {
	c.b = b
	id, err := c.nodeID(true)
	if err != nil {
		return err
	}
	t, known := c.types[id]
	if !known {
		return fmt.Errorf("%w: type %d", errUnsound, id)
	}
	return c.value(t, 0)
}

func (c *checker) take(n int) ([]byte, error) {
	if n < 0 || n > len(c.b) {
		return nil, fmt.Errorf("%w: it ends too soon", errUnsound)
	}
	out := c.b[:n]
	c.b = c.b[n:]
	return out, nil
}

func (c *checker) skip(n int) error { _, err := c.take(n); return err }

func (c *checker) byte() (byte, error) {
	b, err := c.take(1)
	if err != nil {
		return 0, err
	}
	return b[0], nil
}

// count reads the length of a list or text, of which each element has some bytes. -1 is
// an empty one.
func (c *checker) count(each int) (int, error) {
	b, err := c.take(4)
	if err != nil {
		return 0, err
	}
	n := int(int32(binary.LittleEndian.Uint32(b)))
	if n < -1 || n > len(c.b)/each {
		return 0, fmt.Errorf("%w: %d elements in %d bytes", errUnsound, n, len(c.b))
	}
	return max(n, 0), nil
}

func (c *checker) text() error {
	n, err := c.count(1)
	if err != nil {
		return err
	}
	return c.skip(n)
}

// special checks the types that have a layout of their own; ok is false for others.
func (c *checker) special(t reflect.Type, depth int) (err error, ok bool) {
	switch t {
	case reflect.TypeFor[ua.Variant]():
		return c.variant(depth), true
	case reflect.TypeFor[ua.DataValue]():
		return c.dataValue(depth), true
	case reflect.TypeFor[ua.ExtensionObject]():
		return c.object(depth), true
	case reflect.TypeFor[ua.DiagnosticInfo]():
		return c.diagnostic(depth), true
	case reflect.TypeFor[ua.LocalizedText]():
		return c.localized(), true
	case reflect.TypeFor[ua.GUID]():
		return c.skip(16), true
	case reflect.TypeFor[time.Time]():
		return c.skip(8), true
	case reflect.TypeFor[ua.NodeID](), reflect.TypeFor[ua.ExpandedNodeID]():
		_, err := c.nodeID(t == reflect.TypeFor[ua.ExpandedNodeID]())
		return err, true
	}
	return nil, false
}

// value checks one value of a type.
func (c *checker) value(t reflect.Type, depth int) error {
	if depth > deepest {
		return fmt.Errorf("%w: nested too deep", errUnsound)
	}
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if err, ok := c.special(t, depth+1); ok {
		return err
	}
	switch t.Kind() {
	case reflect.Struct:
		for i := range t.NumField() {
			if err := c.value(t.Field(i).Type, depth+1); err != nil {
				return err
			}
		}
		return nil
	case reflect.Slice:
		return c.list(t.Elem(), depth+1)
	case reflect.String:
		return c.text()
	case reflect.Bool, reflect.Int8, reflect.Uint8, reflect.Int16, reflect.Uint16, reflect.Int32, reflect.Uint32,
		reflect.Int64, reflect.Uint64, reflect.Float32, reflect.Float64:
		return c.skip(int(t.Size()))
	}
	return fmt.Errorf("%w: a %s in it", errUnsound, t)
}

func (c *checker) list(of reflect.Type, depth int) error {
	n, err := c.count(1)
	for range n {
		if err == nil {
			err = c.value(of, depth)
		}
	}
	return err
}

// nodeID reads an id and gives its number; expanded ones may have more behind them.
func (c *checker) nodeID(expanded bool) (id uint32, err error) {
	mask, err := c.byte()
	if err != nil {
		return 0, err
	}
	size := map[byte]int{0: 1, 1: 3, 2: 6, 4: 18}[mask&0x0f]
	b := []byte{}
	switch {
	case size > 0:
		b, err = c.take(size)
	case mask&0x0f == 3 || mask&0x0f == 5:
		if err = c.skip(2); err == nil {
			err = c.text()
		}
	default:
		err = fmt.Errorf("%w: node id of kind %d", errUnsound, mask&0x0f)
	}
	if err == nil && expanded && mask&0x80 != 0 {
		err = c.text()
	}
	if err == nil && expanded && mask&0x40 != 0 {
		err = c.skip(4)
	}
	if err == nil && !expanded && mask&0xc0 != 0 {
		err = fmt.Errorf("%w: an expanded id in the place of a plain one", errUnsound)
	}
	return number(mask&0x0f, b), err
}

// number is a numeric id of namespace 0; 0 for any other.
func number(kind byte, b []byte) uint32 {
	switch {
	case kind == 0 && len(b) == 1:
		return uint32(b[0])
	case kind == 1 && len(b) == 3 && b[0] == 0:
		return uint32(binary.LittleEndian.Uint16(b[1:]))
	case kind == 2 && len(b) == 6 && b[0] == 0 && b[1] == 0:
		return binary.LittleEndian.Uint32(b[2:])
	}
	return 0
}
