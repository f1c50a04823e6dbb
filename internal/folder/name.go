package folder

import (
	"fmt"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"
)

// A NameError reports why a name cannot be used. Its text is safe to show to an
// agent: it states the rule and reveals nothing about the disk.
type NameError struct {
	Outside bool // the name leads out of the folder, rather than being malformed
	Reason  string
}

// Error implements error.
func (e *NameError) Error() string { return e.Reason }

func nameErrorf(format string, args ...any) error {
	return &NameError{Reason: fmt.Sprintf(format, args...)}
}

// Limits of names in bytes, as the common file systems have them.
const (
	maxName = 255
	maxPath = 4096
)

// CheckName returns an error unless name is a clean, relative, slash-separated
// path of visible components. It applies to every lookup; the stricter rules for
// new names are in [CheckNew].
func CheckName(name string) error {
	switch {
	case name == "":
		return nameErrorf("the path is empty")
	case len(name) > maxPath:
		return nameErrorf("the path is longer than %d bytes", maxPath)
	case !utf8.ValidString(name):
		return nameErrorf("the path is not valid UTF-8")
	case strings.HasPrefix(name, "/"), strings.HasPrefix(name, `\`), strings.HasPrefix(name, "~"), hasDrive(name):
		return &NameError{Outside: true, Reason: "the path must be relative to the folder"}
	}
	for part := range strings.SplitSeq(name, "/") {
		if err := checkPart(part); err != nil {
			clean := path.Clean(name)
			if part == ".." && len(clean) <= maxName && filepath.IsLocal(filepath.FromSlash(clean)) && CheckName(clean) == nil {
				return nameErrorf(`the path has a part ".."; write it as %s`, clean)
			}
			return err
		}
	}
	return nil
}

func checkPart(part string) error {
	switch {
	case part == "":
		return nameErrorf("the path has an empty part")
	case part == "..":
		return &NameError{Outside: true, Reason: `the path has a part ".."`}
	case len(part) > maxName:
		return nameErrorf("a part of the path is longer than %d bytes", maxName)
	case strings.Contains(part, `\`):
		return nameErrorf(`the path has a backslash; parts are separated by "/"`)
	case strings.ContainsFunc(part, unicode.IsControl):
		return nameErrorf("the path has a control character")
	case strings.Contains(part, streamSeparator):
		return nameErrorf("the path has a %q", streamSeparator)
	case hasShortNames && isShortName(part):
		return nameErrorf("the path has a short name; use the whole one")
	case IsHidden(part):
		return nameErrorf("the path has a hidden or temporary part")
	}
	return nil
}

// isShortName reports whether Windows may have made a name for programs of its early
// days: PRIVAT~1, DIARY~2.MD.
func isShortName(part string) bool { return shortName.MatchString(part) }

var shortName = regexp.MustCompile(`^[^.]{1,6}~[0-9]+(\.[^.]{0,3})?$`)

// CheckNew returns an error unless a file may be created with this name: besides
// [CheckName], every system that the folder is synchronised to must be able to
// store it, and people must be able to see all of it.
func CheckNew(name string) error {
	if err := CheckName(name); err != nil {
		return err
	}
	for part := range strings.SplitSeq(name, "/") {
		if err := checkNewPart(part); err != nil {
			return err
		}
	}
	return nil
}

func checkNewPart(part string) error {
	switch {
	case strings.ContainsAny(part, reserved):
		return nameErrorf("a new name may not have any of %s", reserved)
	case strings.HasPrefix(part, "-"):
		return nameErrorf(`a new name may not begin with "-"`)
	case strings.TrimSpace(part) != part:
		return nameErrorf("a new name may not begin or end with a space")
	case strings.HasSuffix(part, "."):
		return nameErrorf("a new name may not end with a dot")
	case deviceName.MatchString(part):
		return nameErrorf("a new name may not be the name of a Windows device such as CON or NUL")
	case len(norm.NFC.String(part)) > maxName:
		return nameErrorf("a part of the path is longer than %d bytes", maxName)
	}
	if r, ok := findInvisible(part); ok {
		return nameErrorf("a new name may not have the invisible character U+%04X", r)
	}
	return nil
}

// reserved are the characters that Windows does not allow in file names.
const reserved = `<>:"|?*`

// IsHidden reports whether a path component is ignored: dot files and dot folders
// (.git, .obsidian, our own) and what programs keep beside a file while it is edited:
// temporary files, backups (x~), autosaves (#x#), which have the text of the file
// whatever hides that. "." counts as hidden, so that every path has one spelling.
func IsHidden(part string) bool {
	if strings.HasPrefix(part, ".") || strings.HasSuffix(part, "~") || len(part) > 1 && part[0] == '#' && part[len(part)-1] == '#' {
		return true
	}
	_, rest, ok := strings.Cut(strings.ToLower(part), ".tmp")
	return ok && (rest == "" || !unicode.IsLetter(rune(rest[0])))
}

func hasDrive(name string) bool {
	return len(name) >= 2 && name[1] == ':' && (name[0]|0x20) >= 'a' && (name[0]|0x20) <= 'z' &&
		(len(name) == 2 || name[2] == '/' || name[2] == '\\')
}

// deviceName matches CON, NUL.md, COM1.txt, COM¹, LPT9 and the other names of
// Windows' devices.
var deviceName = regexp.MustCompile(`^(?i:CON|PRN|AUX|NUL|CONIN\$|CONOUT\$|CLOCK\$|(?:COM|LPT)[1-9¹²³]) *(?:\.|$)`)

// findInvisible returns a character that can make a name look like another one:
// a bidi control, zero-width character, line separator or private-use character.
// Joiners between non-ASCII characters are ordinary spelling (emoji, Persian).
func findInvisible(part string) (rune, bool) {
	rs := []rune(part)
	for i, r := range rs {
		if (r == '\u200c' || r == '\u200d') && i > 0 && i+1 < len(rs) && rs[i-1] > 0x7f && rs[i+1] > 0x7f {
			continue
		}
		if unicode.In(r, unicode.Cf, unicode.Zl, unicode.Zp, unicode.Co) {
			return r, true
		}
	}
	return 0, false
}

// FoldName returns the form in which names are compared. Names that some file
// system treats as equal, because they differ only in case or in how accents are
// composed, fold to the same form.
func FoldName(name string) string {
	for i := range len(name) {
		if name[i] >= utf8.RuneSelf {
			return norm.NFC.String(cases.Fold().String(norm.NFC.String(name)))
		}
	}
	return strings.ToLower(name)
}

// CleanName turns any text, such as a title, into a path component of at most 100
// characters that [CheckNew] accepts. Unsafe characters become "-"; spaces and
// case stay. If nothing remains, it returns "Untitled".
func CleanName(text string) string {
	text = norm.NFC.String(strings.ToValidUTF8(text, "-"))
	var b strings.Builder
	for _, r := range text {
		if r == '/' || r == '\\' || strings.ContainsRune(reserved, r) || unicode.IsControl(r) ||
			unicode.In(r, unicode.Cf, unicode.Zl, unicode.Zp, unicode.Co) && r != '\u200d' && r != '\u200c' {
			r = '-'
		}
		b.WriteRune(r)
	}
	text = trimName(b.String())
	for text = truncateName(text, 100, 200); CheckNew(text) != nil; text = truncateName(text, 100, 200) {
		switch {
		case text == "":
			return "Untitled"
		case deviceName.MatchString(text):
			text = "Page " + text
		case IsHidden(text):
			text = strings.Trim(strings.NewReplacer(".", "-", "~", "-").Replace(text), "#")
		default: // a joiner that joins nothing
			text = strings.NewReplacer("\u200d", "", "\u200c", "").Replace(text)
		}
		text = trimName(text)
	}
	return text
}

// trimName removes what a name may not begin or end with.
func trimName(text string) string {
	return strings.TrimRight(strings.TrimLeft(strings.TrimSpace(text), " .-~"), " .~")
}

// truncateName shortens text to at most so many runes and bytes, at a rune boundary.
func truncateName(text string, runes, bytes int) string {
	n := 0
	for i, r := range text {
		if n == runes || i+utf8.RuneLen(r) > bytes {
			return trimName(text[:i])
		}
		n++
	}
	return text
}

// NumberedName inserts "-2", "-3", ... before the extension of a name that exists.
func NumberedName(name string, n int) string {
	ext := path.Ext(name)
	return fmt.Sprintf("%s-%d%s", strings.TrimSuffix(name, ext), n, ext)
}
