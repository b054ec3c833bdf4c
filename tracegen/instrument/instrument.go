// Package instrument makes the recording form of an SPMD program from its plain
// source, and runs it. The user's files are read and never written: everything that
// is generated lies in a temporary folder, and the go command is told by an overlay
// to read it in place of the source.
//
// The way of a program:
//
//  1. Its main package and the packages of the same module that it imports are
//     instrumented; the standard library and other modules run as they are.
//  2. Their sources are exploded, every statement on a line of its own, and built
//     without instrumentation: package weigh counts the machine instructions of
//     each line in that program.
//  3. Package rewrite adds the recording of memory references and the counting of
//     instructions, by those weights, to the exploded sources.
//  4. What it made is built, with a file in the main package that imports package
//     session: through it, spmd.Main hands the recording to tracegen.
//
// What a recording does not hold (constructs that are not supported, code of other
// modules) is named by Findings and Foreign.
package instrument

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"go/token"
	"go/types"
	"io"
	"os"
	"path/filepath"
	"slices"

	"spoor/tracegen/instrument/rewrite"
	"spoor/tracegen/instrument/wire"
)

// Options chooses what Build makes.
type Options struct {
	Dir      string    // folder of the user's package main
	Refs     bool      // record references, besides events and instruction counts
	Sharing  bool      // ... but not if the program passes messages alone: no locks, flags or queues
	Headers  bool      // ... those to slice headers in memory, too, which compiled loops keep in registers
	Native   bool      // instrument nothing
	Session  string    // path of the package that runs the program; if empty, package session
	Messages io.Writer // for what the go command says of a program that it cannot build
}

// Program is a program that was built to be run by Run.
type Program struct {
	Name     string    // last element of the package's path
	Findings []Finding // what its recording does not hold
	Foreign  []string  // packages of other modules, whose code does not record
	Messages bool      // it calls what passes messages
	Locks    bool      // it calls what takes locks or tasks of queues, or waits for flags
	dir      string    // temporary, of this program alone
	path     string
}

// Finding is a construct that is not recorded.
type Finding struct {
	File string // path within the user's module
	Line int
	What string
}

func (f Finding) String() string { return fmt.Sprintf("%s:%d: %s", f.File, f.Line, f.What) }

func (f Finding) compare(g Finding) int {
	return cmp.Or(cmp.Compare(f.File, g.File), cmp.Compare(f.Line, g.Line), cmp.Compare(f.What, g.What))
}

// Build makes the recording form of a program. The caller removes it.
func Build(ctx context.Context, o Options) (p *Program, err error) {
	if err := wire.Supported(); err != nil {
		return nil, err
	}
	real, err := filepath.EvalSymlinks(o.Dir) // what go.mod replaces may be relative to it
	if err != nil {
		return nil, fmt.Errorf("finding the program: %w", err)
	}
	dir, err := os.MkdirTemp("", "spoor-")
	if err != nil {
		return nil, err
	}
	p = &Program{dir: dir}
	if err := p.build(ctx, o, goTool{dir: real, messages: o.Messages, temp: dir}); err != nil {
		return nil, errors.Join(err, p.Remove())
	}
	return p, nil
}

func (p *Program) build(ctx context.Context, o Options, tool goTool) error {
	s, err := load(ctx, tool, ofProgram(o.Dir))
	if err != nil {
		return err
	}
	p.Name, p.Foreign, p.Findings = s.name(), s.foreign, s.skipped
	p.Messages, p.Locks = calls(s.Packages, passesMessages), calls(s.Packages, locks)
	folder := filepath.Join(p.dir, "program")
	if err := os.Mkdir(folder, 0o777); err != nil {
		return err
	}
	p.path = filepath.Join(folder, p.Name)
	changed := overlay{}
	if !o.Native {
		if changed, err = p.instrument(ctx, o, s); err != nil {
			return err
		}
	}
	changed.addSession(s.main.Dir, cmp.Or(o.Session, sessionPath))
	list, err := changed.write(p.dir, "instrumented")
	if err != nil {
		return err
	}
	if o.Session != "" {
		if tool.modules, err = s.moduleFile(p.dir); err != nil {
			return err
		}
	}
	return tool.build(ctx, list, p.path, ".")
}

// Remove removes the program.
func (p *Program) Remove() error { return os.RemoveAll(p.dir) }

// instrument makes the recording form of all files.
func (p *Program) instrument(ctx context.Context, o Options, s *Sources) (overlay, error) {
	weights, err := s.Weigh(ctx, nil)
	if err != nil {
		return nil, err
	}
	if err := s.originalLines(); err != nil { // weighing needs the exploded ones
		return nil, err
	}
	options := rewrite.Options{Mode: rewrite.Count, Weights: weights, Headers: o.Headers,
		Goroutines: !ownGoroutineOnly(s.Packages)}
	if len(s.Packages) > 1 {
		options.Communicates = anything
	}
	if o.Refs && !(o.Sharing && p.Messages && !p.Locks) {
		options.Mode = rewrite.Trace
	}
	changed := overlay{}
	for i := range s.Packages {
		result, err := s.Rewrite(i, options)
		if err != nil {
			return nil, err
		}
		for name, text := range result.Files {
			changed[name] = text
		}
		for _, f := range result.Findings {
			p.Findings = append(p.Findings, s.finding(f.Pos, f.What))
		}
		for _, at := range goroutineStarts(s.Packages[i]) {
			p.Findings = append(p.Findings, s.finding(s.Packages[i].Fset.Position(at), "a goroutine, whatever it executes"))
		}
	}
	slices.SortFunc(p.Findings, Finding.compare)
	return changed, nil
}

// finding is a construct at a position in the user's file.
func (s *Sources) finding(at token.Position, what string) Finding {
	file, err := filepath.Rel(s.main.Module.Dir, at.Filename)
	if err != nil {
		file = filepath.Base(at.Filename)
	}
	return Finding{filepath.ToSlash(file), at.Line, what}
}

// anything says that every function of another package may record or communicate,
// because some are instrumented as well.
func anything(*types.Func) bool { return true }
