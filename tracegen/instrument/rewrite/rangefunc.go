package rewrite

// overFunc rewrites a range over a function. Its body is a function of its own,
// which the iterator calls: a frame with its own cursor and count.
func (r *ranging) overFunc() string {
	pre := r.evaluate(r.s.X) + r.yield()
	r.target.leaves = true
	inner := &frame{
		file: r.file, node: r.s.Body, outer: r.frame, free: r.free, direct: r.direct,
		charged: r.charged, nodes: r.nodes, weights: r.weights, targets: []*target{r.target},
	}
	in := &ranging{frame: inner, target: r.target, s: r.s, t: r.t}
	in.variables()
	body := in.funcBody()
	r.cursor = cursor{closed: r.Mode == Trace}
	return inBlock(pre, r.mark+in.header()+body, false)
}

// funcBody is the body of a range over a function.
func (r *ranging) funcBody() string {
	begin := r.begin()
	r.chargeClause()
	b := r.s.Body
	head := begin + r.assignments()
	list := r.list(b.List, b.Lbrace+1, b.Rbrace)
	end := r.leave()
	r.settle()
	return r.raw(b.Lbrace, b.Lbrace+1) + r.late(r.prologue) + head + then(list, end) + r.raw(b.Rbrace, b.End())
}
