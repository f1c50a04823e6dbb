package hub

import (
	"encoding/json"
	"net"
	"net/http"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/lectern-mcp/lectern/hub/mcp"
	"github.com/lectern-mcp/lectern/internal/audit"
	"github.com/lectern-mcp/lectern/internal/loopnet"
	"github.com/lectern-mcp/lectern/internal/safetext"
	"github.com/lectern-mcp/lectern/tools"
)

// maxRecordedRefusalsPerMinute is how many refused requests to one source are recorded in a minute.
// Everybody can send some, so without it a stranger could fill the audit until its
// older records are deleted.
const maxRecordedRefusalsPerMinute = 60

// routeRefusalCounts are the refused requests of the current minute, by source.
type routeRefusalCounts struct {
	mu sync.Mutex
	by map[string]*routeRefusalCount
}

type routeRefusalCount struct {
	since    time.Time // when the minute began
	recorded int
	omitted  int // since the newest that was recorded
}

// countRefusal reports whether one more is recorded, and how many before it were not.
func (c *routeRefusalCounts) countRefusal(source string, now time.Time) (omitted int, ok bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.by == nil {
		c.by = map[string]*routeRefusalCount{}
	}
	n := c.by[source]
	if n == nil {
		n = &routeRefusalCount{since: now}
		c.by[source] = n
	}
	if age := now.Sub(n.since); age >= time.Minute || age < 0 {
		n.since, n.recorded = now, 0
	}
	if n.recorded == maxRecordedRefusalsPerMinute {
		n.omitted++
		return 0, false
	}
	n.recorded++
	omitted, n.omitted = n.omitted, 0
	return omitted, true
}

// A routeRefusalDetail is what the audit holds of a refused request besides who and why.
type routeRefusalDetail struct {
	Status  int    `json:"status"`
	Address string `json:"address"`           // that the request came from, without port
	Omitted int    `json:"omitted,omitempty"` // refused requests before it that are not recorded
}

// recordRefusal adds a request to the audit that the guard refused: who sent it if
// that is proven, to which source, and why; never what it sent.
func (r Routes) recordRefusal(req *http.Request, m routeMatch, code int, reason string) {
	calls := r.hub.calls
	trail, now := calls.trail.Load(), r.hub.now()
	if trail == nil {
		return
	}
	omitted, ok := calls.refusals.countRefusal(m.source.conf.Name, now)
	if !ok {
		return
	}
	who, known := req.Context().Value(identityContextKey{}).(tools.Identity)
	if !known && loopnet.RequestPrincipal(req) != "" {
		who.Client = r.hub.clientOf(req)
	}
	address, _, err := net.SplitHostPort(req.RemoteAddr)
	if err != nil {
		address = ""
	}
	detail, err := json.Marshal(routeRefusalDetail{code, address, omitted})
	if err != nil {
		detail = nil
	}
	trail.Add(audit.Record{
		ID: trail.NewID(now), Client: safetext.Shorten(who.Client, mcp.MaxNameBytes), Proven: who.Client != "", Transport: string(tools.ViaRoute),
		Role:   who.Role,
		Source: m.source.conf.Name, Tool: httpMethodForAudit(req.Method) + " " + m.route.Path, Outcome: audit.Refused,
		Code:    "http_" + strconv.Itoa(code),
		Message: reason, Request: int(max(req.ContentLength, 0)), Detail: detail,
	})
}

// httpMethodForAudit keeps out of the audit what a stranger makes up.
func httpMethodForAudit(method string) string {
	if slices.Contains([]string{
		http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete, http.MethodOptions,
	}, method) {
		return method
	}
	return unknownTool
}
