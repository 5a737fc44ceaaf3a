package commission

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"hoistway/drivers"
	"hoistway/drivers/modbus"
)

// Record polls a controller by its profile until ctx ends and keeps what passes.
func (w World) Record(ctx context.Context, t Target, lift string, to io.Writer) (kept, lost int, err error) {
	h := Head{Link: t.Link.Redacted(), Line: LineOf(t.Link), Lift: lift, Profile: t.Profile.ID, Hash: t.Profile.Hash(), Floors: t.Floors, Started: w.filled().Wall().UTC()}
	r, err := NewRecorder(to, h, 0)
	if err != nil {
		return 0, 0, err
	}
	s, err := w.Open(ctx, t, r.Note)
	if err != nil {
		_, _, _ = r.Close()
		return 0, 0, err
	}
	<-ctx.Done()
	err = s.Close()
	kept, lost, werr := r.Close()
	return kept, lost, errors.Join(err, werr)
}

// Overhear listens on a serial line until ctx ends and keeps what passes. Nothing
// is sent.
func (w World) Overhear(ctx context.Context, t Target, to io.Writer) (kept, lost int, err error) {
	if !isSerial(t.Link) {
		return 0, 0, fmt.Errorf("%w: only a serial line can be listened to; name a profile to read by", drivers.ErrNotCapable)
	}
	h := Head{Link: t.Link.Redacted(), Line: LineOf(t.Link), Started: w.filled().Wall().UTC()}
	r, err := NewRecorder(to, h, 0)
	if err != nil {
		return 0, 0, err
	}
	err = w.listenOn(ctx, t, r.Note)
	kept, lost, werr := r.Close()
	return kept, lost, errors.Join(err, werr)
}

func (w World) listenOn(ctx context.Context, t Target, note func(drivers.Frame)) error {
	mode, err := ModeOf(t.Link)
	if err != nil {
		return err
	}
	raw, err := w.rawSerial(t.Link.Path, mode, note)
	if err != nil {
		return err
	}
	for ctx.Err() == nil && err == nil {
		_, err = raw.Listen(ctx, time.Minute) // what comes is noted as it comes
	}
	if ctx.Err() != nil {
		err = nil
	}
	return errors.Join(err, raw.Close())
}

// rawSerial opens a serial line for questions with nothing between.
func (w World) rawSerial(path string, m drivers.SerialMode, note func(drivers.Frame)) (*modbus.Raw, error) {
	rw, err := w.filled().OpenSerial(path, m)
	if err != nil {
		return nil, fmt.Errorf("%w: open %s: %w", drivers.ErrLink, path, err)
	}
	return modbus.NewRaw(rw, true, w.env(note), path), nil
}
