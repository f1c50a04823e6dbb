package cardtext

import (
	"fmt"
	"regexp"
	"strings"
)

// Bounds of a patch by a regular expression.
const (
	maxPattern = 500
	maxMatches = 1000
)

// A Patch changes part of a content. Which fields count depends on its mode.
type Patch struct {
	Mode string `json:"mode"`
	// replace_between: from StartMarker, which Replacement replaces too, to EndMarker.
	StartMarker string  `json:"start_marker"`
	EndMarker   string  `json:"end_marker"`
	Replacement *string `json:"replacement_html"`
	// EndInclusive says that the end marker is replaced as well.
	EndInclusive bool `json:"end_inclusive"`
	// append, prepend; append_item, remove_item, replace_items of a list; append_toc,
	// remove_toc, replace_toc of a table of contents, with a name or link a line.
	Content   *string `json:"content"`
	Separator string  `json:"separator"`
	// find_replace, regex_replace.
	Find       string  `json:"find"`
	Pattern    string  `json:"pattern"`
	Replace    *string `json:"replace"`
	Occurrence string  `json:"occurrence"` // first, last or all
	MaxMatches int     `json:"max_matches"`
	DryRun     bool    `json:"dry_run"`
}

// A PatchError says why a patch does not fit. Field names what is wrong; Marker is
// the text that is not there.
type PatchError struct{ Message, Field, Marker string }

// Error implements error.
func (e *PatchError) Error() string { return e.Message }

func misfit(field, format string, args ...any) error {
	return &PatchError{Message: fmt.Sprintf(format, args...), Field: "patch." + field}
}

// Apply gives content with the patch, and how many places changed.
func (p Patch) Apply(content string) (text string, changed int, err error) {
	switch p.Mode {
	case "replace_between":
		return p.replaceBetween(content)
	case "append", "prepend":
		return p.extend(content)
	case "append_item", "remove_item", "replace_items":
		return p.changeItems(content)
	case "append_toc", "remove_toc", "replace_toc":
		return p.changeContents(content)
	case "find_replace":
		return p.findReplace(content)
	case "regex_replace":
		return p.replacePattern(content)
	case "":
		return "", 0, misfit("mode", "Missing patch mode")
	}
	return "", 0, misfit("mode", "Unknown patch mode: %s", p.Mode)
}

func (p Patch) replaceBetween(content string) (string, int, error) {
	switch {
	case p.StartMarker == "":
		return "", 0, misfit("start_marker", "Missing start_marker")
	case p.EndMarker == "":
		return "", 0, misfit("end_marker", "Missing end_marker")
	case p.Replacement == nil:
		return "", 0, misfit("replacement_html", "Missing replacement_html")
	}
	start := strings.Index(content, p.StartMarker)
	if start < 0 {
		return "", 0, &PatchError{"Start marker not found", "patch.start_marker", p.StartMarker}
	}
	after := start + len(p.StartMarker)
	length := strings.Index(content[after:], p.EndMarker)
	if length < 0 {
		return "", 0, &PatchError{"End marker not found", "patch.end_marker", p.EndMarker}
	}
	end := after + length
	if p.EndInclusive {
		end += len(p.EndMarker)
	}
	return content[:start] + *p.Replacement + content[end:], 1, nil
}

var spelledBreaks = strings.NewReplacer(`\n`, "\n", `\t`, "\t", `\r`, "\r")

func (p Patch) extend(content string) (string, int, error) {
	if p.Content == nil || *p.Content == "" {
		return "", 0, misfit("content", "Missing content for %s", p.Mode)
	}
	separator := spelledBreaks.Replace(p.Separator)
	if p.Mode == "append" {
		return content + separator + *p.Content, 1, nil
	}
	return *p.Content + separator + content, 1, nil
}

func (p Patch) changeItems(content string) (string, int, error) {
	if p.Content == nil || len(Items(*p.Content)) == 0 {
		return "", 0, misfit("content", "Missing content for %s", p.Mode)
	}
	if p.Mode == "replace_items" {
		items := Items(*p.Content)
		return JoinItems(items), len(items), nil
	}
	names, changed := Items(content), 0
	for _, item := range Items(*p.Content) {
		kept := names[:0:0]
		for _, name := range names {
			if name.Key() != item.Key() {
				kept = append(kept, name)
			}
		}
		there := len(kept) < len(names)
		switch {
		case p.Mode == "append_item" && !there:
			names = append(names, item)
			changed++
		case p.Mode == "remove_item" && there:
			names = kept
			changed++
		}
	}
	return JoinItems(names), changed, nil
}

func (p Patch) findReplace(content string) (string, int, error) {
	switch {
	case p.Find == "":
		return "", 0, misfit("find", "Missing 'find' parameter")
	case p.Replace == nil:
		return "", 0, misfit("replace", "Missing 'replace' parameter")
	}
	count := strings.Count(content, p.Find)
	if count == 0 {
		return "", 0, &PatchError{"Text not found in card content", "patch.find", p.Find}
	}
	switch p.Occurrence {
	case "", "first":
		return strings.Replace(content, p.Find, *p.Replace, 1), 1, nil
	case "all":
		return strings.ReplaceAll(content, p.Find, *p.Replace), count, nil
	case "last":
		at := strings.LastIndex(content, p.Find)
		return content[:at] + *p.Replace + content[at+len(p.Find):], 1, nil
	}
	return "", 0, misfit("occurrence", "occurrence must be 'first', 'last' or 'all'")
}

// replacePattern knows the syntax of RE2, which takes time in proportion to the
// content whatever the pattern is.
func (p Patch) replacePattern(content string) (string, int, error) {
	switch {
	case p.Pattern == "":
		return "", 0, misfit("pattern", "Missing 'pattern' parameter")
	case len(p.Pattern) > maxPattern:
		return "", 0, misfit("pattern", "pattern has at most %d bytes", maxPattern)
	case p.Replace == nil:
		return "", 0, misfit("replace", "Missing 'replace' parameter")
	}
	pattern, err := regexp.Compile(p.Pattern)
	if err != nil {
		return "", 0, misfit("pattern", "pattern: %v", err)
	}
	limit := maxMatches
	if p.MaxMatches > 0 {
		limit = min(p.MaxMatches, maxMatches)
	}
	count := len(pattern.FindAllStringIndex(content, limit+1))
	switch {
	case count == 0:
		return "", 0, &PatchError{"Text not found in card content", "patch.pattern", p.Pattern}
	case count > limit:
		return "", 0, misfit("max_matches", "pattern matches more than %d times", limit)
	}
	return pattern.ReplaceAllString(content, *p.Replace), count, nil
}
