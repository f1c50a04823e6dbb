package config

import (
	"fmt"
	"slices"
	"strings"

	"github.com/lectern-mcp/lectern/internal/tomltext"
)

// AllowOrigin plans to let in plugins whose page is of this origin. One that
// is there already is no change; those that are there stay as they are written.
func (c Config) AllowOrigin(origin string) (Edit, error) {
	if !isOrigin(origin) {
		return Edit{}, fmt.Errorf("%.80q is no origin: it must be one exactly as the browser sends it, such as \"file://\"", origin)
	}
	if slices.Contains(c.Logseq.Origins, origin) {
		return Edit{c.Path, c.text, c.text}, nil
	}
	want := c
	want.Logseq.Origins = append(slices.Clone(c.Logseq.Origins), origin)
	edit, err := c.edited(c.withOrigin(origin), want, "logseq.origins")
	if err != nil {
		return Edit{}, fmt.Errorf("%s cannot be edited safely; write origins = [%s] below [logseq] with an editor", c.Path, tomltext.Quote(origin))
	}
	return edit, nil
}

// withOrigin is the text with one more origin, as far as that can be done; who
// asks looks at what it says.
func (c Config) withOrigin(origin string) []byte {
	quoted := tomltext.Quote(origin)
	if n := len(c.Logseq.Origins); n > 0 {
		path := fmt.Sprintf("logseq.origins[%d]", n-1)
		if after, ok := tomltext.After(c.text, path, ", "+quoted); ok {
			return after
		}
	}
	if after, ok := tomltext.Set(c.text, "logseq", "origins", "["+quoted+"]"); ok {
		return after
	}
	return tomltext.Append(c.textOrHeader(), "[logseq]\norigins = ["+quoted+"]\n")
}

// isOrigin is true for what a browser may send as one.
func isOrigin(s string) bool {
	scheme, _, ok := strings.Cut(s, "://")
	return s == "null" || ok && scheme != "" && !strings.ContainsAny(s, "* ")
}
