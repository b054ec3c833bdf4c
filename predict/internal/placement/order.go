package placement

import (
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"

	"spoor/calibrate/machine"
	"spoor/traces/stage"
)

// maxFile is the largest accepted file. It has room for 256 bytes for each of 65,536 ranks.
const maxFile = 1 << 24

// read reads the file of a flag. known says what a value that is no file could be.
func read(flag, path, known string) (string, error) {
	f, err := os.Open(path)
	if os.IsNotExist(err) {
		return "", stage.Usage("%s: %q is %s", flag, path, known)
	}
	if err != nil {
		return "", fmt.Errorf("%s: %w", flag, err)
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, maxFile+1))
	switch {
	case err != nil:
		return "", fmt.Errorf("%s: %w", flag, err)
	case len(text) > maxFile:
		return "", fmt.Errorf("%s: %s is longer than %d bytes", flag, path, maxFile)
	}
	return string(text), nil
}

// checkOrder reads Order.
func (p *Placement) checkOrder() error {
	name, seed, hasSeed := strings.Cut(p.Order, ":")
	p.seed = 1
	switch {
	case p.Order == "":
		return nil
	case name == Random && hasSeed:
		n, err := strconv.ParseUint(seed, 10, 64)
		p.seed = n
		if err != nil {
			return stage.Usage("--node-order: %q is no seed; give a number, as in %s:7", seed, Random)
		}
		return nil
	case name == Random:
		return nil
	}
	text, err := read("--node-order", p.Order, "neither "+Random+", "+Random+":SEED nor a file")
	if err != nil {
		return err
	}
	p.order, err = parseOrder(text)
	if err != nil {
		return fmt.Errorf("--node-order: %s%w", p.Order, err)
	}
	return nil
}

// parseOrder reads the numbers of nodes, apart by blanks, commas or ends of lines. # begins a comment. Errors begin
// with the line.
func parseOrder(text string) (order []int, err error) {
	seen, at := map[int]bool{}, 0
	for line := range strings.Lines(text) {
		at++
		line, _, _ = strings.Cut(line, "#")
		for word := range strings.FieldsFuncSeq(line, func(r rune) bool { return strings.ContainsRune(" \t\r\n,", r) }) {
			n, err := strconv.Atoi(word)
			switch {
			case err != nil || n < 0:
				return nil, fmt.Errorf(":%d: %.60q is not the number of a node, from 0", at, word)
			case seen[n]:
				return nil, fmt.Errorf(":%d: node %d is listed twice", at, n)
			}
			seen[n] = true
			order = append(order, n)
		}
	}
	if len(order) == 0 {
		return nil, fmt.Errorf(":%d: there are no nodes", max(1, at))
	}
	return order, nil
}

// ordered replaces the first, second, ... node that ranks use by those of Order.
func (p Placement) ordered(m *machine.Machine, nodes []int) ([]int, error) {
	order := p.order
	switch {
	case p.Order == "":
		return nodes, nil
	case order == nil:
		order = rand.New(rand.NewPCG(p.seed, 0)).Perm(m.System.Nodes)
	}
	out := make([]int, len(nodes))
	for r, n := range nodes {
		if n >= len(order) {
			return nil, fmt.Errorf("--node-order: the ranks need %s, and the order has %d", stage.Count(n+1, "node"), len(order))
		}
		out[r] = order[n]
	}
	return out, nil
}
