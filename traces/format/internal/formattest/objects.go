package formattest

import (
	"encoding/binary"
	"slices"
)

// OracleText is an oracleGeneral trace of requests for these objects, a second apart.
func OracleText(ids ...uint64) string {
	var b []byte
	for i, id := range ids {
		next := int64(-1)
		if at := slices.Index(ids[i+1:], id); at >= 0 {
			next = int64(i + 1 + at + 1) // from 1
		}
		b = binary.LittleEndian.AppendUint32(b, uint32(i))
		b = binary.LittleEndian.AppendUint64(b, id)
		b = binary.LittleEndian.AppendUint32(b, 64)
		b = binary.LittleEndian.AppendUint64(b, uint64(next))
	}
	return string(b)
}
