// Mirror writes the recording forms of package kernel, in the folder that it is run
// in: package counted, whose code counts instructions, and package recorded, whose
// code records memory references, too.
//
//	$ go generate ./tracegen/kernel
//
// Both are committed, for two reasons. The commands can be installed with the go
// command alone. And a recording has the same bytes whoever makes it: the machine
// instructions of each line are those that one compiler made, and they are constants
// in the code, not measured again with whatever compiler built tracegen. File
// weights.txt lists them; a test holds the mirror to its source.
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

// regenerate weighs the package in dir and replaces its mirror.
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
	return replace(dir, files)
}
