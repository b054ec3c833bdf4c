package formattest

import (
	"bytes"
	"compress/zlib"
	"encoding/binary"
)

// SiftOf is a file of records.
func SiftOf(options uint64, records []byte) []byte {
	file := binary.LittleEndian.AppendUint32([]byte("SIFT"), 3)
	file = append(binary.LittleEndian.AppendUint64(file, options), "xyz"...)
	if options&1 == 0 {
		return append(file, records...)
	}
	var b bytes.Buffer
	z := zlib.NewWriter(&b)
	z.Write(records)
	z.Close()
	return append(file, b.Bytes()...)
}
