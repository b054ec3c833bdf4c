package engine

import "testing"

// Channels that are made to crowd with one salt do not with another.
func TestChannelsAreSalted(t *testing.T) {
	defer func(was [2]uint64) { salt = was }(salt)
	home := func(tag int32) uint8 { return uint8(hashOf(1, tag, 0) >> 24) }
	var crowd []int32
	for tag := int32(0); len(crowd) < 256; tag++ {
		if home(tag) == 0 {
			crowd = append(crowd, tag)
		}
	}
	salt[0], salt[1] = salt[1], salt[0]|1
	still := 0
	for _, tag := range crowd {
		if home(tag) == 0 {
			still++
		}
	}
	if still > len(crowd)/8 {
		t.Errorf("%d of %d channels have the same home still", still, len(crowd))
	}
}
