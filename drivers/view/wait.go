package view

import (
	"context"
	"time"
)

// Await looks at once and each time that every has passed, until look sees it or
// within is over.
func Await(ctx context.Context, within, every time.Duration, look func(context.Context) bool) bool {
	ctx, cancel := context.WithTimeout(ctx, within)
	defer cancel()
	for !look(ctx) {
		if !Sleep(ctx, every) {
			return false
		}
	}
	return true
}

// Sleep reports that d has passed before ctx ended.
func Sleep(ctx context.Context, d time.Duration) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return true
	case <-ctx.Done():
		return false
	}
}
