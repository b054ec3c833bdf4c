package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"

	"github.com/spf13/cobra"

	"spoor/tracegen/instrument"
	"spoor/traces/stage"
)

// initCommand returns the subcommand that writes a new module.
func initCommand(env *stage.Env) *cobra.Command {
	return &cobra.Command{
		Use:   "init DIR",
		Short: "write a module with a small parallel program to the new folder DIR",
		Long: "Writes a module with a small parallel program to the new folder DIR. The folder spoor in it has package spmd,\n" +
			"so that the go command finds it, too.",
		Example: "  $ tracegen init app\n  $ tracegen --package app --procs 4 -o app/trace",
		Args:    cobra.ExactArgs(1),
		RunE:    func(_ *cobra.Command, args []string) error { return initModule(env, args[0]) },
	}
}

// moduleName matches the names of folders that can be paths of modules.
var moduleName = regexp.MustCompile(`^[a-zA-Z][a-zA-Z0-9_-]*$`)

// initModule writes a module to a new folder. If that fails, it removes the folder.
func initModule(env *stage.Env, name string) error {
	dir := env.Input(name)
	base := filepath.Base(filepath.Clean(dir))
	if !moduleName.MatchString(base) || base == "spoor" {
		return stage.Usage("%q cannot be the name of a module; give a folder with a name of letters, digits, - and _", base)
	}
	switch err := os.Mkdir(dir, 0o777); {
	case errors.Is(err, fs.ErrExist):
		return fmt.Errorf("writing a module: %s exists; give a new folder", name)
	case err != nil:
		return fmt.Errorf("writing a module: %w", err)
	}
	module := "module " + base + "\n\ngo 1.26.0\n\nrequire spoor v0.0.0\n\nreplace spoor => ./spoor\n"
	err := errors.Join(os.WriteFile(filepath.Join(dir, "go.mod"), []byte(module), 0o666),
		os.WriteFile(filepath.Join(dir, "main.go"), []byte(firstProgram), 0o666),
		instrument.WriteSources(filepath.Join(dir, "spoor")))
	if err != nil {
		return errors.Join(fmt.Errorf("writing a module: %w", err), os.RemoveAll(dir))
	}
	env.Note("%s has a program; record it with: tracegen --package %s --procs 4 -o PREFIX", name, name)
	return nil
}

// firstProgram is the program of a new module.
const firstProgram = `package main

import (
	"fmt"

	"spoor/tracegen/spmd"
)

func main() {
	spmd.Main(func(r *spmd.Rank) error { // every rank runs this function
		a := spmd.Alloc[float64](r, "a", 1<<16) // one array for all ranks
		sums := spmd.Alloc[float64](r, "sums", r.Procs())
		lo, hi := r.Share(len(a)) // this rank's part
		sum := 0.0
		for i := lo; i < hi; i++ {
			a[i] = float64(i)
			sum += a[i]
		}
		sums[r.ID()] = sum
		r.Barrier()
		if r.ID() == 0 {
			total := 0.0
			for _, s := range sums {
				total += s
			}
			fmt.Println("sum:", total)
		}
		return nil
	})
}
`
