package markdown

import (
	"cmp"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/lectern-mcp/lectern/tools/markdown/internal/links"
)

// baseReference matches what names a file or folder in an Obsidian base: a wikilink, and
// a string, whose quotes are escaped within a string of YAML. Of some functions the
// string is what a wikilink would have.
var baseReference = regexp.MustCompile(`\[\[([^\[\]|#\n]+)` +
	`|(\b(?:link|hasLink|file)\(\s*)?(?:\\"([^"'\\\[\n]+)\\"|"([^"'\\\[\n]+)"|'([^"'\\\[\n]+)')`)

func isBase(file string) bool { return strings.EqualFold(path.Ext(file), ".base") }

// filesWith are the files that are no pages and have one of these extensions.
func (o *outline) filesWith(extensions ...string) (files []string) {
	for _, f := range o.files {
		if slices.Contains(extensions, strings.ToLower(path.Ext(f))) {
			files = append(files, f)
		}
	}
	return files
}

// checkBase reports the references of a base that will not lead where they led. They
// are parts of formulas, which nothing here can rewrite and be sure of what they mean.
func (r *relinker) checkBase(d *draft, o *outline, file string) (report LinkReport) {
	data, err := d.View().Read(file)
	if err != nil {
		return reportOn(LinkOutcome{File: file, Outcome: linkUnreadable})
	}
	line := 0
	for text := range strings.Lines(string(data)) {
		line++
		for _, m := range baseReference.FindAllStringSubmatch(text, -1) {
			name, linked := cmp.Or(m[3], m[4], m[5]), m[2] != ""
			if m[1] != "" {
				name, linked = strings.TrimSpace(m[1]), true
			}
			if linked && r.losesLink(file, name) || r.losesPath(o, name) {
				report.add(reportOn(LinkOutcome{File: file, Line: line, Link: name, Outcome: linkLeft}))
			}
		}
	}
	return report
}

// losesLink reports whether a wikilink leads to what moves, and not to where it goes.
func (r *relinker) losesLink(from, target string) bool {
	l := links.Link{Wiki: true, Target: target}
	was, _ := r.was.resolve(from, l)
	if len(was) != 1 {
		return false
	}
	now, _ := r.becomes.resolve(r.m.newPath(from), l)
	return !slices.Equal(now, []string{r.m.newPath(was[0])})
}

// losesPath reports whether a path is that of a file that moves, or of a folder of which
// nothing stays.
func (r *relinker) losesPath(o *outline, name string) bool {
	name = strings.Trim(name, "/")
	for _, file := range []string{name, name + ".md"} {
		if r.m.newPath(file) != file {
			return true
		}
	}
	from, _ := slices.BinarySearch(o.listed, name+"/")
	to, _ := slices.BinarySearch(o.listed, name+"0") // the first after all that begin with name/
	return from < to && !slices.ContainsFunc(o.listed[from:to], func(f string) bool { return strings.HasPrefix(r.m.newPath(f), name+"/") })
}
