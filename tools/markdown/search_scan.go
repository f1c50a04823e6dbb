package markdown

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/lectern-mcp/lectern/internal/folder"
	"github.com/lectern-mcp/lectern/tools"
	"github.com/lectern-mcp/lectern/tools/markdown/internal/index"
	"github.com/lectern-mcp/lectern/tools/markdown/internal/links"
	"github.com/lectern-mcp/lectern/tools/markdown/internal/taskfields"
)

// scan runs what reads all files. One does at a time: several would only slow each
// other down.
func (n *Notebook) scan(ctx context.Context, f func() error) error {
	select {
	case n.scans <- struct{}{}:
		defer func() { <-n.scans }()
		return f()
	case <-ctx.Done():
		return ctx.Err()
	}
}

// errIndexMade is the error of reading files where an index has been completed since.
var errIndexMade = errors.New("an index has been made")

// scan is [Notebook.scan] for what reads files because c has no index. It ends with
// errIndexMade as soon as there is one, and does not take the processor from making it.
func (c *comparison) scan(ctx context.Context, n *Notebook, f func(context.Context) error) error {
	reading, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	go func() {
		select {
		case <-c.made:
			stop(errIndexMade)
		case <-reading.Done():
		}
	}()
	err := n.scan(reading, func() error {
		if n.index != nil {
			if err := n.index.waitFilled(reading); err != nil {
				return err
			}
		}
		return f(reading)
	})
	if err != nil && errors.Is(context.Cause(reading), errIndexMade) {
		return errIndexMade
	}
	return err
}

// markedFiles are those that have a mark.
func markedFiles(files []string, marks []bool) (found []string) {
	for i, file := range files {
		if marks[i] {
			found = append(found, file)
		}
	}
	return found
}

// addUnread notes that more pages could not be read.
func (s *search) addUnread(files []string) {
	all := slices.Concat(s.unread, files)
	slices.Sort(all)
	s.unread = slices.Compact(all)
}

// readAll reads every page as the index has it.
func (s *search) readAll(ctx context.Context) (pages []index.Page, err error) {
	files := s.outline.pageFiles()
	pages = make([]index.Page, len(files))
	bad := make([]bool, len(files))
	err = s.scan(ctx, s.n, func(ctx context.Context) error {
		return folder.ForEach(ctx, len(files), func(i int) { pages[i], bad[i] = s.n.indexedPage(files[i], s.n.view.Stat) })
	})
	s.unread = markedFiles(files, bad)
	return pages, err
}

// pages finds pages, and reads those to show.
func (s *search) pages(ctx context.Context) (out SearchPagesOut, err error) {
	hits, found, how, err := s.rank(ctx)
	if err != nil {
		return out, err
	}
	matches, changed := make([]PageMatch, len(hits)), make([]bool, len(hits))
	err = folder.ForEach(ctx, len(hits), func(i int) {
		matches[i], changed[i] = s.describeHit(hits[i].File)
		if !s.query.Since.IsZero() || !s.query.Until.IsZero() {
			_, modified := s.n.view.Stat(hits[i].File)
			matches[i].Modified = modified.UTC().Format("2006-01-02T15:04Z")
		}
	})
	if err != nil {
		return out, err
	}
	for i, m := range matches {
		if !changed[i] {
			out.Matches = append(out.Matches, m)
		}
	}
	out.Total = found - (len(matches) - len(out.Matches))
	switch all := len(s.query.Terms); {
	case found == 0 && all > 0 && s.query.NeedsTerm():
		out.Note = s.no("page") + " has any of these words. Try others, kind attachment, or list_pages. "
	case found == 0:
		out.Note = "No page meets all filters. Leave one out. "
	case how == index.AllPrefixes:
		out.Note = s.no("page") + " has these words; these have words that begin with them. "
	case how == index.AnyPrefix && s.query.Needed() > 1:
		out.Note = fmt.Sprintf("%s has all %d words; these have fewer, or words that begin with them. ", s.no("page"), s.query.Needed())
	}
	return out, nil
}

// rank is [index.Index.Search], from the index or from the files.
func (s *search) rank(ctx context.Context) (hits []index.Hit, total int, how index.Match, err error) {
	if s.x != nil {
		return s.x.Search(ctx, s.query, s.offset, s.limit)
	}
	files := s.outline.pageFiles()
	counts, bad := make([]index.Counts, len(files)), make([]bool, len(files))
	err = s.scan(ctx, s.n, func(ctx context.Context) error {
		return folder.ForEach(ctx, len(files), func(i int) {
			var p index.Page
			p, bad[i] = s.n.indexedPage(files[i], s.n.view.Stat)
			counts[i] = s.query.Count(p)
		})
	})
	if err != nil {
		return nil, 0, 0, err
	}
	s.unread = markedFiles(files, bad)
	hits, how = s.query.Rank(counts)
	from := min(s.offset, len(hits))
	return hits[from:min(from+s.limit, len(hits))], len(hits), how, nil
}

// describeHit reads a page that matches again, for its title and the best line. It reports
// whether the page does not match any more.
func (s *search) describeHit(file string) (m PageMatch, changed bool) {
	p, err := s.n.read(file)
	switch {
	case err != nil && len(s.words.tokens) == 0:
		return PageMatch{Path: file, Title: titleOfFile(s.n.graph, file)}, false
	case err != nil:
		return PageMatch{}, true
	case len(s.words.tokens) == 0:
		return PageMatch{Path: file, Title: p.title()}, false
	}
	m, matches := match(p, s.words)
	return m, !matches && s.query.NeedsTerm()
}

