// Package instrument makes the recording form of an SPMD program from its source, and runs it. It never writes to
// the user's files. Generated files are in a temporary folder. An overlay makes the go command read them instead of
// the source.
//
// A program goes through these steps:
//
//  1. Its main package and the packages that it imports are selected, those of the standard library included. Parts of
//     the standard library that belong to the system or to the recorder run unchanged.
//  2. Their sources are split, with one statement on each line, and built without instrumentation. Package weigh counts the
//     machine instructions of each line in that program.
//  3. Package rewrite adds code to the split sources that records memory references and counts instructions with these
//     weights.
//  4. The result is built, with an additional file in the main package that imports package session. With it, spmd.Main
//     sends the recording to tracegen.
//
// Findings and Library list what a recording does not contain: constructs that are not supported, and packages that
// run unchanged.
package instrument

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"go/token"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/tools/go/packages"

	"spoor/tracegen/instrument/internal/rewrite"
	"spoor/tracegen/instrument/internal/weigh"
	"spoor/tracegen/instrument/session"
)

// Options selects what Build makes.
type Options struct {
	Dir      string    // folder of the user's package main
	Refs     bool      // record references, in addition to events and instruction counts
	Sharing  bool      // ... but not if the program only passes messages, without locks, flags or queues
	Headers  bool      // ... also references to slice headers in memory, which compiled loops keep in registers
	Library  bool      // instrument the standard library, too
	Native   bool      // do not instrument
	Session  string    // path of the package that runs the program; if empty, package session
	Messages io.Writer // receives the messages of the go command if the build fails
}

// Program is a program that Run can run.
type Program struct {
	Name       string    // last element of the package's path
	Findings   []Finding // constructs that are not recorded
	Library    []string  // packages of the standard library that the program imports, whose code is not recorded
	Unmeasured []string  // functions that the user's packages call, and whose instructions no estimate has
	Messages   bool      // it calls functions that pass messages
	Locks      bool      // it calls functions for locks, flags or task queues
	dir        string    // temporary folder of this program
	path       string
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

// Build makes the recording form of a program. The caller must call Remove.
func Build(ctx context.Context, o Options) (p *Program, err error) {
	if err := session.Supported(); err != nil {
		return nil, err
	}
	real, err := filepath.EvalSymlinks(o.Dir) // replace directives in go.mod may be relative to it
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, fmt.Errorf("finding the program: %w; give the folder of a Go program, such as ./app", err)
	case err != nil:
		return nil, fmt.Errorf("finding the program: %w", err)
	}
	dir, err := os.MkdirTemp("", "spoor-")
	if err != nil {
		return nil, err
	}
	p = &Program{dir: dir}
	if err := p.build(ctx, o, goTool{dir: real, messages: o.Messages, tempDir: dir}); err != nil {
		return nil, errors.Join(err, p.Remove())
	}
	return p, nil
}

func (p *Program) build(ctx context.Context, o Options, tool goTool) error {
	s, err := load(ctx, tool, programScope(o.Dir, o.Library && !o.Native))
	if err != nil {
		return err
	}
	p.Name, p.Findings, p.Library = s.name(), s.skipped, s.library.notInstrumented()
	p.Messages, p.Locks = callsAny(s.Packages, passesMessages), callsAny(s.Packages, usesSharedMemory)
	folder := filepath.Join(p.dir, "program")
	if err := os.Mkdir(folder, 0o777); err != nil {
		return err
	}
	p.path = filepath.Join(folder, p.Name)
	changed := s.overlay(nil)
	if !o.Native {
		files, err := p.instrument(ctx, o, s)
		if err != nil {
			return err
		}
		maps.Copy(changed, files)
	}
	changed.addSession(s.main.Dir, cmp.Or(o.Session, sessionPath))
	if o.Session != "" {
		if err := s.sessionModule(o.Session, changed); err != nil {
			return err
		}
	}
	list, err := changed.write(p.dir, "instrumented")
	if err != nil {
		return err
	}
	return s.tool.build(ctx, list, p.path, ".")
}

// unmeasured returns the functions without a known cost that packages call.
func unmeasured(w *weigh.Weights, callers []*packages.Package) (names []string) {
	for _, p := range callers {
		path := p.PkgPath
		if p.Name == "main" {
			path = "main"
		}
		names = append(names, w.Unmeasured[path]...)
	}
	slices.SortFunc(names, func(a, b string) int { // those that the user knows first
		return cmp.Or(cmp.Compare(strings.Count(a, "internal/"), strings.Count(b, "internal/")), strings.Compare(a, b))
	})
	return slices.Compact(names)
}

// Remove deletes the program.
func (p *Program) Remove() error { return os.RemoveAll(p.dir) }

// instrument makes the recording form of all files.
func (p *Program) instrument(ctx context.Context, o Options, s *Sources) (overlay, error) {
	weights, err := s.weigh(ctx, nil)
	if err != nil {
		return nil, err
	}
	if err := s.originalLines(); err != nil { // weighing needs the split lines
		return nil, err
	}
	options := rewrite.Options{Mode: rewrite.Count, Weights: weights.Lines, Headers: o.Headers,
		Goroutines: !onlyRankGoroutines(s.ownPackages())}
	options.Communicates = s.library.mayRecord
	if o.Library {
		options.Outside, options.Assembly = weights.Outside, true
		p.Unmeasured = unmeasured(weights, s.ownPackages())
	}
	options.Instances = map[string]map[string]map[int]int{}
	for key, lines := range weights.Instances {
		options.Instances[key] = lines
	}
	if o.Refs && !(o.Sharing && p.Messages && !p.Locks) {
		options.Mode = rewrite.Trace
	}
	changed := overlay{}
	for i, pkg := range s.Packages {
		result, err := s.Rewrite(i, s.library.options(pkg.PkgPath, options))
		if err != nil {
			return nil, err
		}
		maps.Copy(changed, result.Files)
		if s.library.isStandard(pkg.PkgPath) {
			continue
		}
		for _, f := range result.Findings {
			p.Findings = append(p.Findings, s.finding(f.Pos, f.What))
		}
		for _, at := range goroutineStarts(s.Packages[i]) {
			p.Findings = append(p.Findings, s.finding(s.Packages[i].Fset.Position(at), "a goroutine and all that it executes"))
		}
	}
	slices.SortFunc(p.Findings, Finding.compare)
	return changed, nil
}

// finding returns a finding at a position in the user's file.
func (s *Sources) finding(at token.Position, what string) Finding {
	file, err := filepath.Rel(s.main.Module.Dir, at.Filename)
	if err != nil {
		file = filepath.Base(at.Filename)
	}
	return Finding{filepath.ToSlash(file), at.Line, what}
}
