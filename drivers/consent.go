package drivers

import (
	"context"
	"fmt"
)

type consentKey struct{}

// AskFirst gives a context whose raw write has may asked once more at the last moment:
// in its turn on the line, with only its own bytes still to come. may is called from
// the goroutine that sends, and must not block.
func AskFirst(ctx context.Context, may func() error) context.Context {
	return context.WithValue(ctx, consentKey{}, may)
}

// Consent is what whoever sends a raw write calls in its turn, while the commands of
// rides wait behind it. An error wraps ErrNotSent: not a byte of the write may leave.
func Consent(ctx context.Context) error {
	may, ok := ctx.Value(consentKey{}).(func() error)
	if !ok {
		return nil
	}
	if err := may(); err != nil {
		return fmt.Errorf("%w: %w", ErrNotSent, err)
	}
	return nil
}