// lines finds lines, or with a mode other than words the pages that have them.
func (s *search) lines(ctx context.Context) (out SearchPagesOut, err error) {
	matches, needs, err := s.lineMatcher()
	if err != nil {
		return out, err
	}
	files, err := s.selected(ctx)
	if err != nil {
		return out, err
	}
	found := make([][]PageMatch, len(files))
	bad := make([]bool, len(files))
	err = s.n.scan(ctx, func() error {
		return folder.ForEach(ctx, len(files), func(i int) { found[i], bad[i] = s.matchingLines(files[i], matches, needs) })
	})
	if err != nil {
		return out, err
	}
	s.addUnread(markedFiles(files, bad))
	all := slices.Concat(found...)
	if out.Total = len(all); out.Total == 0 {
		out.Note = s.no("line") + " matches. "
		if !s.mode.readsWords() {
			out.Note = s.no("line") + " matches; case matters. Try mode words. "
		}
	}
	out.Matches = part(all, s.offset, s.limit)
	return out, nil
}

// selected are the pages to read for lines: with words those that have them, the
// best first; otherwise all that pass the filter.
func (s *search) selected(ctx context.Context) (files []string, err error) {
	all := *s
	all.offset, all.limit = 0, s.outline.places.most()
	if s.query.Where != nil {
		where := s.query.Where.WithoutLacks()
		all.query.Where = &where
	}
	hits, _, how, err := all.rank(ctx)
	s.addUnread(all.unread)
	if how == index.AnyPrefix && s.query.Needed() > 1 {
		return nil, err // no page has all words, so no line has
	}
	for _, h := range hits {
		files = append(files, h.File)
	}
	return files, err
}

// matchingLines are the lines of a page that match; of a search for pages the first. A
// page without the bytes that each of them needs is not parsed.
func (s *search) matchingLines(file string, matches unitMatcher, needs []byte) (found []PageMatch, unreadable bool) {
	data, err := s.n.view.Read(file)
	if err != nil || !bytes.Contains(data, needs) {
		return nil, err != nil
	}
	p := parsePage(s.n.graph, file, data)
	number := 0
	for line := range strings.SplitSeq(p.text, "\n") {
		number++
		if !matches(file, line, nil) {
			continue
		}
		m := PageMatch{Path: file, MatchLine: number, MatchContext: around(line, s.words)}
		if s.kind == findPages {
			m.Title = p.title()
			return []PageMatch{m}, false
		}
		found = append(found, m)
	}
	return found, false
}

// A unitMatcher tells whether a search finds a line, a task, a heading, a tag or an
// attachment, by its text.
type unitMatcher func(file, text string, task *taskfields.Fields) bool

// lineMatcher tells which lines a search finds, and the bytes that are in each of them.
func (s *search) lineMatcher() (matches unitMatcher, needs []byte, err error) {
	switch s.mode {
	case byText:
		return func(_, line string, _ *taskfields.Fields) bool { return strings.Contains(line, s.text) }, neededBytes(s.text), nil
	case byRegex:
		re, err := regexp.Compile(s.text)
		if err != nil {
			return nil, nil, tools.Errorf(tools.Invalid, "query: %v", err).
				WithHint("Regular expressions are those of RE2; a backslash needs another in JSON.")
		}
		literal, _ := re.LiteralPrefix()
		return func(_, line string, _ *taskfields.Fields) bool { return re.MatchString(line) }, neededBytes(literal), nil
	case byWords, bySpell:
	}
	return func(file, text string, task *taskfields.Fields) bool {
		return s.holdsFor(searchUnit{file, index.Tokens(text), task})
	}, nil, nil
}

// neededBytes are those that a file has if a line of its text has some text: in the text
// stands U+FFFD for bytes that are not UTF-8.
func neededBytes(text string) []byte {
	if strings.ContainsRune(text, utf8.RuneError) {
		return nil
	}
	return []byte(text)
}

// linkSources are all pages with their links, from the index or from the files.
func (c *comparison) linkSources(ctx context.Context, n *Notebook) (all []linkSource, err error) {
	if c.x == nil {
		if all, err = c.readLinkSources(ctx, n); !errors.Is(err, errIndexMade) {
			return all, err
		}
		now, err := n.look(ctx)
		if err != nil {
			return nil, err
		}
		return now.linkSources(ctx, n)
	}
	err = c.x.Links(ctx, func(file, title string, head index.Head, found []links.Link) {
		source := linkSource{file: file, title: title, graph: n.graph, named: head.Named, aliases: head.Aliases, unreadable: head.Foreign}
		for _, l := range found {
			source.links = append(source.links, writtenLink{Link: l})
		}
		all = append(all, source)
	})
	return all, err
}

// readLinkSources reads all pages for their links.
func (c *comparison) readLinkSources(ctx context.Context, n *Notebook) (all []linkSource, err error) {
	err = c.scan(ctx, n, func(ctx context.Context) error {
		all, err = readLinkSources(ctx, n.graph, c.outline.pageFiles(), n.read)
		return err
	})
	return all, err
}
