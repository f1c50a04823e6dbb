package main

import (
	"io"
	"strings"
	"text/tabwriter"

	"github.com/lectern-mcp/lectern/internal/safetext"
)

// A table lines cells up in columns. What they hold may come from anywhere, so
// every one is made safe for a terminal here.
type table struct{ *tabwriter.Writer }

func newTable(out io.Writer) table { return table{tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)} }

// row adds a row. What goes wrong shows at Flush.
func (t table) row(cells ...string) {
	safe := make([]string, len(cells))
	for i, cell := range cells {
		safe[i] = string(safetext.Line(cell))
	}
	_, _ = io.WriteString(t, strings.Join(safe, "\t")+"\n")
}
