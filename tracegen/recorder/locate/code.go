package locate

import (
	"fmt"
	"path/filepath"
	"slices"

	"spoor/tracegen/recorder/image"
	"spoor/traces/symbols"
)

// loaded is a file that is mapped, whose addresses are larger by its bias.
type loaded struct {
	path string
	bias uint64
	end  uint64 // of its addresses in memory
	file *image.File
}

// code writes the names of instructions, and the variables of the files that have them.
func (p *Places) code(pcs []uint64) (notes []string, err error) {
	slices.Sort(pcs)
	pcs = slices.Compact(pcs)
	files := map[string]*image.File{}
	defer func() {
		for _, f := range files {
			if f != nil {
				f.Close()
			}
		}
	}()
	for _, m := range p.mapped {
		used := between(pcs, m.from, m.to)
		if m.path == "" || len(used) == 0 {
			continue
		}
		if _, tried := files[m.path]; !tried {
			f, err := image.Open(m.path)
			if err != nil && image.IsELF(err) {
				notes = append(notes, fmt.Sprintf("the code of %s has no names: %v", filepath.Base(m.path), err))
			}
			files[m.path] = f
		}
	}
	images := p.images(pcs, files)
	for _, l := range images {
		if err := p.lines(l, pcs); err != nil {
			return notes, err
		}
	}
	for _, l := range images {
		if err := p.variables(l); err != nil {
			return notes, err
		}
	}
	return notes, nil
}

// between returns the addresses from one up to another.
func between(pcs []uint64, from, to uint64) []uint64 {
	i, _ := slices.BinarySearch(pcs, from)
	j, _ := slices.BinarySearch(pcs, to)
	return pcs[i:max(i, j)]
}

// images returns the files where they are mapped with instructions that are used. QEMU has the same files elsewhere.
func (p *Places) images(pcs []uint64, files map[string]*image.File) (images []loaded) {
	for _, m := range p.mapped {
		f := files[m.path]
		if f == nil {
			continue
		}
		if slices.ContainsFunc(images, func(l loaded) bool { return l.path == m.path && l.bias <= m.from && m.from < l.end }) {
			continue // a further part: two may be of one page of the file, so only the first says where the file is
		}
		if bias, ok := f.Bias(m.from, m.offset); ok && len(between(pcs, bias, bias+f.Size())) > 0 {
			images = append(images, loaded{m.path, bias, bias + f.Size(), f})
		}
	}
	return images
}

// lines writes a row for each range of the instructions of a file that are at one place.
func (p *Places) lines(l loaded, pcs []uint64) error {
	used := slices.Clone(between(pcs, l.bias, l.end))
	for i := range used {
		used[i] -= l.bias
	}
	places := l.file.Places(used)
	for i := 0; i < len(used); {
		j := i + 1
		for j < len(used) && places[j] == places[i] {
			j++
		}
		at := places[i]
		err := p.out.Add(symbols.Row{Kind: symbols.Code, Addr: used[i] + l.bias, Bytes: used[j-1] + 1 - used[i], Module: filepath.Base(l.path),
			Name: at.Function, In: at.In, File: at.File, Line: int32(at.Line), InFile: at.InFile, InLine: int32(at.InLine)})
		if err != nil {
			return err
		}
		i = j
	}
	return nil
}

// variables writes the variables of a file that the recording may touch, and the members of their types.
func (p *Places) variables(l loaded) error {
	all, members := l.file.Variables(func(from, to uint64) bool { return p.touched(from+l.bias, to+l.bias) })
	module := filepath.Base(l.path)
	for _, v := range all {
		err := p.out.Add(symbols.Row{Kind: symbols.Global, Addr: v.Addr + l.bias, Bytes: v.Bytes, Module: module, Name: v.Name,
			File: v.File, Line: int32(v.Line), Type: v.Type, Count: v.Count})
		if err != nil {
			return err
		}
	}
	for _, m := range members {
		err := p.out.Add(symbols.Row{Kind: symbols.Member, Addr: m.Offset, Bytes: m.Bytes, Module: module, Name: m.Name, In: m.Of,
			Type: m.Type, Count: m.Count})
		if err != nil {
			return err
		}
	}
	return nil
}
