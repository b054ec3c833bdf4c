package describe

import (
	"spoor/traces/internal/walk"
	"spoor/traces/trace"
)

// source is the origin of a trace.
type source struct {
	Program  string      `json:"program"`
	Format   string      `json:"format"`
	Args     []trace.Arg `json:"args"`
	Seed     uint64      `json:"seed"`
	Rule     string      `json:"rule"`
	HasPC    bool        `json:"pc"`
	HasTime  bool        `json:"time"`
	WorkUnit string      `json:"work_unit"`
	Inputs   []string    `json:"inputs"`
	Tool     string      `json:"tool"`
	Notes    []string    `json:"notes"`
	Regions  []region    `json:"regions"`
	SHA256   string      `json:"sha256"`
}

// region is a named array.
type region struct {
	Name  string     `json:"name"`
	Owner trace.Proc `json:"owner"`
	Base  uint64     `json:"base"`
	Bytes uint64     `json:"bytes"`
	Home  string     `json:"home"`
}

func regionsOf(h trace.Header) []region {
	all := []region{}
	for _, r := range h.Regions {
		all = append(all, region{r.Name, r.Owner, r.Base, r.Bytes, r.Home.Kind.String()})
	}
	return all
}

// list returns s, or an empty slice for nil, which JSON would show as null.
func list[T any](s []T) []T { return append([]T{}, s...) }

func sourceOf(t *walk.Trace) source {
	h := t.Header()
	return source{Program: h.Program, Format: h.Format, Args: list(h.Args), Seed: h.Seed, Rule: h.Rule, HasPC: h.HasPC, HasTime: h.HasTime,
		WorkUnit: string(h.WorkUnit), Inputs: list(h.Inputs), Tool: h.Tool, Notes: list(h.Notes), Regions: regionsOf(h), SHA256: t.SHA256()}
}
