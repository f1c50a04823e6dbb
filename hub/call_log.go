package hub

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/lectern-mcp/lectern/hub/mcp"
	"github.com/lectern-mcp/lectern/internal/audit"
	"github.com/lectern-mcp/lectern/internal/safetext"
	"github.com/lectern-mcp/lectern/status"
	"github.com/lectern-mcp/lectern/tools"
)

// A CallLog remembers, counts and logs the calls of agents: who called what, how
// long it took and how it ended, never arguments or content, but for the words of a search,
// which are in its memory alone.
type CallLog struct {
	lines    logLineBuffer
	now      func() time.Time
	snapshot *snapshotUpdater
	history  callHistory
	running  runningCalls
	trail    atomic.Pointer[audit.Trail]
	count    atomic.Uint64
	failures atomic.Uint64 // of these, calls that ended with an error
	refusals routeRefusalCounts
}

func newCallLog(log *slog.Logger, now func() time.Time, snapshot *snapshotUpdater) *CallLog {
	return &CallLog{lines: logLineBuffer{log: log, delay: callLogDelay}, now: now, snapshot: snapshot, history: callHistory{size: historySize}}
}

// maxShownWords is how many bytes of what was searched for people are shown.
const maxShownWords = 200

// unknownTool stands in the log for a tool that does not exist: an agent could
// write anything into its name, and the log is kept.
const unknownTool = "(unknown)"

// record is called for each call when it ends, refused ones too.
func (l *CallLog) record(c *call, res tools.Result, err error) {
	now := l.now()
	l.count.Add(1)
	c.session.CountCall(c.Tool, now)
	code := ""
	if isFormRequiredError(err) {
		code = status.Asked
	} else if e := tools.AsError(err); e != nil {
		code = string(e.Code)
		l.failures.Add(1)
	}
	effect := c.decided.effect
	if effect == "" && c.tool != nil {
		effect = c.tool.info.Effect
	}
	if c.source != nil {
		c.source.calls.Add(1)
		if effect != "" && effect != tools.Reads {
			c.source.writes.Add(1)
		}
	}
	done := status.Call{
		Time: c.began, Duration: now.Sub(c.began), Session: c.session.ID, Client: safetext.Shorten(c.session.ClientName(), mcp.MaxNameBytes),
		Proven: c.client.Proven, Source: sourceNameOrEmpty(c.source), Tool: safetext.Shorten(c.Tool, mcp.MaxNameBytes), Effect: string(effect),
		Waited:       c.record.waited,
		RequestBytes: len(c.Args), ResponseBytes: res.Size(), Code: code, Changes: c.record.recorder.IDs(), Targets: c.record.targets.names(),
		Approval: c.approvalID(), Refused: c.outcome(err) == audit.Refused, Found: res.Hits, FoundTotal: res.HitTotal,
	}
	if err == nil {
		done.PersonEdit = c.record.edit
	}
	if c.tool != nil && c.tool.info.Hits != nil {
		words, _ := c.parsedObject()["query"].(string)
		done.Words = safetext.Shorten(words, maxShownWords)
	}
	if e := tools.AsError(err); e != nil && code != status.Asked {
		done.Message = e.Summary()
	}
	trail := l.trail.Load()
	if trail != nil {
		done.ID = c.auditID(trail)
	}
	l.history.add(done)
	if trail != nil {
		addToTrail(trail, c, done, res.Detail, err)
	}
	if l.lines.log.Enabled(context.Background(), slog.LevelInfo) {
		l.lines.add(newSlogRecord(c, done, now))
	}
	l.snapshot.requestUpdate()
}

func newSlogRecord(c *call, done status.Call, now time.Time) slog.Record {
	tool := unknownTool
	if c.tool != nil {
		tool = done.Tool
	}
	r := slog.NewRecord(now, slog.LevelInfo, "call", 0)
	r.AddAttrs( // what tells calls apart first, for rows that are cut at their end
		slog.String("component", "audit"), slog.String("code", cmp.Or(done.Code, "ok")), slog.String("tool", tool),
		slog.String("client", done.Client), slog.String("source", done.Source), slog.Duration("duration", done.Duration),
		slog.Int("bytes", done.ResponseBytes), slog.String("effect", done.Effect), slog.String("session", done.Session),
	)
	if len(done.Changes) > 0 {
		r.AddAttrs(slog.String("changes", strings.Join(done.Changes, " ")))
	}
	return r
}

// RecordEvent records what happened between calls. Of e, Event says what;
// without a Time it has happened now.
func (l *CallLog) RecordEvent(e status.Call) {
	if e.Time.IsZero() {
		e.Time = l.now()
	}
	e.Client = safetext.Shorten(e.Client, mcp.MaxNameBytes)
	if trail := l.trail.Load(); trail != nil {
		e.ID = trail.NewID(e.Time)
		trail.Add(audit.Record{
			ID: e.ID, Client: e.Client, Proven: e.Proven, Session: e.Session, Source: e.Source, Tool: e.Event, Targets: e.Targets,
			Outcome: audit.Event, Message: e.Message,
		})
	}
	l.history.add(e)
}

