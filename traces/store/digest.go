package store

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"
)

// Digests cover every byte of a file:
//
//   - Each message (schema or batch) and the footer contain their own SHA-256, in
//     hexadecimal. It is computed with zeros in its place.
//   - The footer lists the digests of all messages.
//   - The other bytes (magic, end of stream, lengths) have only one legal value.
//
// FlatBuffers are built back to front. The string that is built first is at the end of the
// buffer. The digest is that string, so that a reader finds it without parsing unchecked
// bytes.

const (
	digestKey  = "spoor.sha256" // in the custom metadata of messages and footer
	digestSize = 2 * sha256.Size
	digestEnd  = 4 // the terminator and padding that follow the digest
)

var zeroDigest = strings.Repeat("0", digestSize)

// digestAt returns the position of the digest in metadata that ends at end, or -1.
func digestAt(end int) int {
	return max(end-digestEnd-digestSize, -1)
}

// seal computes the digest of b, which has zeros at position at, and stores it there.
func seal(b []byte, at int) {
	sum := sha256.Sum256(b)
	hex.Encode(b[at:at+digestSize], sum[:])
}

// verifyDigest returns the digest in b at position at, and whether it is correct.
func verifyDigest(b []byte, at int) (digest string, ok bool) {
	if at < 0 || at+digestSize > len(b) {
		return "", false
	}
	h := sha256.New()
	h.Write(b[:at])
	h.Write([]byte(zeroDigest))
	h.Write(b[at+digestSize:])
	digest = string(b[at : at+digestSize])
	return digest, digest == hex.EncodeToString(h.Sum(nil))
}
