package network

// FatTree is a wormhole network of levels of switches. Each level carries what the one below can send: see
// comm.FatTree.
type FatTree struct{}

var _ Model = FatTree{}

// Name returns "fattree".
func (FatTree) Name() string { return "fattree" }

// New returns a fat tree.
func (f FatTree) New(c Config) (Network, error) { return newWormhole(c, f.Name()) }
