package placement

import (
	"fmt"
	"strconv"
	"strings"
)

// eachHost calls do for each host of a list as Slurm has them, until it returns an error.
//
//	node1,node1,node2      hosts
//	node1*2,node2          the same
//	node[08-10,12]         node08, node09, node10, node12
func eachHost(list string, do func(host string) error) error {
	for list != "" {
		entry := list[:endOfEntry(list)]
		list = list[len(entry):]
		if list != "" {
			if list = list[1:]; list == "" {
				return do("")
			}
		}
		if err := repeat(strings.TrimSpace(entry), do); err != nil {
			return err
		}
	}
	return nil
}

// endOfEntry is where the first comma is that is not in brackets.
func endOfEntry(list string) int {
	inside := false
	for i, c := range list {
		switch c {
		case '[', ']':
			inside = c == '['
		case ',':
			if !inside {
				return i
			}
		}
	}
	return len(list)
}

// repeat calls do for each host of HOST or HOST*TIMES.
func repeat(entry string, do func(string) error) error {
	host, times, is := strings.Cut(entry, "*")
	if !is {
		return expand("", host, do)
	}
	n, err := strconv.Atoi(times)
	if err != nil || n < 1 || strings.ContainsAny(host, "[]") {
		return fmt.Errorf("%.60q is not a host and how often it is repeated, such as \"node07*2\"", entry)
	}
	for range n {
		if err := do(host); err != nil {
			return err
		}
	}
	return nil
}

// expand calls do for each host that begins with head and goes on as tail says, which may have numbers in brackets.
func expand(head, tail string, do func(string) error) error {
	before, rest, is := strings.Cut(tail, "[")
	numbers, after, closed := strings.Cut(rest, "]")
	switch {
	case !is && !strings.Contains(tail, "]"):
		return do(head + tail)
	case !closed || strings.Contains(before+numbers, "]") || strings.Contains(numbers, "["):
		return fmt.Errorf("%.60q has brackets that do not match", tail)
	}
	for part := range strings.SplitSeq(numbers, ",") {
		from, to, ranged := strings.Cut(strings.TrimSpace(part), "-")
		if !ranged {
			to = from
		}
		low, err := strconv.ParseUint(from, 10, 32)
		high, wrong := strconv.ParseUint(to, 10, 32)
		if err != nil || wrong != nil || high < low {
			return fmt.Errorf("%.60q in brackets is not a number or a range such as 08-11", part)
		}
		for i := low; i <= high; i++ {
			if err := expand(fmt.Sprintf("%s%s%0*d", head, before, len(from), i), after, do); err != nil {
				return err
			}
		}
	}
	return nil
}
