package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"spoor/pipelines/internal/plan"
	"spoor/pipelines/internal/slurm"
	"spoor/traces/unit"
)

// printPlan prints all steps of a study as JSON: see the script plan.
//
//	plan MAKE FOLDER [GOAL|VARIABLE=VALUE...]
func printPlan(args []string, out io.Writer) error {
	if len(args) < 2 {
		return errors.New("give MAKE and the FOLDER of the study")
	}
	p, err := planOf(args[0], args[1], args[2:], true)
	if err != nil {
		return err
	}
	return p.Write(out)
}

// planOf is the plan of the study in a folder. TRACE_SIZE is the size of a trace that does not exist yet.
func planOf(program, folder string, args []string, all bool) (*plan.Plan, error) {
	size := int64(plan.DefaultTraceSize)
	if text := os.Getenv("TRACE_SIZE"); text != "" {
		b, err := unit.ParseBytes(text)
		if err != nil {
			return nil, fmt.Errorf("TRACE_SIZE: %w", err)
		}
		size = int64(b)
	}
	folder, err := filepath.Abs(folder)
	if err != nil {
		return nil, err
	}
	return plan.Get(plan.Options{Make: program, Directory: folder, Arguments: args, All: all, TraceSize: size})
}

// onSlurm runs a study on Slurm. STATE is the folder of its jobs.
//
//	slurm submit STATE MAKE [GOAL|VARIABLE=VALUE...]   # variables also by MAKEFLAGS
//	slurm status STATE
//	slurm cancel STATE
//	slurm step   STATE ROUND JOB     # in a job
//	slurm check  STATE ROUND         # in a job
func onSlurm(args []string, out io.Writer) error {
	if len(args) < 2 {
		return errors.New("give a command and STATE")
	}
	state, err := filepath.Abs(args[1])
	if err != nil {
		return err
	}
	var numbers []int
	for _, a := range args[2:] {
		n, err := strconv.Atoi(a)
		if err != nil {
			break
		}
		numbers = append(numbers, n)
	}
	switch command := args[0]; {
	case command == "submit" && len(args) > 2:
		return submit(state, args[2], args[3:], out)
	case command == "status":
		if err := slurm.Status(state, out); err != slurm.ErrFailed {
			return err
		}
		return errDiffers // it is printed
	case command == "cancel":
		n, err := slurm.Cancel(state)
		if err == nil {
			fmt.Fprintf(out, "slurm: %d steps that ran or waited are canceled\n", n)
		}
		return err
	case command == "step" && len(numbers) == 2:
		return slurm.RunStep(state, numbers[0], numbers[1])
	case command == "check" && len(numbers) == 1:
		return slurm.Check(state, numbers[0])
	}
	return fmt.Errorf("no command %s with such arguments", args[0])
}

// submit submits the study of this folder. SLURM_FLAGS and SLURM_TRIES are variables of the environment.
func submit(state, program string, args []string, out io.Writer) error {
	tries := 5
	if text := os.Getenv("SLURM_TRIES"); text != "" {
		n, err := strconv.Atoi(text)
		if err != nil || n < 1 || n > 10 {
			return fmt.Errorf("SLURM_TRIES=%s: give a number from 1 to 10", text)
		}
		tries = n
	}
	self, err := os.Executable()
	if err != nil {
		return err
	}
	p, err := planOf(program, ".", args, false)
	if err != nil {
		return err
	}
	study := &slurm.Study{Plan: p, Program: self, Flags: strings.Fields(os.Getenv("SLURM_FLAGS")), Tries: tries}
	return study.Submit(state, out)
}
