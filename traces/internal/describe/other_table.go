package describe

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"spoor/traces/stage"
	"spoor/traces/store"
)

// Head returns the first n rows of a table of another stage.
func Head(path string, n int) (*store.Table, error) {
	t, err := store.ReadTable(path)
	if err != nil {
		return nil, err
	}
	n = min(n, t.Rows())
	for i := range t.Columns {
		c := &t.Columns[i]
		switch d := c.Data.(type) {
		case []int32:
			c.Data = d[:n]
		case []int64:
			c.Data = d[:n]
		case []uint64:
			c.Data = d[:n]
		case []float64:
			c.Data = d[:n]
		case []string:
			c.Data = d[:n]
		}
	}
	return t, nil
}

// tableInfo is the JSON output of info for a table.
type tableInfo struct {
	Kind    string            `json:"kind"`
	Name    string            `json:"name"`
	Rows    int               `json:"rows"`
	Facts   map[string]string `json:"facts"`
	Columns []columnInfo      `json:"columns"`
}

type columnInfo struct {
	Name string `json:"name"`
	Type string `json:"type"`
	Unit string `json:"unit"`
}

func columnsOf(t *store.Table) []columnInfo {
	out := []columnInfo{}
	for _, c := range t.Columns {
		out = append(out, columnInfo{c.Name, strings.TrimPrefix(fmt.Sprintf("%T", c.Data), "[]"), c.Unit})
	}
	return out
}

// aboutTable describes a table for people, with one fact on each row.
func aboutTable(t *store.Table) *store.Table {
	var f facts
	f.add("kind", "table")
	f.add("name", t.Name)
	f.num("rows", uint64(t.Rows()))
	for _, a := range t.Meta {
		f.add(a.Key, a.Value)
	}
	for _, c := range columnsOf(t) {
		f.add("column "+c.Name, strings.TrimSpace(c.Type+" "+c.Unit))
	}
	return &store.Table{Name: "info", Columns: []store.Column{{Name: "what", Data: f.what}, {Name: "value", Data: f.value}}}
}

// tableJSON writes the same for programs.
func tableJSON(w io.Writer, t *store.Table) error {
	i := tableInfo{Kind: "table", Name: t.Name, Rows: t.Rows(), Facts: map[string]string{}, Columns: columnsOf(t)}
	for _, a := range t.Meta {
		i.Facts[a.Key] = a.Value
	}
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return e.Encode(i)
}

// PrintTable prints the description of a table.
func PrintTable(env *stage.Env, path string, format stage.Format) error {
	t, err := store.ReadTable(path)
	if err != nil {
		return err
	}
	if format == stage.JSON {
		return tableJSON(env.Out, t)
	}
	return stage.Print(env.Out, format, aboutTable(t))
}
