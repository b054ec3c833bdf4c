package spmd

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"spoor/tracegen/spmd/internal/space"
)

// TestRowsOfMessages shows every kind of event, with all of its columns.
func TestRowsOfMessages(t *testing.T) {
	k := checkWhole(t, 2, func(r *Rank) error {
		m := Private(r, "m", make([]float64, 12)) // 3 rows of 4
		column := Vector{3, 1, 4}
		if r.ID() == 0 {
			SendVector(r, 1, 5, m[1:], column)
			r.Signal(3)
			Isend(r, 1, 6, m[4:8]).Wait()
			Send(r.World().Dup(), 1, 0, m[:1])
			r.Clock()
			return nil
		}
		Probe(r, Any, 5)
		Recv(r, Any, 5, make([]float64, 4)) // nowhere
		q := IrecvVector(r, 0, Any, m, Vector{2, 2, 4})
		q.Test()
		r.WaitFlag(3, 1)
		q.Wait()
		c := r.World().Dup()
		for _, ok := Iprobe(c, 0, 0); !ok; _, ok = Iprobe(c, 0, 0) {
		}
		Recv(c, 0, 0, m)
		return nil
	})
	base := space.PrivateBase
	for p, want := range [][]string{
		{
			fmt.Sprintf("send peer 1 tag 5 group -1 request -1 bytes 24 at %#x: 3 x 8 / 32", base+8),
			"signal peer 3",
			fmt.Sprintf("isend peer 1 tag 6 group -1 request 0 bytes 32 at %#x: 1 x 32 / 32", base+32),
			"wait peer -1 tag -1 group -1 request 0",
			fmt.Sprintf("send peer 1 tag 0 group 3 request -1 bytes 8 at %#x: 1 x 8 / 8", base),
			"clock",
			"compute",
		}, {
			"probe peer -1 tag 5 group -1 request -1 bytes 24 at 0x0: 1 x 0 / 0",
			"recv peer -1 tag 5 group -1 request -1 bytes 24 at 0x0: 1 x 32 / 32",
			fmt.Sprintf("irecv peer 0 tag -1 group -1 request 0 bytes 32 at %#x: 2 x 16 / 32", base+space.PrivateStride),
			"test peer 0 tag 6 group -1 request 0 bytes 32 at 0x0: 1 x 0 / 0",
			"waitflag peer 3 tag 1",
			"iprobe peer 0 tag 0 group 3 request -1 bytes 8 at 0x0: 1 x 0 / 0",
			fmt.Sprintf("recv peer 0 tag 0 group 3 request -1 bytes 8 at %#x: 1 x 96 / 96", base+space.PrivateStride),
			"compute",
		},
	} {
		var got []string
		for _, e := range k.EventsOf[p].Rows {
			full := fmt.Sprintf("%s peer %d tag %d group %d request %d bytes %d at %#x: %d x %d / %d",
				e.Kind, e.Peer, e.Tag, e.Group, e.Request, e.Bytes, e.Addr, e.Count, e.Block, e.Stride)
			for _, empty := range []string{` at 0x0: 0 x 0 / 0`, ` bytes 0`, ` request -1$`, ` group -1$`, ` tag -1$`, ` peer -1$`} {
				full = regexp.MustCompile(empty+"$").ReplaceAllString(full, "")
			}
			if e.Group != 0 { // the collectives of the world, which Dup calls
				got = append(got, full)
			}
		}
		got = slices.DeleteFunc(got, func(s string) bool { return strings.HasPrefix(s, "compute ") })
		if !slices.Equal(got, want) {
			t.Errorf("rank %d:\n%s\nwant\n%s", p, strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
	}
}
