package folder

import (
	"path"
	"regexp"
	"strings"
)

// copyMark matches the name without extension of a copy that a program has made beside a
// file when it synchronized, merged or copied it: "a (copy)", "a - Copy (2)", "a copy 2",
// "a (Ana's conflicted copy 2026-11-29)" in any language, "a [conflict]",
// "a.sync-conflict-20261129-120000-ABCDEFG", "a_conflict-20261129-120000", "a 2",
// "a_REMOTE_4711", "a.bak".
var copyMark = regexp.MustCompile(`(?i)^(.+?)(?: ?\([^()]*\)| ?\[[^\[\]]*\]|[ ._-]+(?:sync-)?conflict(?:[ ._-]?\d.*)?` +
	`| - copy|[ ._-](?:conflicted )?copy(?: \d+)?| [2-9]|[._-](?:bak|backup|old|orig)|_(?:local|base|remote|backup)_\d+)$`)

// OriginalName returns the path of the file or folder that one of this path is named as a
// copy of. It takes one mark off: off the last part that has one.
func OriginalName(name string) (original string, ok bool) {
	parts := strings.Split(name, "/")
	for i := len(parts) - 1; i >= 0; i-- {
		ext := path.Ext(parts[i])
		stem := strings.TrimSuffix(parts[i], ext)
		m := copyMark.FindStringSubmatch(stem)
		switch {
		case m != nil:
			parts[i] = m[1] + ext
		case len(stem) > len(copyOf) && strings.EqualFold(stem[:len(copyOf)], copyOf):
			parts[i] = parts[i][len(copyOf):]
		default:
			continue
		}
		return strings.Join(parts, "/"), true
	}
	return "", false
}

const copyOf = "Copy of "
