package daemon

import (
	"context"
	"crypto/rand"
	"encoding/binary"
	"fmt"

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

// beforeConnect counts the session up in the store before the connection is
// made, so that no two connections ever carry one number.
func (a *agent) beforeConnect(context.Context) (*shadow.Message, error) {
	v, err := a.kept(sessionKey)
	if err != nil {
		return nil, err
	}
	var n uint64
	if len(v) == 8 {
		n = binary.BigEndian.Uint64(v)
	}
	n++
	if err := a.keepValue(sessionKey, binary.BigEndian.AppendUint64(nil, n)); err != nil {
		return nil, err
	}
	a.session.Store(n)
	return &shadow.Message{
		Topic:   a.cloudConfig().Beside + "/" + shadow.BesidePresence,
		Payload: shadow.PresencePayload(false, a.gate.View().Shadow.Epoch, n, "lost"), QoS: 1, Retain: true,
	}, nil
}
