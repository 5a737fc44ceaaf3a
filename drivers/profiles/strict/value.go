package strict

import "time"

// Value is one value of a file, or what stands in for one that is not there. No
// method of it fails: a value that is absent or did not fit reads as the schema's
// default or as zero.
type Value struct {
	schema *Schema
	place  place
	given  bool // it stands in the file
	ok     bool // it fits, or a default stands in for it

	key    string // its key, when it is an entry of a Map
	keyInt int64

	text  string
	num   int64 // Int, and Duration in ns
	float float64
	flag  bool
	items []*Value // of a List or Map, in the order of the file
	keys  map[string]*Value
}

type place struct {
	file      string
	line, col int
	path      string
}

func (p place) fault(msg, hint string) Fault {
	return Fault{File: p.file, Line: p.line, Col: p.col, Path: p.path, Msg: msg, Hint: hint}
}

// Given reports whether the value stands in the file.
func (v *Value) Given() bool { return v.given }

// OK reports whether there is a value to use: one that fits its schema, or a default.
func (v *Value) OK() bool { return v.ok }

// Text is the value of a Text, Name or Word.
func (v *Value) Text() string { return v.text }

// Int is the value of an Int.
func (v *Value) Int() int { return int(v.num) }

// Float is the value of a Float.
func (v *Value) Float() float64 { return v.float }

// Bool is the value of a Bool.
func (v *Value) Bool() bool { return v.flag }

// Duration is the value of a Duration.
func (v *Value) Duration() time.Duration { return time.Duration(v.num) }

// Items are the elements of a List, or the entries of a Map, as far as they
// stand in the file. Check OK of each.
func (v *Value) Items() []*Value { return v.items }

// Key is the key of an entry of a Map, as it is written.
func (v *Value) Key() string { return v.key }

// KeyInt is the key of an entry of a Map with Int keys.
func (v *Value) KeyInt() int { return int(v.keyInt) }

// Path is the place of the value within the file's structure.
func (v *Value) Path() string { return v.place.path }

// Line is where the value stands, from 1.
func (v *Value) Line() int { return v.place.line }

// Schema is what the value was read against.
func (v *Value) Schema() *Schema { return v.schema }

// Fault makes a fault at the place of the value; of an absent value, at the place
// of what should hold it.
func (v *Value) Fault(msg, hint string) Fault { return v.place.fault(msg, hint) }

// Get is the value of a key of an Object. It is never nil.
func (v *Value) Get(name string) *Value {
	if c, ok := v.keys[name]; ok {
		return c
	}
	at := v.place
	at.path = join(at.path, name)
	absent := &Value{place: at, schema: &Schema{}}
	if v.schema == nil {
		return absent
	}
	k := v.schema.key(name)
	if k == nil {
		return absent
	}
	absent.schema = &k.Schema
	if k.Default != "" {
		absent.ok = absent.scalar(plain(k.Default)) == nil
	}
	return absent
}

// Defaults is what an empty file reads as.
func Defaults(s *Schema) *Value { return &Value{schema: s} }

func join(path, key string) string {
	if path == "" {
		return key
	}
	return path + "." + key
}
