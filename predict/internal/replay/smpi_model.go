package replay

import (
	"spoor/calibrate/machine"
	"spoor/predict/internal/engine/cost"
	"spoor/predict/internal/network"
	"spoor/traces/unit"
)

// smpiDetached is the least size of a message whose sender waits for it, in SMPI of SimGrid 3.32 without options:
// smpi/send-is-detached-thresh.
const smpiDetached = 64 << 10

// smpiModel returns the cost model of SMPI of SimGrid. The network carries all messages, also those within a node.
func smpiModel(m *machine.Machine, ranks int) (cost.Model, error) {
	net, err := network.NewSMPI(m, networkNodes(m, ranks))
	if err != nil {
		return cost.Model{}, err
	}
	model := cost.Model{EagerLimit: smpiDetached - 1, Shared: net, SMPI: &cost.SMPI{}, Node: func(rank int32) int { return m.NodeOf(int(rank)) }}
	if s := m.Network.RendezvousMin; s.Known {
		model.EagerLimit = int64(s.Value)
	}
	if g := m.Network.SimGrid; g != nil {
		*model.SMPI = cost.SMPI{Early: int64(g.EarlyBelow), Send: overheadOf(g.Sends), Isend: overheadOf(g.Isends), Receive: overheadOf(g.Receives)}
	}
	return model, nil
}

// overheadOf returns an overhead by size, or nil for none. The first piece also holds for smaller messages.
func overheadOf(all []machine.SizePiece) func(bytes int64) unit.Picos {
	if len(all) == 0 {
		return nil
	}
	return func(bytes int64) unit.Picos { return unit.Seconds(network.AtSize(all, float64(bytes), all[0])).Picos() }
}
