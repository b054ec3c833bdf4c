package store

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"
)

// Every byte of a file is covered. A message (schema or batch) and the footer
// each hold their own SHA-256, in hexadecimal, computed with that value set to
// zeros; the footer lists the digests of all messages; what remains (magic,
// end of stream, lengths) has only one legal value.
//
// FlatBuffers are built back to front, so the string that is built first ends
// the buffer: the digest is found there without parsing bytes nobody has vetted.

const (
	digestKey  = "spoor.sha256" // in the custom metadata of messages and footer
	digestSize = 2 * sha256.Size
	digestEnd  = 4 // the terminator and padding that follow the digest
)

var zeroDigest = strings.Repeat("0", digestSize)

// digestAt is where the digest lies in metadata that ends at end, or -1.
func digestAt(end int) int {
	return max(end-digestEnd-digestSize, -1)
}

// seal computes the digest of b, whose digest at position at is zeros, into it.
func seal(b []byte, at int) {
	sum := sha256.Sum256(b)
	hex.Encode(b[at:at+digestSize], sum[:])
}

// verifyDigest is the digest in b at position at, and whether it is the right one.
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
