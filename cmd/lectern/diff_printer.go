package main

import (
	"fmt"
	"strings"

	"github.com/lectern-mcp/lectern/internal/safetext"
)

// A diffPrinter prints a unified diff that comes in pieces.
type diffPrinter struct {
	console

	color string // of the line that the last piece ended in
	open  bool   // that line goes on
	hunks int    // that the person may choose from, which are numbered; 0: they are not
	hunk  int    // the number of the last one
}

func (p *diffPrinter) write(piece string) {
	for line := range strings.Lines(piece) {
		body, ended := strings.CutSuffix(line, "\n")
		if !p.open {
			p.color = p.diffColor(line)
			_, _ = fmt.Fprint(p.out, p.color)
		}
		if p.hunks > 1 && !p.open && strings.HasPrefix(body, "@@ ") {
			p.hunk++
			body += fmt.Sprintf(" hunk %d of %d", p.hunk, p.hunks)
		}
		_, _ = fmt.Fprint(p.out, safetext.Of(body))
		if p.open = !ended; ended {
			p.newline()
		}
	}
}

// closeOpenLine ends a line that the text left open.
func (p *diffPrinter) closeOpenLine() {
	if p.open {
		p.newline()
	}
}

func (p *diffPrinter) newline() {
	if p.color != "" {
		_, _ = fmt.Fprint(p.out, "\x1b[0m")
	}
	_, _ = fmt.Fprintln(p.out)
	p.open = false
}
