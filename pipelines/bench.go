package main

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
)

// bench measures every figure of data/bench/thresholds.tsv. It prints each one next to its reference, measured in the same run, and its
// threshold. The output of Go's benchmarks goes to RAW, for benchstat. A busy host changes values, so ratios say more.
// Every round measures each figure once. The table has the medians of values and ratios over the rounds.
//
//	bench RAW [BENCHTIME [ROUNDS [FIGURE...]]]     # FIGURE: a part of its name
func bench(args []string, out io.Writer) error {
	for i, initial := range []string{"", "1s", "5"} {
		if len(args) == i && i > 0 {
			args = append(args, initial)
		}
	}
	if len(args) < 3 {
		return fmt.Errorf("give RAW")
	}
	rounds, err := strconv.Atoi(args[2])
	if err != nil || rounds < 1 {
		return fmt.Errorf("ROUNDS is %q; give a number from 1 on", args[2])
	}
	figures, err := chosenFigures(args[3:])
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(args[0]), 0o777); err != nil {
		return err
	}
	file, err := os.Create(args[0])
	if err != nil {
		return err
	}
	defer file.Close()
	raw, err := runBenchmarks(figures, args[1], rounds, file)
	if err == nil {
		for _, reason := range skipped(raw) {
			fmt.Fprintln(os.Stderr, "not measured: "+reason)
		}
		printFigures(figures, measure(raw), out, fmt.Sprintf("# %s, %d processors, %s %s %s, benchtime %s, median of %d\n",
			field(raw, "cpu"), runtime.NumCPU(), runtime.Version(), runtime.GOOS, runtime.GOARCH, args[1], rounds))
	}
	return err
}

// chosenFigures returns the figures whose names match one of the expressions, or all.
func chosenFigures(expressions []string) (chosen []row, err error) {
	const list = "data/bench/thresholds.tsv"
	all, err := readRows([]string{list})
	if err != nil || len(expressions) == 0 {
		return all, err
	}
	for _, text := range expressions {
		expression, err := regexp.Compile(text)
		if err != nil {
			return nil, fmt.Errorf("the figure %q is no regular expression: %w", text, err)
		}
		if !slices.ContainsFunc(all, func(f row) bool { return expression.MatchString(f.text("figure")) }) {
			return nil, fmt.Errorf("no figure has the name %q; %s has all names", text, list)
		}
	}
	any := regexp.MustCompile(strings.Join(expressions, "|"))
	return slices.DeleteFunc(all, func(f row) bool { return !any.MatchString(f.text("figure")) }), nil
}

// skipped returns why benchmarks were skipped, each reason once. Go prints the reason before it says that it skips.
func skipped(raw []byte) (reasons []string) {
	var said []string
	for line := range strings.Lines(string(raw)) {
		text := strings.TrimSpace(line)
		place, reason, found := strings.Cut(text, ": ")
		switch {
		case strings.HasPrefix(text, "--- SKIP") && said != nil:
			reasons = append(reasons, strings.Join(said, "\n  "))
		case !strings.HasPrefix(line, "    "):
			said = nil
		case found && strings.Contains(place, "_test.go:"):
			said = []string{reason}
		case said != nil:
			said = append(said, text)
		}
	}
	slices.Sort(reasons)
	return slices.Compact(reasons)
}

