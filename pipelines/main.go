// Command pipelines is what the Makefiles of studies need besides the stages: it holds tables to reviewed ones, and prints the
// tables of pages. Make builds it into bin/ and does not install it. What a user runs is in the stages instead.
package main

import (
	"fmt"
	"io"
	"os"
)

// commands are the commands by name. Each takes its arguments and where it prints.
var commands = map[string]func(args []string, out io.Writer) error{
	"plan":       printPlan,
	"slurm":      onSlurm,
	"golden":     golden,
	"skips":      skips,
	"sequential": printSequential,
	"bench":      bench,
	"tables":     printTables,
}

func main() {
	if len(os.Args) < 2 || commands[os.Args[1]] == nil {
		fmt.Fprintln(os.Stderr, "pipelines: no such command; the Makefiles of pipelines/ show how it is called")
		os.Exit(2)
	}
	err := commands[os.Args[1]](os.Args[2:], os.Stdout)
	if err != nil && err != errDiffers {
		fmt.Fprintf(os.Stderr, "pipelines: %s: %v\n", os.Args[1], err)
	}
	if err != nil {
		os.Exit(1)
	}
}
