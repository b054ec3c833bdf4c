package main

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"spoor/analyze/footprint"
	"spoor/analyze/quanta"
	"spoor/traces/stage"
	"spoor/traces/unit"
)

// shapesOf reads caches such as 512x4, each once.
func shapesOf(flag string, texts []string) (out []footprint.Shape, err error) {
	for _, text := range texts {
		sets, ways, found := strings.Cut(text, "x")
		s := footprint.Shape{}
		var err1, err2 error
		s.Sets, err1 = strconv.Atoi(sets)
		s.Ways, err2 = strconv.Atoi(ways)
		if !found || err1 != nil || err2 != nil || s.Sets < 1 || s.Ways < 1 || s.Sets > footprint.MaxBlocks/s.Ways {
			return nil, stage.Usage("%s: %q is not sets x ways, such as 512x4, with at most %d blocks in total", flag, text, footprint.MaxBlocks)
		}
		if !slices.Contains(out, s) {
			out = append(out, s)
		}
	}
	return out, nil
}

// quantumFlags are the flags of all analyses that divide time into quanta.
type quantumFlags struct {
	cycles, cpi float64
}

// length returns the quantum in whole instructions.
func (q *quantumFlags) length() (unit.Instructions, error) {
	if !(q.cpi > 0 && q.cpi <= 1e6) {
		return 0, stage.Usage("--cpi: %v is not a number of cycles above 0 and up to 1000000", q.cpi)
	}
	n := math.Round(q.cycles / q.cpi)
	if !(n >= 1 && n <= float64(quanta.MaxLength)) {
		return 0, stage.Usage("--quantum: %v cycles are not 1 to %d instructions of %v cycles", q.cycles, quanta.MaxLength, q.cpi)
	}
	return unit.Instructions(n), nil
}
