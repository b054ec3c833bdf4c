package reference

import (
	_ "embed"
	"fmt"
	"strings"
)

//go:embed machine.txt
var machineText string

// machineHead is the page before its contents.
const machineHead = "# Machine, network and price files\n\n" +
	"This page lists every key of the files that describe machines, networks and prices: unit, default, meaning, and the\n" +
	"commands that use it. [Describe a machine from a data sheet](../howto/describe-machine.md) is the short way to a\n" +
	"machine of your own.\n\n" +
	"Generated from `predict/internal/reference/machine.txt` by `make reference`. Do not edit. A test compares it with the keys that\n" +
	"the reader accepts.\n"

// fileKind is a kind of file with keys.
type fileKind struct {
	Name, Text string
	Sections   []*section
}

// section is a section of a file.
type section struct {
	Title, Text string
	Keys        []fileKey
}

// fileKey is a key with the columns of its row. A name that ends in ".*" stands for all keys below it.
type fileKey struct{ Name, Unit, Default, Meaning, Used string }

// Matches reports whether k stands for a key.
func (k *fileKey) Matches(key string) bool {
	if below, is := strings.CutSuffix(k.Name, "*"); is {
		return strings.HasPrefix(key, below)
	}
	return k.Name == key
}

// fileKinds reads machine.txt.
func fileKinds() (all []*fileKind, err error) {
	n := 0
	for line := range strings.Lines(machineText) {
		n++
		if all, err = addMachineLine(all, strings.TrimSuffix(line, "\n")); err != nil {
			return nil, fmt.Errorf("machine.txt:%d: %w", n, err)
		}
	}
	return all, nil
}

func addMachineLine(all []*fileKind, line string) ([]*fileKind, error) {
	word, rest, _ := strings.Cut(line, " ")
	switch {
	case word == "#":
		return all, nil
	case word == "file":
		return append(all, &fileKind{Name: rest}), nil
	case len(all) == 0:
		return all, nil
	}
	kind := all[len(all)-1]
	if word == "section" {
		kind.Sections = append(kind.Sections, &section{Title: rest})
		return all, nil
	}
	text := &kind.Text
	if n := len(kind.Sections); n > 0 {
		text = &kind.Sections[n-1].Text
		if row, is := strings.CutPrefix(line, "\t"); is {
			return all, kind.Sections[n-1].add(row)
		}
	}
	*text += line + "\n"
	return all, nil
}

func (s *section) add(row string) error {
	f := strings.Split(row, "\t")
	if len(f) != 5 || f[0] == "" || f[2] == "" || f[3] == "" || f[4] == "" {
		return fmt.Errorf("%s needs name, unit, default, meaning and what uses it", f[0])
	}
	s.Keys = append(s.Keys, fileKey{f[0], f[1], f[2], f[3], f[4]})
	return nil
}

// machinePage returns the page of all keys.
func machinePage() (string, error) {
	kinds, err := fileKinds()
	if err != nil {
		return "", err
	}
	var b strings.Builder
	b.WriteString(machineHead + "\n| file | sections |\n|---|---|\n")
	for _, k := range kinds {
		var links []string
		for _, s := range k.Sections {
			links = append(links, s.link())
		}
		fmt.Fprintf(&b, "| [%s](#%s) | %s |\n", k.title(), slug(k.title()), strings.Join(links, ", "))
	}
	for _, k := range kinds {
		fmt.Fprintf(&b, "\n## %s\n\n%s\n", k.title(), paragraphs(k.Text))
		for _, s := range k.Sections {
			s.write(&b)
		}
	}
	return b.String(), nil
}

func (k *fileKind) title() string { return strings.ToUpper(k.Name[:1]) + k.Name[1:] + " files" }

// link returns a link to the section. Brackets in the text of a link stand in a code span.
func (s *section) link() string {
	name, rest, _ := strings.Cut(s.Title, " ")
	if strings.HasPrefix(name, "[") {
		name = "`" + name + "`"
	}
	return fmt.Sprintf("[%s](#%s)", strings.TrimSpace(name+" "+rest), slug(s.Title))
}

func (s *section) write(b *strings.Builder) {
	fmt.Fprintf(b, "\n### %s\n", s.Title)
	if text := paragraphs(s.Text); text != "" {
		fmt.Fprintf(b, "\n%s\n", text)
	}
	if len(s.Keys) == 0 {
		return
	}
	b.WriteString("\n| key | unit or values | default | meaning | used by |\n|---|---|---|---|---|\n")
	for _, k := range s.Keys {
		fmt.Fprintf(b, "| `%s` | %s | %s | %s | %s |\n", k.Name, cell(k.Unit), cell(k.Default), cell(k.Meaning), cell(k.Used))
	}
}

// paragraphs wraps the paragraphs of a text, except code and tables.
func paragraphs(text string) string {
	list := strings.Split(strings.TrimSpace(text), "\n\n")
	for i, p := range list {
		if !strings.HasPrefix(p, "|") && !strings.HasPrefix(p, "```") {
			list[i] = wrap(p)
		}
	}
	return strings.Join(list, "\n\n")
}
