package ops

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"testing"
)

func operator(name, key string) Operator {
	sum := sha256.Sum256([]byte(key))
	return Operator{Name: name, SHA256: hex.EncodeToString(sum[:])}
}

// SE-10: sessions end by themselves, renew up to twelve hours, and are revoked.
func TestSessions(t *testing.T) {
	s, err := NewSessions([]Operator{operator("anna", "key a"), operator("ben", "key b")})
	if err != nil {
		t.Fatal(err)
	}
	login := func(key, secret string, now int64) Session {
		t.Helper()
		got, err := s.Login(key, secret, now)
		if err != nil {
			t.Fatal(err)
		}
		return got
	}
	is := func(secret string, now int64, want error) {
		t.Helper()
		if _, err := s.Check(secret, now); !errors.Is(err, want) {
			t.Errorf("%s at %d: %v", secret, now, err)
		}
	}
	a := login("key a", "secret 1", 0)
	is("secret 1", 1799, nil)
	is("secret 1", 1800, ErrSession)
	is("secret 2", 0, ErrSession)
	is("key a", 0, ErrSession) // the key itself opens nothing but a session
	for now := int64(1700); now < 12*3600; now += 1700 {
		if _, err := s.Renew("secret 1", now); err != nil {
			t.Fatal(now, err)
		}
	}
	is("secret 1", 12*3600-1, nil)
	is("secret 1", 12*3600, ErrSession)
	if _, err := s.Renew("secret 1", 12*3600); !errors.Is(err, ErrSession) {
		t.Error("an ended one was renewed")
	}
	b, c, e := login("key a", "b", 50_000), login("key a", "c", 50_000), login("key b", "e", 50_000)
	if a.ID == b.ID || len(s.Live(50_000)) != 3 || e.Name != "ben" {
		t.Errorf("%+v", s.Live(50_000))
	}
	if err := s.Revoke(b.ID); err != nil {
		t.Fatal(err)
	}
	is("b", 50_001, ErrSession)
	is("c", 50_001, nil)
	if err := s.Revoke(c.Name); err != nil {
		t.Fatal(err)
	}
	is("c", 50_001, ErrSession)
	is("e", 50_001, nil)
	if err := s.Revoke("anna"); !errors.Is(err, ErrUnknown) {
		t.Errorf("again: %v", err)
	}
}

// SE-5: guessing is slowed down, also for who has the right key.
func TestGuessing(t *testing.T) {
	s, err := NewSessions([]Operator{operator("anna", "key a")})
	if err != nil {
		t.Fatal(err)
	}
	for i := range 5 {
		if _, err := s.Login(fmt.Sprint(i), "x", 60); !errors.Is(err, ErrKey) {
			t.Errorf("guess %d: %v", i, err)
		}
	}
	if _, err := s.Login("key a", "x", 119); !errors.Is(err, ErrTooOften) {
		t.Errorf("after five guesses: %v", err)
	}
	if _, err := s.Login("key a", "x", 120); err != nil {
		t.Errorf("a minute later: %v", err)
	}
	if _, err := NewSessions([]Operator{{Name: "anna", SHA256: "abc"}}); !errors.Is(err, ErrInvalid) {
		t.Errorf("a hash that is none: %v", err)
	}
}

// ST-5: so many acts of an operator on a path in a minute, and not one more; others are
// not held up.
func TestRate(t *testing.T) {
	var r Rate
	for i := range 120 {
		if wait := r.Take("anna", "/a", 100); wait != 0 {
			t.Fatalf("act %d has to wait %d s", i, wait)
		}
	}
	for _, c := range []struct {
		operator, path string
		now, want      int64
	}{{"anna", "/a", 130, 30}, {"anna", "/b", 130, 0}, {"ben", "/a", 130, 0}, {"anna", "/a", 160, 0}} {
		if wait := r.Take(c.operator, c.path, c.now); wait != c.want {
			t.Errorf("%+v: wait %d", c, wait)
		}
	}
}
