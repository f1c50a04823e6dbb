package folder

import (
	"path"
	"regexp"
	"slices"
	"strings"
)

// copyMark matches the name without extension of a copy that a program has made beside a
// file when it synchronized, merged or copied it: "a (copy)", "a - Copy (2)", "a copy 2",
// "a (Ana's conflicted copy 2026-11-29)" in any language, "a [conflict]",
// "a.sync-conflict-20261129-120000-ABCDEFG", "a_conflict-20261129-120000", "a 2",
// "a-DESKTOP-7G2K1QX", "a_REMOTE_4711", "a.bak".
var copyMark = regexp.MustCompile(`^(.+?)(?:-[A-Z][A-Z0-9]+(?:-[A-Z0-9]+)+|(?i: ?\([^()]*\)| ?\[[^\[\]]*\]|[ ._-]+(?:sync-)?conflict(?:[ ._-]?\d.*)?` +
	`| - ` + copyWord + `|[ ._-](?:conflicted )?` + copyWord + `(?: \d+)?| [2-9]|[._-](?:bak|backup|old|orig)|_(?:local|base|remote|backup)_\d+))$`)

const copyWord = `(?:copy|kopie|copie|c[oó]pia|kopia)`

// copyOf matches what is in front of such a name, and backupEnd what is behind one with its
// extension.
var (
	copyOf    = regexp.MustCompile(`(?i)^(?:copy of|kopie von|copie de|copia d[ei]|cópia de) (.+)$`)
	backupEnd = regexp.MustCompile(`(?i)^(.+\.[a-z0-9]+)(?:~|\.~\d+~|\.(?:bak|backup|old|orig))$`)
)

// Originals are the paths of what a file or folder of this name may be a copy of, itself
// first: one mark less each time.
func Originals(name string) []string {
	names := []string{name}
	for {
		original, ok := OriginalName(names[len(names)-1])
		if !ok {
			return names
		}
		names = append(names, original)
	}
}

// OriginalName returns the path of the file or folder that one of this path is named as a
// copy of. It takes one mark off: off the last part that has one.
func OriginalName(name string) (original string, ok bool) {
	parts := strings.Split(name, "/")
	for i := len(parts) - 1; i >= 0; i-- {
		if parts[i], ok = originalPart(parts[i]); ok {
			return strings.Join(parts, "/"), true
		}
	}
	return "", false
}

// hasHint reports whether a name has anything that a mark of a copy has. The expressions
// take as long as all else that is done with a name, and few have one.
func hasHint(part, stem string) bool {
	if !strings.ContainsAny(stem, " ._-([") && !strings.HasSuffix(part, "~") {
		return false
	}
	last := stem[len(stem)-min(len(stem), 1):]
	if strings.ContainsAny(last, ")]0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ") || strings.HasSuffix(part, "~") {
		return true
	}
	lower := strings.ToLower(part)
	return slices.ContainsFunc([]string{"cop", "kop", "cóp", "conflict", "bak", "backup", "old", "orig"}, func(hint string) bool {
		return strings.Contains(lower, hint)
	})
}

func originalPart(part string) (original string, ok bool) {
	ext := path.Ext(part)
	if !hasHint(part, strings.TrimSuffix(part, ext)) {
		return part, false
	}
	if m := copyMark.FindStringSubmatch(strings.TrimSuffix(part, ext)); m != nil {
		return m[1] + ext, true
	}
	for _, mark := range []*regexp.Regexp{copyOf, backupEnd} {
		if m := mark.FindStringSubmatch(part); m != nil {
			return m[1], true
		}
	}
	return part, false
}
