package commission

import (
	"bytes"
	"crypto/ed25519"
	"crypto/rand"
	"crypto/x509"
	"encoding/hex"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// Signed is a record with its signature, as it lies in a file. What is signed is
// the record's JSON without the blanks between its parts.
type Signed struct {
	Record    json.RawMessage `json:"record"`
	Signature Signature       `json:"signature"`
}

// Signature names the key by itself: whom it belongs to is agreed elsewhere.
type Signature struct {
	Algorithm string `json:"algorithm"` // ed25519
	PublicKey string `json:"public_key"`
	Value     string `json:"value"`
}

// ErrSignature is of a record that was changed, or signed by somebody else.
var ErrSignature = errors.New("the signature does not fit")

const keyKind = "PRIVATE KEY"

// Key reads a technician's key, and makes one where there is none yet.
func Key(path string) (ed25519.PrivateKey, error) {
	raw, err := readBounded(path, 1<<14)
	if errors.Is(err, fs.ErrNotExist) {
		return newKey(path)
	}
	if err != nil {
		return nil, fmt.Errorf("signing key: %w", err)
	}
	block, _ := pem.Decode(raw)
	if block == nil || block.Type != keyKind {
		return nil, fmt.Errorf("signing key: %s holds no key", path)
	}
	parsed, err := x509.ParsePKCS8PrivateKey(block.Bytes)
	key, ok := parsed.(ed25519.PrivateKey)
	if err != nil || !ok {
		return nil, fmt.Errorf("signing key: %s is no Ed25519 key", path)
	}
	return key, nil
}

func newKey(path string) (ed25519.PrivateKey, error) {
	_, key, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		return nil, fmt.Errorf("signing key: %w", err)
	}
	der, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		return nil, fmt.Errorf("signing key: %w", err)
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o750); err != nil {
		return nil, fmt.Errorf("signing key: %w", err)
	}
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return nil, fmt.Errorf("signing key: %w", err)
	}
	if err := errors.Join(pem.Encode(f, &pem.Block{Type: keyKind, Bytes: der}), f.Sync(), f.Close()); err != nil {
		return nil, fmt.Errorf("signing key: %w", err)
	}
	return key, nil
}

// Sign signs a record.
func Sign(record any, key ed25519.PrivateKey) (Signed, error) {
	raw, err := json.Marshal(record)
	if err != nil {
		return Signed{}, fmt.Errorf("sign the record: %w", err)
	}
	pub, _ := key.Public().(ed25519.PublicKey)
	return Signed{Record: raw, Signature: Signature{
		Algorithm: "ed25519", PublicKey: hex.EncodeToString(pub), Value: hex.EncodeToString(ed25519.Sign(key, raw)),
	}}, nil
}

// Verify reads a signed record and proves its signature; with a public key (hex)
// also whose it is. The error wraps ErrSignature where it does not fit.
func Verify(src []byte, publicKey string) (Handover, Signature, error) {
	var s Signed
	var h Handover
	if err := json.Unmarshal(src, &s); err != nil {
		return h, s.Signature, fmt.Errorf("no signed record: %w", err)
	}
	var flat bytes.Buffer
	if err := json.Compact(&flat, s.Record); err != nil {
		return h, s.Signature, fmt.Errorf("no signed record: %w", err)
	}
	pub, err1 := hex.DecodeString(s.Signature.PublicKey)
	value, err2 := hex.DecodeString(s.Signature.Value)
	if err1 != nil || err2 != nil || s.Signature.Algorithm != "ed25519" || len(pub) != ed25519.PublicKeySize {
		return h, s.Signature, fmt.Errorf("%w: it is not one of ours", ErrSignature)
	}
	if publicKey != "" && publicKey != s.Signature.PublicKey {
		return h, s.Signature, fmt.Errorf("%w: it is by the key %s", ErrSignature, s.Signature.PublicKey)
	}
	if !ed25519.Verify(pub, flat.Bytes(), value) {
		return h, s.Signature, fmt.Errorf("%w: the record was changed", ErrSignature)
	}
	err := json.Unmarshal(s.Record, &h)
	if err == nil && h.Form != 1 {
		err = errors.New("a record of a form that is not known here")
	}
	return h, s.Signature, err
}
