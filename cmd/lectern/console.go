package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"strings"
	"sync/atomic"
	"text/tabwriter"

	"golang.org/x/term"

	"github.com/lectern-mcp/lectern/internal/safetext"
	"github.com/lectern-mcp/lectern/status"
)

// A console is where a command reads and prints. Texts may come from notes,
// agents or other programs, so they are made safe for a terminal here.
type console struct {
	in       io.Reader
	out, err io.Writer
	getenv   func(string) string
	json     *jsonOutput            // what is printed as JSON when the command has ended
	lost     *atomic.Pointer[error] // why printf could not write at first; nil: nobody asks
}

// printf writes to stdout. Strings and errors among the arguments become one
// safe line each; [sanitizeText] lets one keep its line breaks. An error of writing is
// that of the whole command, see [console.firstWriteError].
func (c console) printf(format string, args ...any) {
	if c.json.on {
		fmt.Fprintf(&c.json.text, format, safeArguments(args)...)
		return
	}
	if _, err := fmt.Fprintf(c.out, format, safeArguments(args)...); err != nil && c.lost != nil {
		c.lost.CompareAndSwap(nil, &err)
	}
}

// firstWriteError is why something that was printed did not arrive.
func (c console) firstWriteError() error {
	if c.lost == nil || c.lost.Load() == nil {
		return nil
	}
	return fmt.Errorf("write output: %w", *c.lost.Load())
}

// warnf is printf to stderr.
func (c console) warnf(format string, args ...any) {
	fmt.Fprintf(&c.json.warned, format, safeArguments(args)...)
	_, _ = fmt.Fprintf(c.err, format, safeArguments(args)...)
}

func safeArguments(args []any) []any {
	safe := make([]any, len(args))
	for i, arg := range args {
		switch v := arg.(type) {
		case string:
			safe[i] = safetext.Line(v)
		case error:
			safe[i] = safetext.Line(v.Error())
		default:
			safe[i] = arg
		}
	}
	return safe
}

// sanitizeText makes several lines safe for a terminal.
func sanitizeText(s string) safetext.Text { return safetext.Of(s) }

func (c console) writeJSON(v any) error {
	c.json.wrote = true
	e := json.NewEncoder(c.out)
	e.SetIndent("", "  ")
	e.SetEscapeHTML(false)
	return e.Encode(v)
}

// A table is rows of cells.
type table [][]string

func (t *table) add(cells ...string) { *t = append(*t, cells) }

// printTable lines cells up in columns. No line ends with blanks, not even where
// the last cells are empty.
func (c console) printTable(t table) error {
	if c.json.on {
		c.json.addTable(t)
		return nil
	}
	var padded bytes.Buffer
	w := tabwriter.NewWriter(&padded, 0, 0, 2, ' ', 0)
	for _, cells := range t {
		safe := make([]string, len(cells))
		for i, cell := range cells {
			safe[i] = string(safetext.Line(cell))
		}
		_, _ = io.WriteString(w, strings.Join(safe, "\t")+"\n") // memory takes everything
	}
	_ = w.Flush()
	var lines []byte
	for line := range bytes.Lines(padded.Bytes()) {
		lines = append(append(lines, bytes.TrimRight(line, " \n")...), '\n')
	}
	_, err := c.out.Write(lines)
	return err
}

// printPlan shows what a plan would do.
func (c console) printPlan(p status.Plan) {
	c.printf("%s\n", p.Title)
	for _, step := range p.Steps {
		c.printf("%s\n", step.Description)
		c.printDiff(step.Diff)
	}
	c.printRisks(p.Risks)
}

func (c console) printRisks(notes []string) {
	for _, note := range notes {
		c.printf("note: %s\n", note)
	}
}

// printDiff prints a unified diff, in colours on a terminal.
func (c console) printDiff(diff string) {
	if c.json.on {
		c.printf("%s", sanitizeText(diff))
		return
	}
	p := diffPrinter{console: c}
	p.write(diff)
	p.closeOpenLine()
}

// diffColor begins a line of a diff; empty: it has no colour.
func (c console) diffColor(line string) string {
	switch {
	case !c.wantsColors():
	case strings.HasPrefix(line, "+++"), strings.HasPrefix(line, "---"):
		return "\x1b[1m"
	case strings.HasPrefix(line, "@@"):
		return "\x1b[36m"
	case strings.HasPrefix(line, "+"):
		return "\x1b[32m"
	case strings.HasPrefix(line, "-"):
		return "\x1b[31m"
	}
	return ""
}

// wantsColors reports whether stdout is a terminal whose user wants colours.
func (c console) wantsColors() bool { return c.hasScreen() && c.getenv("NO_COLOR") == "" }

// hasScreen reports whether stdout is a terminal that can draw.
func (c console) hasScreen() bool {
	kind := c.getenv("TERM")
	return isTerminal(c.out) && kind != "dumb" && (kind != "" || runtime.GOOS == "windows") // Windows has no TERM
}

func isTerminal(stream any) bool {
	f, ok := stream.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

// readLine reads to the end of a line and not a byte further, because what
// follows may be for another program.
func readLine(in io.Reader) (string, error) {
	var line []byte
	b := make([]byte, 1)
	for len(line) < 1<<10 {
		n, err := in.Read(b)
		if n > 0 && b[0] == '\n' {
			return string(line), nil
		}
		line = append(line, b[:n]...)
		if errors.Is(err, io.EOF) {
			return string(line), nil
		}
		if err != nil {
			return "", err
		}
	}
	return string(line), nil
}

func indent(text string) string { return "  " + strings.ReplaceAll(text, "\n", "\n  ") }
