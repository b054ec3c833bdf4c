package formattest

import "google.golang.org/protobuf/encoding/protowire"

// EtNode makes the message of a node.
type EtNode struct {
	Id, Kind, Micros uint64
	Data, Ctrl       []uint64
	Attrs            map[string]uint64 // numbers by name
	Group            string
}

func EtVarint(b []byte, number protowire.Number, v uint64) []byte {
	return protowire.AppendVarint(protowire.AppendTag(b, number, protowire.VarintType), v)
}

func EtBytes(b []byte, number protowire.Number, v []byte) []byte {
	return protowire.AppendBytes(protowire.AppendTag(b, number, protowire.BytesType), v)
}

func (n EtNode) bytes() (b []byte) {
	b = EtVarint(b, 1, n.Id)
	b = EtBytes(b, 2, []byte("a node"))
	b = EtVarint(b, 3, n.Kind)
	for _, d := range n.Ctrl { // not packed
		b = EtVarint(b, 4, d)
	}
	var packed []byte
	for _, d := range n.Data {
		packed = protowire.AppendVarint(packed, d)
	}
	b = EtBytes(b, 5, packed)
	b = EtVarint(b, 7, n.Micros)
	for _, name := range []string{"is_cpu_op", "comm_type", "comm_size", "comm_src", "comm_dst", "comm_tag"} {
		if v, ok := n.Attrs[name]; ok {
			b = EtBytes(b, 10, EtVarint(EtBytes(nil, 1, []byte(name)), []protowire.Number{9, 13, 7}[v%3], v))
		}
	}
	if n.Group != "" {
		b = EtBytes(b, 10, EtBytes(EtBytes(nil, 1, []byte("pg_name")), 29, []byte(n.Group)))
	}
	return b
}

// EtFile is a file of one rank.
func EtFile(nodes ...EtNode) string {
	b := protowire.AppendBytes(nil, EtBytes(nil, 1, []byte("1.0.0")))
	for _, n := range nodes {
		b = protowire.AppendBytes(b, n.bytes())
	}
	return string(b)
}
