package profiles

import (
	"bytes"
	"crypto/aes"
	"crypto/cipher"
	"crypto/hmac"
	"crypto/md5"
	"crypto/sha1"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"slices"
	"strings"
)

// Signature is how a vendor signs a message. Which digest that is, is the vendor's
// choice and not ours: MD5 among them proves little.
type Signature struct {
	By      string // md5, sha1, sha256, hmac_md5, hmac_sha1, hmac_sha256
	As      string // hex, hex_upper, base64
	Between string // between the parts, or between the pairs of fields
	Pair    string // between a field's name and its value
	Sorted  string // form or query: its fields in the order of their names come first; "" for none
	key     slot
	over    []slot
}

// Sum is the digest of a text under a key, written out; the key is for the hmac ones.
func (s *Signature) Sum(text, key string) string {
	var h hash.Hash
	switch s.By {
	case "md5":
		h = md5.New()
	case "sha1":
		h = sha1.New()
	case "sha256":
		h = sha256.New()
	case "hmac_md5":
		h = hmac.New(md5.New, []byte(key))
	case "hmac_sha1":
		h = hmac.New(sha1.New, []byte(key))
	default:
		h = hmac.New(sha256.New, []byte(key))
	}
	h.Write([]byte(text))
	switch sum := h.Sum(nil); s.As {
	case "base64":
		return base64.StdEncoding.EncodeToString(sum)
	case "hex_upper":
		return strings.ToUpper(hex.EncodeToString(sum))
	default:
		return hex.EncodeToString(sum)
	}
}

// Over is what is signed: the fields in the order of their names, where they are
// signed, and then the parts.
func (s *Signature) Over(fields [][2]string, parts []string) string {
	var all []string
	if s.Sorted != "" {
		sorted := slices.Clone(fields)
		slices.SortFunc(sorted, func(a, b [2]string) int { return strings.Compare(a[0], b[0]) })
		for _, f := range sorted {
			all = append(all, f[0]+s.Pair+f[1])
		}
		return strings.Join(all, s.Between) + strings.Join(parts, "")
	}
	return strings.Join(parts, s.Between)
}

func (s *Signature) sign(fields [][2]string, w words) (string, error) {
	var parts []string
	for _, p := range s.over {
		t, err := p.say(w)
		if err != nil {
			return "", err
		}
		parts = append(parts, t)
	}
	key, err := s.key.say(w)
	if err != nil {
		return "", err
	}
	return s.Sum(s.Over(fields, parts), key), nil
}

// ErrKey is a secret that the cipher cannot take.
var ErrKey = errors.New("the key does not fit the cipher")

// cipherECB is AES as some cloud services want it: each block by itself, the key filled
// up with zero bytes to whole blocks. Equal blocks show as equal: what it hides it hides
// by TLS alone.
func cipherECB(key string) (cipher.Block, error) {
	if key == "" || len(key) > 2*aes.BlockSize {
		return nil, fmt.Errorf("%w: it has %d bytes, 1 to %d are taken", ErrKey, len(key), 2*aes.BlockSize)
	}
	full := make([]byte, (len(key)+aes.BlockSize-1)/aes.BlockSize*aes.BlockSize)
	copy(full, key)
	return aes.NewCipher(full)
}

// sealECB encrypts a text, padded by PKCS #7, and writes it in base64.
func sealECB(text []byte, key string) (string, error) {
	c, err := cipherECB(key)
	if err != nil {
		return "", err
	}
	const size = aes.BlockSize
	pad := size - len(text)%size
	out := append(slices.Clone(text), slices.Repeat([]byte{byte(pad)}, pad)...)
	for i := 0; i < len(out); i += size {
		c.Encrypt(out[i:i+size], out[i:i+size])
	}
	return base64.StdEncoding.EncodeToString(out), nil
}

// ErrSealed is an encrypted text that cannot be opened.
var ErrSealed = errors.New("not encrypted as it should be")

// openECB is the reverse of sealECB. Some services count the padding in characters and
// fill up with zero bytes behind it.
func openECB(sealed, key string) ([]byte, error) {
	c, err := cipherECB(key)
	if err != nil {
		return nil, err
	}
	const size = aes.BlockSize
	b, err := base64.StdEncoding.DecodeString(strings.Map(noLines, sealed))
	if err != nil || len(b) == 0 || len(b)%size != 0 {
		return nil, ErrSealed
	}
	for i := 0; i < len(b); i += size {
		c.Decrypt(b[i:i+size], b[i:i+size])
	}
	b = bytes.TrimRight(b, "\x00")
	if len(b) == 0 {
		return nil, ErrSealed
	}
	pad := int(b[len(b)-1])
	if pad < 1 || pad > size || pad > len(b) || !bytes.Equal(b[len(b)-pad:], slices.Repeat([]byte{byte(pad)}, pad)) {
		return nil, ErrSealed
	}
	return b[:len(b)-pad], nil
}

func noLines(r rune) rune {
	if r == '\n' || r == '\r' {
		return -1
	}
	return r
}
