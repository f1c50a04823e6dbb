package fuel

// manyCallers is from how many places a function is called that is called too often to do
// more each time.
const manyCallers = 32

// A callGraph finds, of every circle of calls that takes room on the C stack, a function
// which does: the first to be called again while it is under way. It leaves circles out
// whose functions all have many callers, of which the engine of the sandbox has none that
// goes deep. Functions are known by the place of their body.
type callGraph struct {
	module *parsedModule
	table  map[uint32][]int // by the type: what is called by its place in a table
	calls  [][]int          // what a body calls
	places []int            // from which a body is called directly
	framed []bool           // whether it moves the pointer of the C stack

	seen, underWay, recursive []bool
}

func newCallGraph(module *parsedModule, bodies int) *callGraph {
	flags := func() []bool { return make([]bool, bodies) }
	return &callGraph{
		module: module, table: map[uint32][]int{}, calls: make([][]int, bodies), places: make([]int, bodies),
		framed: flags(), seen: flags(), underWay: flags(), recursive: flags(),
	}
}

// addToTable notes that a function is in a table.
func (g *callGraph) addToTable(function uint32) {
	if i := int(function) - len(g.module.imports); i >= 0 && i < len(g.calls) {
		t := g.module.functions[i]
		g.table[t] = append(g.table[t], i)
	}
}

// read takes in a body, when all tables are known.
func (g *callGraph) read(i int, body []byte) error {
	d := &decoder{data: body}
	for n := d.uint32(); n > 0 && d.err == nil; n-- {
		d.uint32()
		d.byte()
	}
	for d.more() {
		switch next := d.next(); next.op {
		case opGlobalSet:
			g.framed[i] = g.framed[i] || next.value == 0
		case opCallInd:
			g.calls[i] = append(g.calls[i], g.table[uint32(next.value)]...)
		case opCall:
			if called := int(next.value) - len(g.module.imports); called >= 0 && called < len(g.calls) {
				g.calls[i] = append(g.calls[i], called)
				g.places[called]++
			}
		}
	}
	return d.end()
}

// visit goes through all that a body leads to.
func (g *callGraph) visit(i int) {
	if i < 0 || i >= len(g.seen) || g.seen[i] {
		return
	}
	g.seen[i], g.underWay[i] = true, true
	for _, next := range g.candidates(i) {
		g.recursive[next] = g.recursive[next] || g.underWay[next]
		g.visit(next)
	}
	g.underWay[i] = false
}

// candidates are the bodies with a frame on the C stack and few callers that a body calls,
// itself or by others.
func (g *callGraph) candidates(i int) []int {
	var found []int
	passed := map[int]bool{}
	var pass func(i int)
	pass = func(i int) {
		for _, next := range g.calls[i] {
			if passed[next] {
				continue
			}
			if passed[next] = true; g.framed[next] && g.places[next] <= manyCallers {
				found = append(found, next)
			} else {
				pass(next)
			}
		}
	}
	pass(i)
	return found
}
