package engine

import (
	"context"
	"math"
	"strings"
	"testing"

	"spoor/predict/internal/engine/cost"
	"spoor/predict/internal/engine/outcome"
	"spoor/predict/internal/engine/program"
	"spoor/predict/internal/network"
	"spoor/predict/internal/network/bysize"
	"spoor/traces/unit"
)

// onBus are models of a bus of 1 GB/s, which has one message at a time, shares itself fairly, or carries packets.
var onBus = map[string]func(t *testing.T) cost.Model{
	"exclusive": func(t *testing.T) cost.Model {
		net, err := network.Wormhole("bus").New(network.Config{Nodes: 8, Bandwidth: 1e9, Efficiency: 1})
		if err != nil {
			t.Fatal(err)
		}
		return cost.Model{Send: 500, Receive: 700, EagerLimit: -1, Net: net, Node: func(rank int32) int { return int(rank) }}
	},
	"max-min": func(t *testing.T) cost.Model { return sharingBy(t, "sharing = \"max-min\"\n", "bus", 8, "") },
	"packets": func(t *testing.T) cost.Model { return inPackets(t, "bus", 8, "") },
}

// A message that takes longer than what can be simulated is an error: it took 2^60 ps, whatever its bytes, and where links carry packets its
// receiver was said to wait for ever.
func TestEndlessMessages(t *testing.T) {
	models := map[string]func(t *testing.T) cost.Model{
		"loggp": func(*testing.T) cost.Model { return loggp() },
		"plogp": func(*testing.T) cost.Model {
			return cost.Model{EagerLimit: -1, Sizes: bysize.New(l, bysize.Curve{{Cost: o}}, bysize.Curve{{Cost: o}}, bysize.Curve{{Bytes: 0, Cost: g}, {Bytes: 1000, Cost: 2_000_000}})}
		},
		"loggopsim": func(*testing.T) cost.Model {
			return cost.Model{Send: o, Receive: o, Latency: l, Gap: g, PerByte: perByte, EagerLimit: -1, LogGOPSim: true}
		},
	}
	for name, of := range onBus {
		models[name] = of
	}
	for name, of := range models {
		t.Run(name, func(t *testing.T) {
			for _, long := range []int64{-1, 1000} {
				simulate := func(all ...[]program.Op) (*outcome.Result, error) {
					m := of(t)
					m.EagerLimit = long
					return Run(context.Background(), programs(all, 0), Options{Model: m})
				}
				_, err := simulate([]program.Op{send(1, math.MaxInt64)}, []program.Op{recv(0)})
				if err == nil || !strings.Contains(err.Error(), "a message of 9223372036854775807 bytes from rank 0 to rank 1 takes ") {
					t.Errorf("%s, S %d: %v", name, long, err)
				}
				res, err := simulate([]program.Op{isend(0, math.MaxInt64, 0), recv(0)})
				if name != "loggopsim" && (err != nil || res.Time > 8*(500+700)) {
					t.Errorf("%s, S %d, to itself: %v, %v", name, long, res, err)
				}
			}
		})
	}
}

// Eight messages that take 5 days each share a bus for 40. Of 9 days, that is longer than there is time.
func TestSharedLinksBeyondTime(t *testing.T) {
	const day = 24 * 3600
	for name, of := range onBus {
		t.Run(name, func(t *testing.T) {
			for _, days := range []int64{5, 9} {
				var all [][]program.Op
				for from := range int32(8) {
					all = append(all, []program.Op{isend((from+1)%8, days*day*1e9, 0), recv((from + 7) % 8)})
				}
				res, err := Run(context.Background(), programs(all, 0), Options{Model: of(t)})
				switch {
				case days == 5 && (err != nil || res.Time < 40*day*unit.Picos(1e12)):
					t.Errorf("%v, %v", res, err)
				case days == 9 && (err == nil || !strings.Contains(err.Error(), "more than can be simulated")):
					t.Errorf("%v, %v", res, err)
				}
			}
		})
	}
}
