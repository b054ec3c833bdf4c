package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"regexp"
	"strconv"
	"strings"
)

// flatten moves statements out of the blocks that the rewriter adds. Names that these blocks declare are unique.
func flatten(d ast.Decl) {
	jumps := false
	ast.Inspect(d, func(n ast.Node) bool {
		b, ok := n.(*ast.BranchStmt)
		jumps = jumps || ok && b.Tok == token.GOTO // cannot jump over declarations
		return !jumps
	})
	if jumps {
		return
	}
	ast.Inspect(d, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.BlockStmt:
			n.List = flattened(n.List)
		case *ast.CaseClause:
			n.Body = flattened(n.Body)
		case *ast.CommClause:
			n.Body = flattened(n.Body)
		}
		return true
	})
}

func flattened(list []ast.Stmt) (flat []ast.Stmt) {
	for _, s := range list {
		if b, ok := s.(*ast.BlockStmt); ok && declaresOnlyTemporaries(b.List) {
			flat = append(flat, flattened(b.List)...)
		} else {
			flat = append(flat, s)
		}
	}
	return flat
}

// declaresOnlyTemporaries reports whether the statements declare no names but those of the rewriter.
func declaresOnlyTemporaries(list []ast.Stmt) bool {
	for _, s := range list {
		switch s := s.(type) {
		case *ast.DeclStmt, *ast.LabeledStmt:
			return false
		case *ast.AssignStmt:
			for _, e := range s.Lhs {
				if id, ok := e.(*ast.Ident); s.Tok == token.DEFINE && (!ok || !strings.HasSuffix(id.Name, "__")) {
					return false
				}
			}
		}
	}
	return true
}

// A shorter is a replacement of statements of the rewriter by a call that the compiler inlines.
type shorter struct {
	long *regexp.Regexp
	call string
	only func(m []string) bool // nil: always
}

const (
	cursor  = `(b__, o__(?: ?\+ ?(\d+))?)`
	address = `unsafe__\.Pointer\(&(.*)\)`
	kind    = `(tape__\.[^,]*)`
)

