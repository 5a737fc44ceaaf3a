package daemon

import (
	"context"
	"crypto/rand"
	"encoding/binary"
	"fmt"
	"time"

	"hoistway/sync/shadow"
)

// What the uplink keeps in the store beside the session's own records.
const (
	uplinkBucket = "uplink"
	sessionKey   = "uplink:gateway:self:session"
	instanceKey  = "uplink:gateway:self:instance"
)

func (a *agent) kept(key string) ([]byte, error) {
	rows, err := a.store.Load(uplinkBucket)
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", key, err)
	}
	for _, r := range rows {
		if r.Key == key {
			return r.Value, nil
		}
	}
	return nil, nil
}

func (a *agent) keepValue(key string, value []byte) error {
	if err := a.store.Commit([]shadow.Record{{Bucket: uplinkBucket, Key: key, Value: value}}); err != nil {
		return fmt.Errorf("write %s: %w", key, err)
	}
	return nil
}

// loadInstance names this store once and for ever, so that the cloud can tell two
// devices that claim one serial from one device that comes back.
func (a *agent) loadInstance() error {
	v, err := a.kept(instanceKey)
	if err != nil {
		return err
	}
	if len(v) == 0 {
		v = []byte(rand.Text())
		if err := a.keepValue(instanceKey, v); err != nil {
			return err
		}
	}
	a.instance = string(v)
	return nil
}

// nextSession counts the session up in the store before the connection is made, so that
// no two connections ever carry one number. A disk that is full keeps nobody offline: then
// the wall clock in seconds stands in, which is above every count, and above itself at the
// next start.
func (a *agent) nextSession() uint64 {
	n := a.session.Load()
	v, err := a.kept(sessionKey)
	if len(v) == 8 {
		n = max(n, binary.BigEndian.Uint64(v))
	}
	n++
	if err == nil {
		err = a.keepValue(sessionKey, binary.BigEndian.AppendUint64(nil, n))
	}
	if err != nil {
		n = max(n, uint64(time.Now().Unix()))
		a.d.Log.Warn("the number of the connection to the cloud can not be stored; the clock stands in", "code", "E-4002", "error", err)
	}
	a.session.Store(n)
	return n
}

// beforeConnect makes the will of the connection to come.
func (a *agent) beforeConnect(context.Context) (*shadow.Message, error) {
	n := a.nextSession()
	return &shadow.Message{
		Topic:   a.cloudConfig().Beside + "/" + shadow.BesidePresence,
		Payload: shadow.PresencePayload(false, a.gate.View().Shadow.Epoch, n, "lost"), QoS: 1, Retain: true,
	}, nil
}
