package weigh

// A region is a part of a function's source that is executed as a whole: its
// statements as often as each other, apart from those in regions within it. A
// rewriter that counts has one counter for it, unless it is free.
type region struct {
	kind   regionKind
	parent *region // executed when this one is; nil of a function
	fn     *region // the function
	loop   *region // the body of the innermost loop around it; itself, of a body
	line   int     // where what has no line of its own is charged, 0 if there is nowhere
	decl   string  // of functions: name of the declaration they are in
	start  int     // of functions: line of the func keyword
	end    int     // of functions: last line
	free   bool    // no counter: how often it is executed follows from others
	tests  bool    // of a body: the loop tests before each iteration

	inlined bool // of a function: its callers count
}

type regionKind uint8

const (
	noRegion      regionKind = iota
	funcRegion               // a function's body up to the first way out
	bodyRegion               // a loop's body
	testRegion               // a loop's condition: once more than the body for each normal end
	postRegion               // a loop's post statement, where the body can be left early
	branchRegion             // a branch of an if, switch or select
	operandRegion            // right operand of && or ||
	afterRegion              // what follows a statement that can leave the list it is in
)

// A place is what a line belongs to. A range clause is evaluated once, and then
// again in each iteration: inside is the body then.
type place struct {
	region, inside *region
	own            bool    // charges may stand here: it begins a statement, and no literal
	then           *region // first branch, on the line of an if's condition, or of its last operand
}

// fileRegions are the regions of a file.
type fileRegions struct {
	at    []place // by line, from 1
	funcs []*region
}

// within returns the region of line, as seen from the loop whose body is loop.
func (f *fileRegions) within(line int, loop *region) *region {
	if line < 1 || line >= len(f.at) {
		return nil
	}
	p := f.at[line]
	if p.inside != nil && inLoop(loop, p.inside) {
		return p.inside
	}
	return p.region
}

// inLoop reports whether loop is body or a loop within it.
func inLoop(loop, body *region) bool {
	for loop != nil && loop != body {
		if loop.parent == nil {
			return false
		}
		loop = loop.parent.loop
	}
	return loop != nil
}

// owns reports whether what is executed as r can be charged to line.
func (f *fileRegions) owns(line int, r *region) bool {
	return line > 0 && line < len(f.at) && f.at[line].region == r && f.at[line].own
}