// runBenchmarks runs each package once in a round, with the benchmarks of its figures and references. It returns what Go prints.
func runBenchmarks(figures []row, benchtime string, rounds int, file io.Writer) ([]byte, error) {
	patterns := map[string][]string{}
	for _, f := range figures {
		for _, column := range []string{"benchmark", "reference"} {
			pattern := "^Benchmark" + strings.ReplaceAll(f.text(column), "/", "$/^") + "$"
			if p := f.text("package"); f.text(column) != "-" && !slices.Contains(patterns[p], pattern) {
				patterns[p] = append(patterns[p], pattern)
			}
		}
	}
	var raw bytes.Buffer
	for range rounds {
		for _, p := range slices.Sorted(maps.Keys(patterns)) {
			cmd := exec.Command(cmp.Or(os.Getenv("GO"), "go"), "test", "-v", "-run", "^$", "-bench", strings.Join(patterns[p], "|"), "-benchmem", "-benchtime", benchtime, "./"+p)
			cmd.Stdout, cmd.Stderr = io.MultiWriter(&raw, file), os.Stderr
			if err := cmd.Run(); err != nil {
				os.Stderr.Write(raw.Bytes())
				return nil, err
			}
		}
	}
	return raw.Bytes(), nil
}

// field returns the first value of a field of Go's benchmark format.
func field(raw []byte, name string) string {
	for line := range strings.Lines(string(raw)) {
		if value, ok := strings.CutPrefix(line, name+": "); ok {
			return strings.TrimSpace(value)
		}
	}
	return ""
}

// measured names the values of a benchmark in a unit.
type measured struct{ pkg, benchmark, unit string }

var procsSuffix = regexp.MustCompile(`-[0-9]+$`)

// measure reads the values of all rounds.
func measure(raw []byte) map[measured][]string {
	values := map[measured][]string{}
	pkg := ""
	for line := range strings.Lines(string(raw)) {
		if path, ok := strings.CutPrefix(line, "pkg: "); ok {
			_, pkg, _ = strings.Cut(strings.TrimSpace(path), "/")
		}
		words := strings.Fields(line)
		if len(words) < 4 || !strings.HasPrefix(words[0], "Benchmark") {
			continue
		}
		name := procsSuffix.ReplaceAllString(strings.TrimPrefix(words[0], "Benchmark"), "")
		for i := 2; i+1 < len(words); i += 2 {
			k := measured{pkg, name, words[i+1]}
			values[k] = append(values[k], words[i])
		}
	}
	return values
}

// median returns the value in the middle, of two the lower one, and "" if there is none.
func median(values []string) string {
	if len(values) == 0 {
		return ""
	}
	sorted := slices.SortedStableFunc(slices.Values(values), func(a, b string) int { return cmp.Compare(decimal(a), decimal(b)) })
	return sorted[(len(sorted)-1)/2]
}

func decimal(s string) float64 {
	x, _ := strconv.ParseFloat(s, 64)
	return x
}

// printFigures prints a line for each figure.
func printFigures(figures []row, values map[measured][]string, out io.Writer, head string) {
	io.WriteString(out, head+strings.Join([]string{"figure", "value", "unit", "reference", "ratio", "threshold", "met"}, "\t")+"\n")
	for _, f := range figures {
		all := values[measured{f.text("package"), f.text("benchmark"), f.text("metric")}]
		others := values[measured{f.text("package"), f.text("reference"), f.text("of")}]
		value, reference, ratio := median(all), "-", "-"
		if f.text("of") != "-" {
			reference = median(others)
			if len(all) == len(others) && len(all) > 0 {
				var ratios []string
				for i, v := range all {
					ratios = append(ratios, strconv.FormatFloat(decimal(v)/decimal(others[i]), 'g', -1, 64))
				}
				ratio = fmt.Sprintf("%.3g", decimal(median(ratios)))
			}
		}
		judged, threshold, met := value, f.text("threshold"), "no"
		if f.text("judged") == "ratio" {
			judged = ratio
		}
		limit, least := strings.CutPrefix(threshold, ">=")
		limit = strings.TrimPrefix(limit, "<=")
		if value == "" || judged == "-" {
			met = "not measured"
		} else if least && decimal(judged) >= decimal(limit) || !least && decimal(judged) <= decimal(limit) {
			met = "yes"
		}
		fmt.Fprintln(out, strings.Join([]string{f.text("figure"), value, f.text("metric"), reference, ratio, f.text("judged") + " " + threshold, met}, "\t"))
	}
}
