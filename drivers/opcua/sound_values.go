package opcua

import (
	"encoding/binary"
	"fmt"
	"reflect"

	"github.com/gopcua/opcua/ua"
)

// scalars are the sizes of the plain built-in types by their number; 0 is none such.
var scalars = [26]int{1: 1, 2: 1, 3: 1, 4: 2, 5: 2, 6: 4, 7: 4, 8: 8, 9: 8, 10: 4, 11: 8, 13: 8, 14: 16, 19: 4}

var inVariant = map[byte]reflect.Type{
	17: reflect.TypeFor[ua.NodeID](), 18: reflect.TypeFor[ua.ExpandedNodeID](), 20: reflect.TypeFor[ua.QualifiedName](),
	21: reflect.TypeFor[ua.LocalizedText](), 22: reflect.TypeFor[ua.ExtensionObject](), 23: reflect.TypeFor[ua.DataValue](),
	24: reflect.TypeFor[ua.Variant](), 25: reflect.TypeFor[ua.DiagnosticInfo](),
}

// variant checks a value that carries its own type.
func (c *checker) variant(depth int) error {
	mask, err := c.byte()
	kind := mask & 0x3f
	if err != nil || kind == 0 {
		return err
	}
	if int(kind) >= len(scalars) {
		return fmt.Errorf("%w: a value of type %d", errUnsound, kind)
	}
	if mask&0x80 == 0 {
		return c.builtIn(kind, depth)
	}
	n, err := c.count(max(1, scalars[kind]))
	for range n {
		if err == nil {
			err = c.builtIn(kind, depth)
		}
	}
	if err == nil && mask&0x40 != 0 {
		err = c.dimensions(n)
	}
	return err
}

func (c *checker) builtIn(kind byte, depth int) error {
	switch {
	case scalars[kind] > 0:
		return c.skip(scalars[kind])
	case kind == 12 || kind == 15 || kind == 16:
		return c.text()
	}
	return c.value(inVariant[kind], depth)
}

// dimensions must multiply to the number of elements.
func (c *checker) dimensions(n int) error {
	const most = 8
	d, err := c.count(4)
	if err != nil {
		return err
	}
	product := 1
	for range d {
		b, err := c.take(4)
		if err != nil {
			return err
		}
		product *= int(int32(binary.LittleEndian.Uint32(b)))
		if d > most || product < 1 || product > n {
			return fmt.Errorf("%w: dimensions of %d elements", errUnsound, n)
		}
	}
	if d > 0 && product != n {
		return fmt.Errorf("%w: dimensions of %d elements", errUnsound, n)
	}
	return nil
}

func (c *checker) dataValue(depth int) error {
	mask, err := c.byte()
	if err == nil && mask&ua.DataValueValue != 0 {
		err = c.variant(depth + 1)
	}
	for _, part := range []struct {
		bit  byte
		size int
	}{
		{ua.DataValueStatusCode, 4},
		{ua.DataValueSourceTimestamp, 8},
		{ua.DataValueSourcePicoseconds, 2},
		{ua.DataValueServerTimestamp, 8},
		{ua.DataValueServerPicoseconds, 2},
	} {
		if err == nil && mask&part.bit != 0 {
			err = c.skip(part.size)
		}
	}
	return err
}

// object checks a structure. Those that we have no use for stay closed: the library
// would open any that it knows.
func (c *checker) object(depth int) error {
	head := c.b
	id, err := c.nodeID(true)
	if err != nil {
		return err
	}
	mask, err := c.byte()
	if err != nil || mask == 0 {
		return err
	}
	n, err := c.count(1)
	if err != nil {
		return err
	}
	inner, err := c.take(n)
	if err != nil || n == 0 {
		return err
	}
	if t := useful(id); t != nil && mask == 1 {
		in := checker{types: c.types, b: inner, mask: c.mask}
		return in.value(t, depth)
	}
	if !c.mask || mask != 1 {
		return fmt.Errorf("%w: a structure of type %d", errUnsound, id)
	}
	return hide(head)
}

// useful are the structures that tell of subscriptions.
func useful(id uint32) reflect.Type {
	switch id {
	case 811:
		return reflect.TypeFor[ua.DataChangeNotification]()
	case 820:
		return reflect.TypeFor[ua.StatusChangeNotification]()
	}
	return nil
}

// hide turns the type of a structure into one of a namespace that nobody has.
func hide(head []byte) error {
	switch head[0] {
	case 1:
		head[1] = 0xff
	case 2, 3, 4, 5:
		head[1], head[2] = 0xff, 0xff
	default:
		return fmt.Errorf("%w: a structure that cannot be left closed", errUnsound)
	}
	return nil
}

func (c *checker) diagnostic(depth int) error {
	mask, err := c.byte()
	for range 4 {
		if err == nil && mask&1 != 0 {
			err = c.skip(4)
		}
		mask >>= 1
	}
	if err == nil && mask&1 != 0 {
		err = c.text()
	}
	if err == nil && mask&2 != 0 {
		err = c.skip(4)
	}
	if err == nil && mask&4 != 0 {
		err = c.value(reflect.TypeFor[ua.DiagnosticInfo](), depth)
	}
	return err
}

func (c *checker) localized() error {
	mask, err := c.byte()
	if err == nil && mask&ua.LocalizedTextLocale != 0 {
		err = c.text()
	}
	if err == nil && mask&ua.LocalizedTextText != 0 {
		err = c.text()
	}
	return err
}
