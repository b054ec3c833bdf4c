// Mirror generates the recording forms of the package of kernels in the current folder. The counting form counts
// instructions. The recording form also records memory references.
//
//	$ go generate ./tracegen/kernel/...
//
// File generated_forms.go has the declarations that differ in a form, with new names:
// countedFactor and recordedFactor are forms of factor. These are the functions that ranks execute, and what leads to
// them. Types, inputs, parameters and checks are those of the source.
//
// The file is committed, for two reasons. First, the go command alone can install the commands. Second, a
// recording has the same bytes for every user. The instruction counts of lines are constants in the code, from one
// fixed compiler. They are not counted again with the compiler that builds tracegen. The file weights.txt lists
// them. A test checks that both files are current.
//
// There are two forms, because counting is fast. A recording that discards its references takes about 13 times as long.
//
// The compiler's code for a kernel can depend on line numbers, on its own and on those of the spmd functions that it
// inlines. A change of lines in spmd.go of package spmd, or above the functions of a kernel, may therefore change a
// weight by one instruction.
package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := regenerate(ctx, "."); err != nil {
		fmt.Fprintln(os.Stderr, "mirror:", err)
		os.Exit(1)
	}
}

// regenerate counts the instructions of the package in dir and replaces its generated files.
func regenerate(ctx context.Context, dir string) error {
	k, err := load(ctx, dir)
	if err != nil {
		return err
	}
	w, err := k.weigh(ctx)
	if err != nil {
		return err
	}
	files, err := k.mirror(w)
	if err != nil {
		return err
	}
	return replaceFiles(dir, files)
}
