package profiles

import "regexp"

// The forms that texts of a profile have. Reading one builds its schema anew, and
// compiling these was a fifth of that work.
var (
	idForm     = regexp.MustCompile(`^[a-z0-9][a-z0-9-]*/[a-z0-9][a-z0-9.-]*$`)
	nameForm   = regexp.MustCompile(`^[a-z][a-z0-9_]*$`)
	fromForm   = regexp.MustCompile(`^[a-z][a-z0-9_]*(\..+)?$`)
	termForm   = regexp.MustCompile(`^([^$]*)\$([a-z][a-z0-9_]*)(?::(text|int))?$`)
	baseForm   = regexp.MustCompile(`^(0|1|10001|30001|40001|100001|300001|400001)$`)
	valueForm  = regexp.MustCompile(`^(wire|to_wire|wire_bit|to_wire_bit|seconds|0|[1-9][0-9]{0,4}|0x[0-9a-fA-F]{1,4})$`)
	hexForm    = regexp.MustCompile(`^[0-9A-Fa-f]{2}( ?[0-9A-Fa-f]{2})*$`)
	bitsForm   = regexp.MustCompile(`^[0-9]{1,2}(-[0-9]{1,2})?$`)
	pathForm   = regexp.MustCompile(`^/[^?#\s]*$`)
	headerForm = regexp.MustCompile(`^[A-Za-z0-9-]+$`)
	typeForm   = regexp.MustCompile(`^[a-z0-9.+-]+/[a-z0-9.+*-]+$`)
)
