package zcolumn

import (
	"encoding/binary"
	"math/bits"
)

const (
	prime1 uint64 = 0x9E3779B185EBCA87
	prime2 uint64 = 0xC2B2AE3D27D4EB4F
	prime3 uint64 = 0x165667B19E3779F9
	prime4 uint64 = 0x85EBCA77C2B2AE63
	prime5 uint64 = 0x27D4EB2F165667C5
)

// xxHash64 is the checksum of zstd frames: XXH64 with seed 0.
func xxHash64(b []byte) uint64 {
	h := prime5
	n := uint64(len(b))
	if len(b) >= 32 {
		h, b = stripes(b)
	}
	h += n
	for ; len(b) >= 8; b = b[8:] {
		h ^= lane(0, binary.LittleEndian.Uint64(b))
		h = bits.RotateLeft64(h, 27)*prime1 + prime4
	}
	if len(b) >= 4 {
		h ^= uint64(binary.LittleEndian.Uint32(b)) * prime1
		h = bits.RotateLeft64(h, 23)*prime2 + prime3
		b = b[4:]
	}
	for _, c := range b {
		h ^= uint64(c) * prime5
		h = bits.RotateLeft64(h, 11) * prime1
	}
	h = (h ^ h>>33) * prime2
	h = (h ^ h>>29) * prime3
	return h ^ h>>32
}

// stripes hashes whole 32-byte stripes and returns the rest.
func stripes(b []byte) (uint64, []byte) {
	var seed uint64
	a0, a1, a2, a3 := seed+prime1+prime2, seed+prime2, seed, seed-prime1
	for ; len(b) >= 32; b = b[32:] {
		a0 = lane(a0, binary.LittleEndian.Uint64(b))
		a1 = lane(a1, binary.LittleEndian.Uint64(b[8:]))
		a2 = lane(a2, binary.LittleEndian.Uint64(b[16:]))
		a3 = lane(a3, binary.LittleEndian.Uint64(b[24:]))
	}
	h := bits.RotateLeft64(a0, 1) + bits.RotateLeft64(a1, 7) + bits.RotateLeft64(a2, 12) + bits.RotateLeft64(a3, 18)
	for _, a := range []uint64{a0, a1, a2, a3} {
		h = (h^lane(0, a))*prime1 + prime4
	}
	return h, b
}

func lane(acc, v uint64) uint64 { return bits.RotateLeft64(acc+v*prime2, 31) * prime1 }
