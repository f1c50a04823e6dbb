package status

import "strings"

// A ProblemType is a kind of Problem, declared once, beside the code that notices
// it: every Problem of the product is made by [ProblemType.New], and docs/problems.md
// lists the declarations. A test reads them from the source, so they are
// written as literals.
//
// Title and Fix may hold words in braces, such as {port}, for what is only
// known when it occurs.
type ProblemType struct {
	Code        string // stable: "source.gone"
	Severity    Severity
	Description string // what is wrong and what still works, for the page; one or two sentences
	Title       string // see [Problem]
	Fix         string // see [Problem]
}

// Args are what stands in a Title and a Fix for words in braces.
type Args map[string]string

// New returns a Problem of this kind about a component.
func (t ProblemType) New(part string, words Args) Problem {
	var pairs []string
	for name, text := range words {
		pairs = append(pairs, "{"+name+"}", text)
	}
	fill := strings.NewReplacer(pairs...) // one pass: braces in a text mean nothing
	return Problem{Code: t.Code, Component: part, Severity: t.Severity, Title: fill.Replace(t.Title), Fix: fill.Replace(t.Fix)}
}
