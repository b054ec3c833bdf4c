package recorder

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"spoor/traces/format"
)

// rankVariables have the rank of a process, by launcher. The first that is set counts.
var rankVariables = []string{"OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK", "SLURM_PROCID"}

// ownRank is the rank that the launcher gave to this process; false means that there is no launcher.
func ownRank() (rank int, launched bool) {
	for _, name := range rankVariables {
		if n, err := strconv.Atoi(os.Getenv(name)); err == nil && n >= 0 {
			return n, true
		}
	}
	return 0, false
}

// Part is what one rank leaves for the others.
type Part struct {
	Run    uint64   `json:"run"`
	Status int      `json:"status"`
	Notes  []string `json:"notes,omitempty"`
	Error  string   `json:"error,omitempty"` // why the rank has no part
}

// parts are the parts of a run, in a folder beside its output.
type parts struct {
	folder string
	rank   int
}

// openParts makes the folder, and removes what an earlier run left of this rank. The program of no rank leaves MPI_Init before
// all ranks have done so.
func openParts(prefix string) (*parts, error) {
	p := &parts{folder: prefix + ".ranks"}
	p.rank, _ = ownRank()
	if err := p.clear(p.rank); err != nil {
		return nil, err
	}
	if err := os.MkdirAll(p.folder, 0o777); err != nil {
		return nil, fmt.Errorf("making the folder of the ranks' parts: %w", err)
	}
	return p, nil
}

func (p *parts) prefix(rank int) string {
	return filepath.Join(p.folder, fmt.Sprintf("rank-%06d", rank))
}
func (p *parts) calls(rank int) string { return p.prefix(rank) + ".mpi" }
func (p *parts) done(rank int) string  { return p.prefix(rank) + ".done" }

// leave says that this rank has ended.
func (p *parts) leave(part Part) error {
	text, err := json.Marshal(part)
	if err != nil {
		return err
	}
	temp := p.prefix(p.rank) + ".partial"
	if err := os.WriteFile(temp, text, 0o666); err != nil {
		return fmt.Errorf("writing the part of rank %d: %w", p.rank, err)
	}
	return os.Rename(temp, p.done(p.rank))
}

// patience is how long rank 0 waits for another part since the last one came.
var patience = 60 * time.Second

// hurry is how long it waits if it was interrupted: the launcher kills it soon.
const hurry = 300 * time.Millisecond

// await waits for the parts of all other ranks. If this process was interrupted, those that are missing were killed.
func (p *parts) await(ctx context.Context, run format.Run) (map[int]Part, error) {
	there := map[int]Part{}
	since := time.Now()
	for {
		for rank := range run.Ranks {
			if _, known := there[rank]; known {
				continue
			}
			if part, ok := p.part(rank, run.ID); ok {
				there[rank], since = part, time.Now()
			}
		}
		waited := time.Since(since)
		switch {
		case len(there) == run.Ranks:
			return there, nil
		case ctx.Err() != nil && waited > hurry:
			return there, nil
		case waited > patience:
			return nil, p.absent(there, run.Ranks)
		}
		time.Sleep(10 * time.Millisecond)
	}
}

// part reads the part of a rank in this run.
func (p *parts) part(rank int, run uint64) (part Part, ok bool) {
	text, err := os.ReadFile(p.done(rank))
	if err != nil || json.Unmarshal(text, &part) != nil {
		return part, false
	}
	return part, part.Run == run || part.Error != ""
}

// absent is the error for parts that did not come.
func (p *parts) absent(there map[int]Part, ranks int) error {
	var missing []string
	for rank := range ranks {
		if _, ok := there[rank]; !ok {
			missing = append(missing, strconv.Itoa(rank))
		}
	}
	if more := len(missing) - 8; more > 0 {
		missing = append(missing[:8], fmt.Sprintf("and %d more", more))
	}
	return fmt.Errorf("the parts of ranks %s did not come into %s within %v; if they run on other hosts, name an output on a disk that all hosts share",
		strings.Join(missing, ", "), p.folder, patience)
}

// remove removes the part of a rank, and the folder if nothing else is in it.
func (p *parts) remove(rank int) error {
	err := p.clear(rank)
	_ = os.Remove(p.folder) // other files may be there
	return err
}

// clear removes the part of a rank.
func (p *parts) clear(rank int) error {
	files, err := filepath.Glob(p.prefix(rank) + ".*")
	for _, path := range files {
		err = errors.Join(err, os.Remove(path))
	}
	if err != nil {
		return fmt.Errorf("removing the part of rank %d: %w", rank, err)
	}
	return nil
}
