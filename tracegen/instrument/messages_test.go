package instrument

import "testing"

func TestPassesMessages(t *testing.T) {
	if testing.Short() {
		t.Skip("builds instrumented programs")
	}
	for code, want := range map[string]bool{
		"r.Barrier(); r.Lock(0); _, _ = r.World(), spmd.NewQueue(r, \"x\", 1, spmd.Alloc[int](r, \"x\", 1)...)": false,
		"q.Q(r)":                             true,
		"spmd.Bcast(r.World(), 0, []int{1})": true,
		"f := spmd.Recv[int]; _ = f":         true,
	} {
		t.Run(code, func(t *testing.T) {
			imports := ""
			if code[0] == 'q' {
				imports = "import \"example.com/user/q\"\n"
			}
			dir := userModule(t, map[string]string{
				"a.go": "package main\n\nimport \"spoor/tracegen/spmd\"\n" + imports + "func main() { spmd.Main(program) }\n" +
					"func program(r *spmd.Rank) error {\n\t" + code + "\n\treturn nil\n}\n",
				"q/q.go": "package q\n\nimport \"spoor/tracegen/spmd\"\n\nfunc Q(r *spmd.Rank) { spmd.Probe(r, 0, 0) }\n",
			})
			s, err := load(t.Context(), goTool{dir: dir, messages: t.Output(), tempDir: t.TempDir()}, programScope(dir, false))
			if err != nil {
				t.Fatal(err)
			}
			if got := callsAny(s.Packages, passesMessages); got != want {
				t.Errorf("passes messages: %v, want %v", got, want)
			}
		})
	}
}
