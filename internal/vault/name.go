package vault

import (
	"errors"
	"fmt"
	"path"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"
)

// A NameError says why a name cannot be used. Its text may be shown to an
// agent: it names the rule, not what is on the disk.
type NameError struct {
	Outside bool // the name points out of the vault, rather than being ill-formed
	Reason  string
}

// Error implements error.
func (e *NameError) Error() string { return e.Reason }

func bad(format string, args ...any) error { return &NameError{Reason: fmt.Sprintf(format, args...)} }

// Bounds of names, in bytes: what the common file systems take.
const (
	maxName = 255
	maxPath = 4096
)

// CheckName holds what any name must obey before it is looked up: a clean,
// relative, slash-separated path of visible components. What exists already
// under an unwise name can still be read.
func CheckName(name string) error {
	switch {
	case name == "":
		return bad("the path is empty")
	case len(name) > maxPath:
		return bad("the path is longer than %d bytes", maxPath)
	case !utf8.ValidString(name):
		return bad("the path is not valid UTF-8")
	case strings.HasPrefix(name, "/"), strings.HasPrefix(name, `\`), strings.HasPrefix(name, "~"), hasDrive(name):
		return &NameError{Outside: true, Reason: "the path must be relative to the vault"}
	}
	for part := range strings.SplitSeq(name, "/") {
		if err := checkPart(part); err != nil {
			return err
		}
	}
	return nil
}

func checkPart(part string) error {
	switch {
	case part == "":
		return bad("the path has an empty part")
	case part == "..":
		return &NameError{Outside: true, Reason: `the path has a part ".."`}
	case len(part) > maxName:
		return bad("a part of the path is longer than %d bytes", maxName)
	case strings.Contains(part, `\`):
		return bad(`the path has a backslash; parts are separated by "/"`)
	case strings.ContainsFunc(part, unicode.IsControl):
		return bad("the path has a control character")
	case strings.Contains(part, streamMark):
		return bad("the path has a %q", streamMark)
	case Hidden(part):
		return bad("the path has a hidden or temporary part")
	}
	return nil
}

// CheckNew holds what a name must obey besides [CheckName] to be created, so
// that every system the vault is synchronised to can store it and people can
// see what it is.
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
		return bad("a new name may not have any of %s", reserved)
	case strings.HasPrefix(part, "-"):
		return bad(`a new name may not begin with "-"`)
	case strings.TrimSpace(part) != part:
		return bad("a new name may not begin or end with a space")
	case strings.HasSuffix(part, "."):
		return bad("a new name may not end with a dot")
	case deviceName(part):
		return bad("a new name may not be the name of a Windows device such as CON or NUL")
	case len(norm.NFC.String(part)) > maxName:
		return bad("a part of the path is longer than %d bytes", maxName)
	}
	if r, ok := invisible(part); ok {
		return bad("a new name may not have the invisible character U+%04X", r)
	}
	return nil
}

// reserved are the characters that Windows and its file systems keep for
// themselves.
const reserved = `<>:"|?*`

// Hidden says whether a component is none of the vault's business: dot-files
// and dot-folders (.git, .obsidian, our own), and files in the making. "."
// counts as hidden, so that no second spelling of a path gets through.
func Hidden(part string) bool {
	if strings.HasPrefix(part, ".") || strings.HasSuffix(part, "~") {
		return true
	}
	_, rest, ok := strings.Cut(strings.ToLower(part), ".tmp")
	return ok && (rest == "" || !unicode.IsLetter(rune(rest[0])))
}

func hasDrive(name string) bool {
	return len(name) >= 2 && name[1] == ':' && (name[0]|0x20) >= 'a' && (name[0]|0x20) <= 'z' &&
		(len(name) == 2 || name[2] == '/' || name[2] == '\\')
}

// deviceName knows CON, NUL.md, COM1.txt, COM¹, LPT9 and their like.
func deviceName(part string) bool {
	stem, _, _ := strings.Cut(strings.ToUpper(part), ".")
	stem = strings.TrimRight(stem, " ")
	switch stem {
	case "CON", "PRN", "AUX", "NUL", "CONIN$", "CONOUT$", "CLOCK$":
		return true
	}
	rest, isCom := strings.CutPrefix(stem, "COM")
	if !isCom {
		var isLpt bool
		if rest, isLpt = strings.CutPrefix(stem, "LPT"); !isLpt {
			return false
		}
	}
	switch rest {
	case "1", "2", "3", "4", "5", "6", "7", "8", "9", "¹", "²", "³":
		return true
	}
	return false
}

// invisible finds a character that makes a name look like another: bidi
// controls, zero-width characters, line separators, private use. Joiners
// between characters beyond ASCII are ordinary spelling (emoji, Persian).
func invisible(part string) (rune, bool) {
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

// Fold is the form in which two names are compared: those that a file system
// somewhere would take for one (case twins, composed and decomposed accents)
// fold to the same.
func Fold(name string) string {
	for i := range len(name) {
		if name[i] >= utf8.RuneSelf {
			return norm.NFC.String(cases.Fold().String(norm.NFC.String(name)))
		}
	}
	return strings.ToLower(name)
}

// Clean makes of any text, such as a title, a component that [CheckNew]
// takes: what is unsafe becomes "-", spaces and case stay, at most 100
// characters. An empty result is "Untitled".
func Clean(text string) string {
	text = norm.NFC.String(strings.ToValidUTF8(text, "-"))
	var b strings.Builder
	for _, r := range text {
		if r == '/' || r == '\\' || strings.ContainsRune(reserved, r) || unicode.IsControl(r) ||
			unicode.In(r, unicode.Cf, unicode.Zl, unicode.Zp, unicode.Co) && r != '\u200d' && r != '\u200c' {
			r = '-'
		}
		b.WriteRune(r)
	}
	text = trim(b.String())
	for text = cut(text, 100, 200); CheckNew(text) != nil; text = cut(text, 100, 200) {
		switch {
		case text == "":
			return "Untitled"
		case deviceName(text):
			text = "Page " + text
		case Hidden(text):
			text = strings.ReplaceAll(strings.ReplaceAll(text, ".", "-"), "~", "-")
		default: // a joiner at a place where it joins nothing
			text = strings.NewReplacer("\u200d", "", "\u200c", "").Replace(text)
		}
		text = trim(text)
	}
	return text
}

// trim takes off what a name may not begin or end with.
func trim(text string) string {
	return strings.TrimRight(strings.TrimLeft(strings.TrimSpace(text), " .-~"), " .~")
}

// cut shortens text to so many runes and bytes, on a rune.
func cut(text string, runes, bytes int) string {
	n := 0
	for i, r := range text {
		if n == runes || i+utf8.RuneLen(r) > bytes {
			return trim(text[:i])
		}
		n++
	}
	return text
}

// Numbered is name with "-2", "-3", ... before its extension, for a clash.
func Numbered(name string, n int) string {
	ext := path.Ext(name)
	return fmt.Sprintf("%s-%d%s", strings.TrimSuffix(name, ext), n, ext)
}

// IsOutside says whether err is a name that points out of the vault.
func IsOutside(err error) bool {
	e, ok := errors.AsType[*NameError](err)
	return ok && e.Outside
}
