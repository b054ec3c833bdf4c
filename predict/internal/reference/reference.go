// Package reference makes the generated pages of docs/reference. A test of the tree compares the pages with the
// files, and `make reference` writes them.
package reference

// Run returns the standard output of a stage, for example Run("analyze", "reference").
type Run func(stage string, args ...string) (string, error)

// Page is a generated page.
type Page struct {
	Path string // from the root of the project
	Make func(Run) (string, error)
}

// Pages lists all generated pages.
var Pages = []Page{
	{"docs/reference/files.md", func(Run) (string, error) { return filesPage() }},
	{"docs/reference/machine.md", func(Run) (string, error) { return machinePage() }},
	{"docs/reference/rows.md", func(Run) (string, error) { return rowsPage() }},
	{"docs/reference/messages.md", func(Run) (string, error) { return messagesPage() }},
	{"docs/reference/commands/tracegen.md", commands("tracegen")},
	{"docs/reference/commands/traces.md", commands("traces")},
	{"docs/reference/commands/analyze.md", commands("analyze")},
	{"docs/reference/commands/calibrate.md", commands("calibrate")},
	{"docs/reference/commands/predict.md", commands("predict")},
}

// commands makes the page with the help of all commands of a stage.
func commands(stage string) func(Run) (string, error) {
	return func(run Run) (string, error) { return run(stage, "reference") }
}
