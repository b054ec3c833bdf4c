package rewrite

// rewriteFunc rewrites a range over a function. Its body is a separate function that the iterator calls: a frame
// with its own cursor and count.
func (r *rangeLoop) rewriteFunc() string {
	pre := r.evaluate(r.s.X) + r.yield()
	r.target.leavesFrame = true
	inner := &frame{
		file: r.file, node: r.s.Body, outer: r.frame, uncounted: r.uncounted, countsOnTape: r.countsOnTape,
		charged: r.charged, nodes: r.nodes, weights: r.weights, generic: r.generic, targets: []*target{r.target},
	}
	in := &rangeLoop{frame: inner, target: r.target, s: r.s, t: r.t}
	in.variables()
	body := in.funcBody()
	r.cursor = cursor{closed: r.Mode == Trace}
	return inBlock(pre, r.mark+in.header()+body, false)
}

// funcBody returns the body of a range over a function.
func (r *rangeLoop) funcBody() string {
	begin := r.begin()
	r.chargeClause()
	b := r.s.Body
	head := begin + r.assignments()
	list := r.list(b.List, b.Lbrace+1, b.Rbrace)
	end := r.exitText()
	r.decideUses()
	return r.raw(b.Lbrace, b.Lbrace+1) + r.deferText(r.prologue) + head + appendCode(list, end) + r.raw(b.Rbrace, b.End())
}
