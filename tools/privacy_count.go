package tools

import (
	"context"
	"slices"
	"strings"
	"sync"

	"github.com/lectern-mcp/lectern/status"
)

// A HiddenPageCounter is a [Source] that can tell people how much its rules hide.
type HiddenPageCounter interface {
	// CountHiddenPages counts what [Env].Privacy hides now. Its answer is for
	// people: no tool may depend on it.
	CountHiddenPages(ctx context.Context) (status.HiddenPages, error)
}

// A PrivacyCount counts the pages of a source, and finds the rules that match none
// of them. Its methods may be called from any goroutine.
type PrivacyCount struct {
	mu        sync.Mutex
	unmatched []PrivacyRule
	pages     status.HiddenPages
}

// NewPrivacyCount counts for p.
func NewPrivacyCount(p Privacy) *PrivacyCount {
	// What begins with a dot is never shown, so a rule about it matches nothing and
	// is right all the same.
	rules := slices.DeleteFunc(slices.Concat(p.Exclude, p.Only), func(r PrivacyRule) bool {
		return strings.HasPrefix(r.Path, ".") || strings.Contains(r.Path, "/.")
	})
	return &PrivacyCount{unmatched: rules}
}

// Add counts a page. Its Tags and Properties are needed only while NeedsContent.
func (c *PrivacyCount) Add(page Page, hidden bool) {
	c.Match(page)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.pages.Total++
	if hidden {
		c.pages.Hidden++
	}
}

// Match notes which rules match a page, a folder or any other file, without
// counting it.
func (c *PrivacyCount) Match(page Page) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.unmatched = slices.DeleteFunc(c.unmatched, func(r PrivacyRule) bool { return r.matches(page) })
}

// NeedsContent reports whether a rule on tags or properties has matched nothing so
// far.
func (c *PrivacyCount) NeedsContent() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return Privacy{Exclude: c.unmatched}.NeedsContent()
}

// Pages is the count so far.
func (c *PrivacyCount) Pages() status.HiddenPages {
	c.mu.Lock()
	defer c.mu.Unlock()
	pages := c.pages
	for _, r := range c.unmatched {
		pages.Unmatched = append(pages.Unmatched, r.String())
	}
	return pages
}