// replacements are made in this order.
var replacements = []shorter{
	{statements(`n__ \+= (\d+)`, `o__, n__ = t__\.Flush\(b__, o__, l__, n__\), 0`), "o__, n__ = t__.Flush(b__, o__, l__, n__+$2), 0", nil},
	{statements(`o__ = t__\.Off\(\)`, `o__, n__ = t__\.Flush\(b__, o__, l__, n__(.*)\), 0`), "o__, n__ = t__.Flush(b__, t__.Off(), l__, n__$2), 0", nil},
	{statements(`n__ \+= (\d+)`, `o__, n__ = t__\.Flush\(b__, t__\.Off\(\), l__, n__\), 0`), "o__, n__ = t__.Flush(b__, t__.Off(), l__, n__+$2), 0", nil},
	{statements(`o__ \+= (\d+)`, `o__, n__ = t__\.Flush\(b__, o__, l__, n__(.*)\), 0`), "o__, n__ = t__.Flush(b__, o__+$2, l__, n__$3), 0", nil},
	{statements(`o__, n__ = t__\.Flush\((.*)\), 0`, `t__\.Close\(o__\)`), "n__ = t__.FlushClose($2)", nil},
	{statements(`if n__ != 0 {`, `t__\.Work\(n__\)`, `n__ = 0`, `}`), "n__ = t__.FlushClosed(n__)", nil},
	{statements(`n__ \+= (\d+)`, `n__ = t__\.FlushClosed\(n__\)`), "n__ = t__.FlushClosed(n__ + $2)", nil},
	{statements(`if o__ >= l__ {`, `o__ = t__\.Full\(o__\)`, `}`), "o__ = t__.Reserve(o__, l__)", nil},
	{statements(`o__ = t__\.Off\(\)`, `o__ = t__\.Reserve\(o__, l__\)`), "o__ = t__.Reserve(t__.Off(), l__)", nil},
	{statements(`o__ \+= (\d+)`, `o__ = t__\.Reserve\(o__, l__\)`), "o__ = t__.Reserve(o__+$2, l__)", nil},
	{statements(`tape__\.Put\(`+cursor+`, `+address+`, `+kind+`\)`, `(v\d+__) := (.*)`), "$6 := tape__.PutLoad($2, &$4, $5)", func(m []string) bool { return m[4] == m[7] }},
	{statements(`(v\d+__) := tape__\.PutLoad\(`+cursor+`, (.*)\)`, `t__\.Close\(o__ \+ (\d+)\)`), "$2 := tape__.PutLoadClose(t__, $3, $5)", follows(4, 6)},
	{statements(`tape__\.Put\(`+cursor+`, `+address+`, `+kind+`\)`, `(.*) = (.*)`), "tape__.PutStore($2, &$4, $5, $7)",
		func(m []string) bool { _, err := parser.ParseExpr(m[7]); return m[4] == m[6] && err == nil }},
	{statements(`tape__\.PutStore\(`+cursor+`, (.*)\)`, `t__\.Close\(o__ \+ (\d+)\)`), "tape__.PutStoreClose(t__, $2, $4)", follows(3, 5)},
	{statements(`tape__\.PutStore\(`+cursor+`, (.*)\)`, `o__ \+= (\d+)`), "o__ = tape__.PutStoreNext($2, $4)", follows(3, 5)},
	{statements(`tape__\.Put\(`+cursor+`, (.*)\)`, `([\w.\[\]*+-]+ [-+*/]?= [^{}\n]*)`, `t__\.Close\(o__ \+ (\d+)\)`), "t__.PutClose($2, $4)\n$1$5", apart(5, follows(3, 6))},
	{statements(`tape__\.Put\(`+cursor+`, (.*)\)`, `([\w.\[\]*+-]+ [-+*/]?= [^{}\n]*)`, `o__ \+= (\d+)`), "o__ = tape__.PutNext($2, $4)\n$1$5", apart(5, follows(3, 6))},
	{statements(`tape__\.Put\(`+cursor+`, (.*)\)`, `t__\.Close\(o__ \+ (\d+)\)`), "t__.PutClose($2, $4)", follows(3, 5)},
	{statements(`tape__\.Put\(`+cursor+`, (.*)\)`, `n__ = 0`), "n__ = tape__.PutCount($2, $4)", nil},
	{statements(`tape__\.Put\(`+cursor+`, (.*)\)`, `o__ \+= (\d+)`), "o__ = tape__.PutNext($2, $4)", follows(3, 5)},
	{statements(`t__\.N \+= n__`, `n__ = 0`), "t__.N, n__ = t__.N+n__, 0", nil},
	{statements(`n__ \+= (\d+)`, `t__\.N, n__ = t__\.N\+n__, 0`), "t__.N, n__ = t__.N+n__+$2, 0", nil},
	{statements(`n__ \+= (\d+)`, `t__\.N \+= n__`), "t__.N += n__ + $2", nil},
	{statements(`n__ := hooks__\.None`, `n__ \+= (\d+)`), "n__ := hooks__.None + $2", nil},
	{statements(`t__ := tape__\.Cur\(\)`, `b__, o__, l__ := t__\.Open\(\)`), "t__, b__, o__, l__ := tape__.Begin()", nil},
	{statements(`t__, b__, o__, l__ := tape__\.Begin\(\)`, `n__ := (.*)`), "t__, b__, o__, l__, n__ := tape__.BeginAt($2)", nil},
	{statements(`t__ := tape__\.Cur\(\)`, `n__ := hooks__\.None`, `t__\.N, n__ = t__\.N\+n__\+(\d+), 0`), "t__, n__ := tape__.CurAdd($2), hooks__.None", nil},
	{statements(`t__ := tape__\.Cur\(\)`, `n__ := hooks__\.None \+ (\d+)`, `t__\.N, n__ = t__\.N\+n__, 0`), "t__, n__ := tape__.CurAdd($2), hooks__.None", nil},
	{statements(`t__ := tape__\.Cur\(\)`, `n__ := (.*)`), "t__, n__ := tape__.Cur(), $2", nil},
}

// follows returns a condition: the number in group j is one word after that in group i.
func follows(i, j int) func([]string) bool {
	return func(m []string) bool {
		a, _ := strconv.Atoi(m[i]) // none is 0
		b, err := strconv.Atoi(m[j])
		return err == nil && b == a+8
	}
}

// apart returns a condition: the statement in group i does not use the tape, and ends on its line.
func apart(i int, and func([]string) bool) func([]string) bool {
	return func(m []string) bool {
		_, value, _ := strings.Cut(m[i], "= ")
		_, err := parser.ParseExpr(value)
		return err == nil && !usesTape.MatchString(m[i]) && and(m)
	}
}

