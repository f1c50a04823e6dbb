package bundle

import (
	"fmt"
	"strings"
)

// A Page is one command and what it says of itself with --help.
type Page struct{ Command, Help string }

// Manual is lectern(1): the help of every command, as roff.
func Manual(version string, pages []Page) []byte {
	var b strings.Builder
	fmt.Fprintf(&b, ".TH LECTERN 1 \"\" \"lectern %s\" \"User Commands\"\n", escapeRoff(version))
	b.WriteString(".SH NAME\nlectern \\- open knowledge bases to AI agents, safely and in sight\n")
	for _, p := range pages {
		fmt.Fprintf(&b, ".SH %s\n.nf\n", escapeRoff(strings.ToUpper(p.Command)))
		for line := range strings.Lines(p.Help) {
			b.WriteString(escapeRoff(strings.TrimRight(line, "\n")) + "\n")
		}
		b.WriteString(".fi\n")
	}
	return []byte(b.String())
}

// escapeRoff makes text mean itself: no escapes, no requests at the start of a line,
// and hyphens that can be copied into a shell.
func escapeRoff(line string) string {
	line = strings.NewReplacer(`\`, `\e`, `-`, `\-`).Replace(line)
	if strings.HasPrefix(line, ".") || strings.HasPrefix(line, "'") {
		line = `\&` + line
	}
	return line
}
