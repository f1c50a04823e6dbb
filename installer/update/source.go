package update

import (
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"
)

// Releases is where releases are published.
const Releases = "https://github.com/lectern-mcp/lectern/releases"

// sums is the signed list of a release's files; signature is what its name,
// and the name of a binary, has when signed.
const (
	sums      = "checksums.txt"
	signature = ".minisig"
)

// maxHops bounds redirects. GitHub needs two: to the tag, then to its storage.
const maxHops = 5

// storageHosts is where GitHub redirects downloads to.
var storageHosts = []string{"objects.githubusercontent.com", "release-assets.githubusercontent.com"}

// A releaseSource is a place of releases.
type releaseSource struct {
	base  *url.URL
	plain bool // http to loopback is allowed
}

func newSource(mirror string, plain bool) (releaseSource, error) {
	text := mirror
	if text == "" {
		text = Releases
	}
	base, err := url.Parse(strings.TrimRight(text, "/"))
	if err != nil {
		return releaseSource{}, fmt.Errorf("read configuration: update.mirror: %w", err)
	}
	s := releaseSource{base: base, plain: plain}
	if base.Host == "" || base.User != nil || base.RawQuery != "" || base.Fragment != "" {
		return releaseSource{}, fmt.Errorf("read configuration: update.mirror is %q; it must be an https URL without user, query or fragment", mirror)
	}
	if err := s.checkAllowed(base); err != nil {
		return releaseSource{}, fmt.Errorf("read configuration: update.mirror: %w", err)
	}
	return s, nil
}

func (s releaseSource) newestURL(file string) string {
	return s.base.JoinPath("latest", "download", file).String()
}

func (s releaseSource) fileURL(version, file string) string {
	return s.base.JoinPath("download", "v"+version, file).String()
}

// pageURL is what a person opens; version may be empty.
func (s releaseSource) pageURL(version string) string {
	if version == "" {
		return s.base.JoinPath("latest").String()
	}
	return s.base.JoinPath("tag", "v"+version).String()
}

// checkAllowed says why u may not be asked, or nil.
func (s releaseSource) checkAllowed(u *url.URL) error {
	switch {
	case u.Scheme == "https":
	case u.Scheme == "http" && s.plain && isLoopback(u.Hostname()):
	default:
		return fmt.Errorf("%s is not https; nothing was downloaded from it", u.Redacted())
	}
	if u.Host == s.base.Host || s.base.Host == "github.com" && slices.Contains(storageHosts, u.Host) {
		return nil
	}
	return fmt.Errorf("the server sends us to %s, which is not one of its own; nothing was downloaded from it", u.Host)
}

func isLoopback(host string) bool {
	ip := net.ParseIP(host)
	return ip != nil && ip.IsLoopback()
}

// newWebClient asks only whom s allows. Its requests are bounded by their
// contexts. Answers are never unpacked on the way: sizes are those on the wire.
func newWebClient(s releaseSource) *http.Client {
	dial := &net.Dialer{Timeout: 15 * time.Second}
	return &http.Client{
		Transport: &http.Transport{
			Proxy: http.ProxyFromEnvironment, DialContext: dial.DialContext, DisableCompression: true,
			TLSHandshakeTimeout: 15 * time.Second, ResponseHeaderTimeout: 30 * time.Second,
			MaxResponseHeaderBytes: 64 << 10, ForceAttemptHTTP2: true, IdleConnTimeout: 30 * time.Second,
		},
		CheckRedirect: func(req *http.Request, via []*http.Request) error {
			if len(via) > maxHops {
				return errors.New("the server sends us in circles; try again later")
			}
			return s.checkAllowed(req.URL)
		},
	}
}
