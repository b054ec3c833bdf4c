package zcolumn

import (
	"bytes"
	"testing"

	"github.com/klauspost/compress/zstd"
)

func FuzzDecodersReadFrames(f *testing.F) {
	z, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1))
	if err != nil {
		f.Fatal(err)
	}
	e := NewEncoder()
	f.Add([]byte("aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"), uint8(0), uint8(3))
	f.Add(bytes.Repeat([]byte("abcdefghijklmnopqrstuvwxyz0123456789"), 40), uint8(2), uint8(1))
	f.Add([]byte{}, uint8(1), uint8(0))
	f.Fuzz(func(t *testing.T, seed []byte, log, times uint8) {
		width := 1 << (log % 4)
		column := bytes.Repeat(seed, 1+int(times))
		column = column[:len(column)/width*width]
		frame, ok := e.Append(nil, column, width)
		if !ok {
			return
		}
		got, err := z.DecodeAll(frame, nil)
		if err != nil || !bytes.Equal(got, column) {
			t.Fatalf("%d bytes of width %d come back as %d: %v", len(column), width, len(got), err)
		}
	})
}
