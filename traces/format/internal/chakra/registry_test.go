package chakra_test

import (
	"context"
	"fmt"
	"spoor/traces/format"
	"spoor/traces/format/internal/chakra"
	"spoor/traces/format/internal/formattest"
	"spoor/traces/internal/input"
	"spoor/traces/trace"
	"strings"
	"testing"
)

// What the README of the samples says, counted independently.
func TestChakraSamples(t *testing.T) {
	in, err := input.Open(context.Background(), formattest.Shared(t, "chakra/feeder_test/chakra.0.et.zst"), nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	if im, note, err := format.Detect(in); err != nil || im.Info().Name != "chakra" || note == "" {
		t.Errorf("recognised as %v, %q, %v", im, note, err)
	}
	sink := new(formattest.MemorySink)
	r, err := chakra.Chakra{}.Import(in, format.Options{}, sink)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := fmt.Sprint(r.Counts), "[{COMP_NODE 3643} {COMM_COLL_NODE 21} {data_deps 181878} {ctrl_deps 3664} {comm_size 102441032} {ALL_REDUCE 5} {BROADCAST 2}]"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	for _, c := range []struct{ name, kinds string }{
		{"ALL_REDUCE", "allreduce"}, {"ALL_GATHER", "allgather"}, {"ALL_TO_ALL", "alltoall"}, {"BARRIER", "barrier"}, {"BROADCAST", "bcast"},
		{"REDUCE_SCATTER", "reduce scatter"}, {"one_comp_node", "compute"}, {"one_metadata_node_all_types", "compute"},
		{"one_remote_mem_load_node", "compute"}, {"one_remote_mem_store_node", "compute"}, {"one_comm_send_node", "send"}, {"one_comm_recv_node", "recv"},
		{"two_comp_nodes_dependent", "compute compute"}, {"two_comp_nodes_independent", "compute compute"},
	} {
		t.Run(c.name, func(t *testing.T) {
			var paths []string
			for rank := range 2 {
				paths = append(paths, formattest.Shared(t, fmt.Sprintf("chakra/generator/%s.%d.et", c.name, rank)))
			}
			sink := new(formattest.MemorySink)
			// The samples of messages have a send or a receive, and never both.
			if _, err := (chakra.Chakra{}).ImportFiles(input.NewFiles(context.Background(), paths, nil, nil), format.Options{Unmatched: true}, sink); err != nil {
				t.Errorf("%v", err)
			}
			for rank := range 2 {
				var kinds []string
				for _, e := range formattest.Events(&sink.Memory, trace.Proc(rank)) {
					kinds = append(kinds, e.Kind.String())
				}
				if got := strings.Join(kinds, " "); got != c.kinds {
					t.Errorf("rank %d has %s, want %s", rank, got, c.kinds)
				}
			}
		})
	}
}