// SetTrail has every call from now on recorded in t. The hub does not close it.
func (l *CallLog) SetTrail(t *audit.Trail) { l.trail.Store(t) }

// addToTrail records a call for good. A tool that does not exist is not named:
// an agent could write anything into its name.
func addToTrail(trail *audit.Trail, c *call, done status.Call, detail json.RawMessage, err error) {
	if failed, ok := errors.AsType[interface {
		error
		tools.AuditProvider
	}](err); ok {
		if known, jsonErr := json.Marshal(failed.AuditDetails()); jsonErr == nil {
			detail = known
		}
	}
	if detail == nil {
		detail = audit.HubDetail{
			ChangedByPerson: done.Edited, Hunks: done.Hunks, LeftOut: done.LeftOut, Found: done.Found, FoundTotal: done.FoundTotal,
		}.Encode()
	}
	r := audit.Record{
		ID: done.ID, Client: done.Client, Proven: done.Proven, Session: done.Session, Transport: string(c.via),
		Source: done.Source, Effect: done.Effect, Targets: done.Targets, Outcome: c.outcome(err), Code: done.Code,
		Message: done.Message, Waited: done.Waited, Worked: done.Worked(), Request: done.RequestBytes, Response: done.ResponseBytes,
		Changes:  done.Changes,
		Approval: done.Approval, Detail: detail,
	}
	if c.source != nil {
		r.Role = c.toolset.access(c.source).role
	}
	if c.outer != nil {
		r.Parent = c.outer.auditID(trail)
	}
	if c.tool != nil {
		r.Tool = c.tool.info.Name
	}
	if len(c.Args) > 0 {
		r.Digest = trail.Digest(c.Args)
	}
	trail.Add(r)
}

// recordRouteRequest adds a request to a source's route to the audit: the route as the
// System declares it, never the path, which may hold content.
func (l *CallLog) recordRouteRequest(c *call, method string, route tools.Route, size int64, answer *routeResponseWriter) {
	trail := l.trail.Load()
	if trail == nil {
		return
	}
	r := audit.Record{
		ID: c.auditID(trail), Client: safetext.Shorten(c.session.ClientName(), mcp.MaxNameBytes), Proven: c.client.Proven,
		Session: c.session.ID, Transport: string(c.via), Role: c.toolset.access(c.source).role, Source: c.source.conf.Name,
		Tool: method + " " + route.Path, Outcome: audit.OK,
		Worked: l.now().Sub(c.began), Request: int(max(size, 0)), Response: answer.size,
		Detail: json.RawMessage(fmt.Sprintf(`{"status":%d}`, answer.status)),
	}
	switch {
	case answer.status == http.StatusUnauthorized, answer.status == http.StatusForbidden, answer.status == http.StatusTooManyRequests:
		r.Outcome, r.Code = audit.Refused, "http_"+strconv.Itoa(answer.status)
	case answer.status == 0:
		r.Outcome, r.Code = audit.Failed, "cut_off"
	case answer.status >= http.StatusBadRequest:
		r.Outcome, r.Code = audit.Failed, "http_"+strconv.Itoa(answer.status)
	}
	trail.Add(r)
}

// auditID is the ID of the call in the audit, which calls that it makes refer to
// before it ends.
func (c *call) auditID(trail *audit.Trail) int64 {
	c.record.id.CompareAndSwap(0, trail.NewID(c.began))
	return c.record.id.Load()
}

// outcome is how a call ended that returned err. One that is denied while it
// runs was to change what it may not.
func (c *call) outcome(err error) audit.Outcome {
	switch e := tools.AsError(err); {
	case err == nil:
		return audit.OK
	case isFormRequiredError(err):
		return audit.Asked
	case !c.record.allowed && !c.record.tried, e.Code == tools.Denied:
		return audit.Refused
	default:
		return audit.Failed
	}
}

// A targetList is what a call touches: reads, changes or was to change. A tool that outlives its deadline may add
// to it while the call is recorded.
type targetList struct {
	mu            sync.Mutex
	named         []string
	fromArguments []string // what its arguments name, which counts as long as nothing better is known
}

func (l *targetList) add(changes []tools.Change) { l.addNames(targetNames(changes)) }

// addNames adds what a call reads or changes.
func (l *targetList) addNames(names []string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.named = appendTargets(l.named, names)
}

// addFromArguments adds what a call is about by its arguments.
func (l *targetList) addFromArguments(names []string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.fromArguments = appendTargets(l.fromArguments, names)
}

// argumentTargets are what its arguments name.
func (l *targetList) argumentTargets() map[string]bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	names := make(map[string]bool, len(l.fromArguments))
	for _, name := range l.fromArguments {
		names[name] = true
	}
	return names
}

func appendTargets(to, names []string) []string {
	for _, name := range names {
		if name = safetext.Shorten(name, audit.MaxTarget); len(to) < audit.MaxTargets && !slices.Contains(to, name) {
			to = append(to, name)
		}
	}
	return to
}

func (l *targetList) names() []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.named) == 0 {
		return slices.Clone(l.fromArguments)
	}
	return slices.Clone(l.named)
}

func sourceNameOrEmpty(s *source) string {
	if s == nil {
		return ""
	}
	return s.conf.Name
}
