package config

import (
	"fmt"
	"slices"
	"strings"

	"github.com/lectern-mcp/lectern/internal/tomltext"
)

// AllowOrigin plans to approve plugins whose page has this origin. If it is
// approved already, nothing changes; the others stay as they are written.
func (c Config) AllowOrigin(origin string) (Edit, error) {
	if !isOrigin(origin) {
		return Edit{}, fmt.Errorf("%.80q is not an origin: write it exactly as the browser sends it, such as \"file://\"", origin)
	}
	if slices.Contains(c.Bridge.Origins, origin) {
		return c.Unchanged(), nil
	}
	want := c
	want.Bridge.Origins = append(slices.Clone(c.Bridge.Origins), origin)
	edit, err := c.edited(c.withOrigin(origin), want, "bridge.origins")
	if err != nil {
		return Edit{}, fmt.Errorf("%s cannot be edited safely; write origins = [%s] below [bridge] with an editor", c.Path,
			tomltext.Quote(origin))
	}
	return edit, nil
}

// withOrigin returns the text with one more origin. The caller checks what the
// text means then.
func (c Config) withOrigin(origin string) []byte {
	quoted := tomltext.Quote(origin)
	if n := len(c.Bridge.Origins); n > 0 {
		for _, key := range []string{"bridge.origins", "logseq.origins"} { // the second is the former name
			if after, ok := tomltext.After(c.text, fmt.Sprintf("%s[%d]", key, n-1), ", "+quoted); ok {
				return after
			}
		}
	}
	if after, ok := tomltext.Set(c.text, "bridge", "origins", "["+quoted+"]"); ok {
		return after
	}
	return tomltext.Append(c.textOrHeader(), "[bridge]\norigins = ["+quoted+"]\n")
}

// isOrigin reports whether a browser may send s as an origin.
func isOrigin(s string) bool {
	scheme, _, ok := strings.Cut(s, "://")
	return s == "null" || ok && scheme != "" && !strings.ContainsAny(s, "* ")
}
