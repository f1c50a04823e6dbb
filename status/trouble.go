package status

import "strings"

// A Trouble is a kind of Problem, declared once, beside the code that notices
// it: every Problem of the product is made by [Trouble.At], and docs/problems.md
// lists the declarations. A test reads them from the source, so they are
// written as literals.
//
// Title and Fix may hold words in braces, such as {port}, for what is only
// known when it happens.
type Trouble struct {
	Code     string // stable: "source.gone"
	Severity Severity
	Means    string // what is the matter and what still works, for the page; one or two sentences
	Title    string // see [Problem]
	Fix      string // see [Problem]
}

// Words are what stands in a Title and a Fix for words in braces.
type Words map[string]string

// At returns a Problem of this kind about a part.
func (t Trouble) At(part string, words Words) Problem {
	var pairs []string
	for name, text := range words {
		pairs = append(pairs, "{"+name+"}", text)
	}
	fill := strings.NewReplacer(pairs...) // one pass: braces in a text mean nothing
	return Problem{Code: t.Code, Part: part, Severity: t.Severity, Title: fill.Replace(t.Title), Fix: fill.Replace(t.Fix)}
}
