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

// checksumsFile is the signed list of a release's files; signatureSuffix is that of the
// file with its signature, and of that with a binary's.
const (
	checksumsFile   = "checksums.txt"
	signatureSuffix = ".minisig"
)

// maxHops bounds redirects. GitHub needs two: to the tag, then to its storage.
const maxHops = 5

// storageHosts is where GitHub redirects downloads to.
var storageHosts = []string{"objects.githubusercontent.com", "release-assets.githubusercontent.com"}

// A releaseSource is a server of releases.
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
		return releaseSource{}, fmt.Errorf("read configuration: update.mirror is %q; it must be an https URL without user, query or fragment",
			mirror)
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

// pageURL is for a person; version may be empty.
func (s releaseSource) pageURL(version string) string {
	if version == "" {
		return s.base.JoinPath("latest").String()
	}
	return s.base.JoinPath("tag", "v"+version).String()
}

// checkAllowed says why u must not be requested, or nil.
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
	return fmt.Errorf("the server redirects to %s, which is not one of its own hosts; nothing was downloaded from it", u.Host)
}

func isLoopback(host string) bool {
	ip := net.ParseIP(host)
	return ip != nil && ip.IsLoopback()
}

// newWebClient sends requests only where s allows. They are bounded by their
// contexts. Responses are not decompressed: sizes are those on the wire.
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
				return errors.New("too many redirects; try again later")
			}
			return s.checkAllowed(req.URL)
		},
	}
}
