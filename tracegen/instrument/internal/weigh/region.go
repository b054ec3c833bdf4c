package weigh

// A region is a part of a function's source whose statements are executed equally often, except those of inner
// regions. A rewriter that counts has one counter for each region that is not derived.
type region struct {
	kind    regionKind
	parent  *region // enclosing region; nil for a function
	fn      *region // the function
	loop    *region // body of the innermost loop around it; for a body, itself
	again   *region // statements after the label of a goto that contain it, within the innermost loop; or nil
	line    int     // gets the charges without a line of their own; 0 if there is none
	decl    string  // of functions: name of the enclosing declaration
	start   int     // of functions: line of the func keyword
	end     int     // of functions: last line
	derived bool    // has no counter: its count follows from others
	tests   bool    // of a body: the loop has a test before each iteration

	inlined bool // of a function: its callers count its instructions
}

type regionKind uint8

const (
	noRegion      regionKind = iota
	funcRegion               // a function's body up to the first early exit
	bodyRegion               // a loop's body
	testRegion               // a loop's condition: once more than the body for each normal end
	postRegion               // a loop's post statement, if the body has an early exit
	branchRegion             // a branch of an if, switch or select
	operandRegion            // right operand of && or ||
	afterRegion              // statements after one with an early exit
)

// A lineInfo describes a line. A range clause is evaluated once before the loop, and again in each iteration;
// loopBody is then the loop's body.
type lineInfo struct {
	region, loopBody *region
	chargeable       bool    // charges are allowed here: a statement begins on the line, and no literal
	thenBranch       *region // first branch, for the line of an if's condition or of its last operand
}

// fileRegions are the regions of a file.
type fileRegions struct {
	at    []lineInfo // by line, from 1
	funcs []*region
}

// regionAt returns the region of line for code in the loop whose body is loop.
func (f *fileRegions) regionAt(line int, loop *region) *region {
	if line < 1 || line >= len(f.at) {
		return nil
	}
	p := f.at[line]
	if p.loopBody != nil && inLoop(loop, p.loopBody) {
		return p.loopBody
	}
	return p.region
}

// inLoop reports whether loop is body or a loop inside it.
func inLoop(loop, body *region) bool {
	for loop != nil && loop != body {
		if loop.parent == nil {
			return false
		}
		loop = loop.parent.loop
	}
	return loop != nil
}

// canCharge reports whether charges of r may be on line.
func (f *fileRegions) canCharge(line int, r *region) bool {
	return line > 0 && line < len(f.at) && f.at[line].region == r && f.at[line].chargeable
}
