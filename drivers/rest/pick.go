package rest

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/itchyny/gojq"

	"hoistway/drivers/profiles"
)

// jqLimit bounds one expression over one answer.
const jqLimit = 50 * time.Millisecond

// picker takes values out of a document by the places of a profile. The jq expressions
// among them were checked on their syntax tree when the profile was read.
type picker struct {
	service *profiles.Service
	site    map[string]string
	codes   map[string]*gojq.Code
	values  []any // of the site's words, in the order of their names
}

func newPicker(s *profiles.Service, site map[string]string) (picker, error) {
	p := picker{service: s, site: site, codes: map[string]*gojq.Code{}}
	var names []string
	for _, n := range slices.Sorted(maps.Keys(site)) {
		names, p.values = append(names, "$"+n), append(p.values, site[n])
	}
	for _, place := range s.Queries() {
		q, err := gojq.Parse(strings.TrimPrefix(place, "jq:"))
		if err == nil {
			p.codes[place], err = gojq.Compile(q, gojq.WithVariables(names))
		}
		if err != nil {
			return p, fmt.Errorf("%s: %w", place, err)
		}
	}
	return p, nil
}

// pick gives the value at a place. An expression that fails, gives nothing, or gives
// two values has none.
func (p picker) pick(ctx context.Context, doc any, place string) (out profiles.Raw) {
	code := p.codes[place]
	if code == nil {
		return p.service.Pick(doc, place, p.site)
	}
	// The interpreter is not ours; an answer must not end the program by a fault of it.
	defer func() {
		if recover() != nil {
			out = profiles.Raw{}
		}
	}()
	ctx, cancel := context.WithTimeout(ctx, jqLimit)
	defer cancel()
	iter := code.RunWithContext(ctx, doc, p.values...)
	v, ok := iter.Next()
	if _, failed := v.(error); !ok || failed {
		return profiles.Raw{}
	}
	if _, second := iter.Next(); second {
		return profiles.Raw{}
	}
	return profiles.RawOf(v)
}
