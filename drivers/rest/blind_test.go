package rest

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"hoistway/drivers"
)

// DR-7: a draft that tells nothing of a car is opened and read all the same.
func TestNothingToRead(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		now, v := clock(), newVendor()
		s := linkSpec(t, "http://lifts.example/api", "testdata/plain.yaml")
		s.Profile = []byte(`id: test/mute
title: tells nothing
maturity: draft
protocol: http
ride: {style: car-only, confirm: ack}
http:
  requests:
    press: {path: /press, json: '{"floor": "$floor"}', ok: {where: {taken: ["true"]}}}
points: {}
commands:
  car_call: {send: [{message: press, with: {floor: $wire}}]}
`)
		l, err := opener(t, drivers.Env{Now: now, Dial: v.dial}, s).Open(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Minute)
		if _, err := l.Read(t.Context()); err == nil {
			t.Error("read what nobody tells")
		}
		if err := l.Close(); err != nil {
			t.Error(err)
		}
	})
}
