package network

// Mesh is a wormhole network of rows and columns. Messages are routed along the row first, then along the column
// [sivasubramaniam1995, sec. 5].
type Mesh struct{}

var _ Model = Mesh{}

// Name returns "mesh".
func (Mesh) Name() string { return "mesh" }

// New returns a mesh.
func (m Mesh) New(c Config) (Network, error) { return newWormhole(c, m.Name()) }
