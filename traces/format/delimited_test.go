package format

import (
	"bytes"
	"fmt"
	"runtime"
	"slices"
	"spoor/traces/format/internal/formattest"
	"spoor/traces/internal/input"
	"strings"
	"testing"
)

// readDelimited is all messages of a stream after a magic of 4 bytes.
func readDelimited(t *testing.T, stream []byte) (all []string, err error) {
	t.Helper()
	in := formattest.Open(t, "mgc:"+string(stream))
	var d input.Delimited
	return all, d.Messages(in, 4, func(m []byte) error {
		all = append(all, string(m))
		return nil
	})
}

func TestDelimited(t *testing.T) {
	for _, sizes := range [][]int{{}, {0}, {1, 0, 127, 128, 300}, {input.BlockBytes, 1, input.BlockBytes - 3, input.BlockBytes - 4, 2 * input.BlockBytes, 5},
		{3 << 20, 1, 3 << 20, 2, 5 << 20}, slices.Repeat([]int{40, 1000, 0}, 3000)} {
		t.Run(fmt.Sprint(sizes), func(t *testing.T) {
			var want []string
			var stream []byte
			for i, n := range sizes {
				want = append(want, strings.Repeat(string(rune('a'+i%26)), n))
				stream = formattest.WithLength(stream, want[i])
			}
			got, err := readDelimited(t, stream)
			if err != nil || !slices.Equal(got, want) {
				t.Errorf("%d messages: %d, %v", len(want), len(got), err)
			}
		})
	}
}

func TestBadDelimited(t *testing.T) {
	stream := formattest.WithLength(formattest.WithLength(nil, "one"), "two")
	for _, c := range []struct{ rest, reason string }{
		{"\x05abcd", "the message is truncated: 4 bytes of 5"},
		{"\x80", "the length of the message is truncated"},
		{"\xff\xff\xff\xff\x0fx", "4294967295, exceeds the limit of 67108864 bytes"},
		{"\x81\x80\x80\x20x", "67108865, exceeds the limit"},
		{strings.Repeat("\xff", 11), "a varint longer than 10 bytes"},
		{"\xff\xff\x03" + strings.Repeat("x", 60000), "the message is truncated: 60000 bytes of 65535"},
		{"\xff\xff\x03" + strings.Repeat("x", 65535) + "\x04", "the message is truncated: 0 bytes of 4"},
	} {
		t.Run(c.rest, func(t *testing.T) {
			got, err := readDelimited(t, append(bytes.Clone(stream), c.rest...))
			place := "standard input: record 2, offset 12: "
			if strings.HasSuffix(c.rest, "\x04") {
				place = fmt.Sprintf("standard input: record 3, offset %d: ", 12+3+65535)
			}
			formattest.WantError(t, fmt.Sprintf("%.20q", c.rest), err, place, c.reason)
			if len(got) < 2 || got[0] != "one" || got[1] != "two" {
				t.Errorf("%.20q: messages %.20q", c.rest, got)
			}
		})
	}
}

// Messages of the limit are read, and few of them are in memory.
func TestLongestMessages(t *testing.T) {
	if testing.Short() {
		t.Skip("holds messages of 64 MiB")
	}
	var stream []byte
	for range 3 {
		stream = formattest.WithLength(stream, strings.Repeat("x", input.MaxMessage))
	}
	in, err := input.Open(t.Context(), "-", bytes.NewReader(stream), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	var before, now runtime.MemStats
	runtime.ReadMemStats(&before)
	var most uint64
	var d input.Delimited
	if err := d.Messages(in, 0, func([]byte) error {
		runtime.ReadMemStats(&now)
		most = max(most, now.Sys-before.Sys)
		return nil
	}); err != nil || d.Number != 3 {
		t.Fatalf("%d messages, %v", d.Number, err)
	}
	if most > 384<<20 {
		t.Errorf("%d MiB for messages of 64 MiB", most>>20)
	}
	_, err = readDelimited(t, formattest.WithLength(nil, strings.Repeat("x", input.MaxMessage+1)))
	formattest.WantError(t, "a message over the limit", err, "standard input: record 0, offset 4: ", "exceeds the limit")
}
