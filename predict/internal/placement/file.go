package placement

import (
	"fmt"
	"strconv"
	"strings"
)

// parse reads the nodes of ranks from a rank file of Open MPI, or from a list of hosts as Slurm reads it for
// --distribution=arbitrary.
//
//	rank 0=node07 slot=0      Open MPI: the host of a rank; +n2 is the third node
//	node07                    Slurm: the host of the next rank; a line may have several, as in node[07-09],node12*2
//
// Hosts get the numbers of nodes in the order of their first rank. Errors begin with the line.
func parse(text string, ranks int) ([]int, error) {
	hosts := make([]string, ranks)
	at, next := 0, 0
	for line := range strings.Lines(text) {
		at++
		line, _, _ = strings.Cut(line, "#")
		switch line = strings.TrimSpace(line); {
		case line == "":
		case strings.HasPrefix(line, "rank "):
			rank, host, err := parseRank(line)
			if err == nil {
				err = set(hosts, rank, host)
			}
			if err != nil {
				return nil, fmt.Errorf(":%d: %w", at, err)
			}
		default:
			err := eachHost(line, func(host string) error {
				next++
				return set(hosts, next-1, host)
			})
			if err != nil {
				return nil, fmt.Errorf(":%d: %w", at, err)
			}
		}
	}
	return numbered(hosts)
}

// parseRank reads "rank 3=HOST slot=0:1".
func parseRank(line string) (rank int, host string, err error) {
	number, rest, found := strings.Cut(strings.TrimPrefix(line, "rank "), "=")
	rank, err = strconv.Atoi(strings.TrimSpace(number))
	fields := strings.Fields(rest)
	if !found || err != nil || len(fields) == 0 {
		return 0, "", fmt.Errorf("%.60q is not a line such as \"rank 0=node07 slot=0\"", line)
	}
	return rank, fields[0], nil
}

func set(hosts []string, rank int, host string) error {
	switch {
	case rank < 0 || rank >= len(hosts):
		return fmt.Errorf("rank %d does not exist: the program has ranks 0 to %d", rank, len(hosts)-1)
	case host == "" || strings.ContainsAny(host, " \t=[]*"):
		return fmt.Errorf("%.60q is not the name of a host", host)
	case hosts[rank] != "":
		return fmt.Errorf("rank %d has a host already", rank)
	}
	hosts[rank] = host
	return nil
}

// numbered returns the node of each host: that of +nN is N, others follow the order of ranks.
func numbered(hosts []string) ([]int, error) {
	nodes, known := make([]int, len(hosts)), map[string]int{}
	for r, host := range hosts {
		relative, is := strings.CutPrefix(host, "+n")
		n, err := strconv.Atoi(relative)
		switch node, found := known[host]; {
		case host == "":
			return nil, fmt.Errorf(": rank %d has no host", r)
		case is && (err != nil || n < 0):
			return nil, fmt.Errorf(": rank %d: %q is not a node such as +n2", r, host)
		case is:
			nodes[r] = n
		case found:
			nodes[r] = node
		default:
			known[host] = len(known)
			nodes[r] = known[host]
		}
		if is != strings.HasPrefix(hosts[0], "+n") {
			return nil, fmt.Errorf(": rank %d: %q: names of hosts and +n cannot be mixed", r, host)
		}
	}
	return nodes, nil
}