var usesTape = regexp.MustCompile(`\b[otb]__\b`)

// statements matches statements in the layout of gofmt, one on each line.
func statements(lines ...string) *regexp.Regexp {
	return regexp.MustCompile(`(?m)^(\t*)` + strings.Join(lines, `\n\t*`) + `$`)
}

func (s shorter) replace(text string) string {
	return s.long.ReplaceAllStringFunc(text, func(old string) string {
		m := s.long.FindStringSubmatchIndex(old)
		if s.only != nil && !s.only(s.long.FindStringSubmatch(old)) {
			return old
		}
		return string(s.long.ExpandString(nil, "${1}"+s.call, old, m))
	})
}

// work is the code that writes the count.
var work = shorter{long: statements(`if o__ >= l__ {`, `o__ = t__\.Full\(o__\)`, `}`, `hooks__\.Work\(b__, o__, n__\)`, `o__ \+= 8`, `n__ = 0`),
	call: "o__, n__ = t__.Flush(b__, o__, l__, n__), 0"}

// withoutTests removes the test whether there is a count to write, where the block has added to the count.
func withoutTests(text string) string {
	var out []string
	lines := strings.Split(text, "\n")
	for i := 0; i < len(lines); i++ {
		if strings.TrimSpace(lines[i]) == "if n__ != 0 {" && strings.HasSuffix(lines[i+2], "}") && isCounted(out, lines[i]) {
			out = append(out, lines[i+1][1:])
			i += 2
			continue
		}
		out = append(out, lines[i])
	}
	return strings.Join(out, "\n")
}

var (
	adds   = regexp.MustCompile(`^n__ \+= \d+$`)
	resets = regexp.MustCompile(`\bn__ :?= |^case |^default:|:$`)
)

// isCounted reports whether the block that lines end with has added to the count since it was last reset.
func isCounted(lines []string, next string) bool {
	indent := func(s string) int { return len(s) - len(strings.TrimLeft(s, "\t")) }
	for i := len(lines) - 1; i >= 0; i-- {
		line := strings.TrimSpace(lines[i])
		switch in := indent(lines[i]); {
		case in < indent(next) || resets.MatchString(line):
			return false
		case in == indent(next) && adds.MatchString(line):
			return true
		}
	}
	return false
}

// shorten replaces statements of the rewriter. The result is in the layout of gofmt.
func shorten(text string) string {
	text = withoutTests(work.replace(text))
	for _, s := range replacements {
		text = s.replace(text)
	}
	if strings.Count(text, "t__,") == 1 && strings.Count(text, "t__.") == 0 { // the only use of the tape
		text = onlyCount.ReplaceAllString(text, "${1}tape__.CurAdd($2)")
	}
	return joinLoads(nameOnce(text))
}

var (
	onlyCount = statements(`t__, n__ := tape__\.CurAdd\((\d+)\), hooks__\.None`)

	renamed = statements(`(v\d+__) := (.*)`, `([a-zA-Z]\w*) (:?=) (v\d+__)`)
	loads   = statements(`(v\d+__) := (tape__\.PutLoad\([^()\n]*\)|[^(){}<\n]*)`, `(v\d+__) := (tape__\.PutLoad\([^()\n]*\)|[^(){}<\n]*)`)
)

// nameOnce removes names of the rewriter for values that get another name at once.
func nameOnce(text string) string {
	return renamed.ReplaceAllStringFunc(text, func(old string) string {
		m := renamed.FindStringSubmatch(old)
		if _, err := parser.ParseExpr(m[3]); err != nil || m[2] != m[6] || len(regexp.MustCompile(`\b`+m[2]+`\b`).FindAllString(text, -1)) > 2 {
			return old
		}
		return m[1] + m[4] + " " + m[5] + " " + m[3]
	})
}

// joinLoads joins pairs of values without calls that do not depend on each other.
func joinLoads(text string) string {
	return loads.ReplaceAllStringFunc(text, func(old string) string {
		m := loads.FindStringSubmatch(old)
		if strings.Contains(m[5], m[2]) || len(old) > 140 {
			return old
		}
		return m[1] + m[2] + ", " + m[4] + " := " + m[3] + ", " + m[5]
	})
}
