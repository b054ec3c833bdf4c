package store

import (
	"fmt"

	"spoor/traces/trace"
)

// regionJSON is the form of a region in metadata.
type regionJSON struct {
	Name  string       `json:"name"`
	Owner trace.Proc   `json:"owner"`
	Base  uint64       `json:"base"`
	Bytes uint64       `json:"bytes"`
	Home  string       `json:"home,omitempty"`
	Part  uint64       `json:"part,omitempty"`  // bytes of a cyclic part
	Procs []trace.Proc `json:"procs,omitempty"` // of explicit parts
}

func regionsJSON(regions []trace.Region) []regionJSON {
	list := make([]regionJSON, len(regions))
	for i, r := range regions {
		list[i] = regionJSON{Name: toUTF8(r.Name), Owner: r.Owner, Base: r.Base, Bytes: r.Bytes,
			Part: r.Home.Bytes, Procs: r.Home.Procs}
		if r.Home.Kind != trace.AnyHome {
			list[i].Home = r.Home.Kind.String()
		}
	}
	return list
}

// regions reads the regions.
func (r *pairReader) regions() (regions []trace.Region) {
	var list []regionJSON
	r.json("regions", &list)
	for _, l := range list {
		kind := trace.AnyHome
		if l.Home != "" {
			var ok bool
			if kind, ok = trace.ParseHomeKind(l.Home); !ok && r.err == nil {
				r.err = fmt.Errorf("its metadata has a region %q with the unknown home %q", l.Name, l.Home)
			}
		}
		regions = append(regions, trace.Region{Name: l.Name, Owner: l.Owner, Base: l.Base, Bytes: l.Bytes,
			Home: trace.Home{Kind: kind, Bytes: l.Part, Procs: l.Procs}})
	}
	return regions
}
