package journal

import (
	"bytes"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/aymanbagabas/go-udiff"

	"github.com/lectern-mcp/lectern/tools"
)

// isText reports whether people can read b as lines.
func isText(b []byte) bool { return utf8.Valid(b) && bytes.IndexByte(b, 0) < 0 }

// diff returns a unified diff of at most about limit bytes, or a sentence.
func (v changeRow) diff(limit int) string {
	if v.cannotUndo != "" {
		return v.cannotUndo + "\n"
	}
	return unifiedDiff(v.Target, v.Before, v.After, limit)
}

func unifiedDiff(target string, before, after tools.State, limit int) string {
	return unifiedDiffOfNames(target, target, before, after, limit)
}

// unifiedDiffOfNames is the diff of a target that was called otherwise before.
func unifiedDiffOfNames(from, to string, before, after tools.State, limit int) string {
	var b strings.Builder
	if before.Exists && after.Exists && before.Mode != after.Mode {
		fmt.Fprintf(&b, "mode %04o becomes %04o\n", before.Mode, after.Mode)
	}
	switch {
	case !isText(before.Data) || !isText(after.Data):
		fmt.Fprintf(&b, "%d bytes become %d bytes that are not text\n", len(before.Data), len(after.Data))
	default:
		b.WriteString(udiff.Unified(diffName(before, from), diffName(after, to), string(before.Data), string(after.Data)))
	}
	if b.Len() > limit {
		return fmt.Sprintf("a diff of %d bytes, which is too long to show\n", b.Len())
	}
	return b.String()
}

// diffName returns how a diff names a target that may not exist.
func diffName(s tools.State, target string) string {
	if !s.Exists {
		return "/dev/null"
	}
	return target
}
