package doctor

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/lectern-mcp/lectern/cmd/lectern/internal/problems"
	"github.com/lectern-mcp/lectern/status"
	"github.com/lectern-mcp/lectern/tools/doc"
	"github.com/lectern-mcp/lectern/tools/logseq"
)

// capabilities are the capabilities of a kind of graph.
func capabilities(kind string) []status.Capability {
	var list []status.Capability
	for _, c := range logseq.Capabilities() {
		if c.Has(kind) {
			list = append(list, status.Capability{Key: c.Key})
		}
	}
	return list
}

func testPeer(change func(*status.Peer)) status.Peer {
	p := status.Peer{
		Component: status.Component{Name: "notes"}, System: "logseq", Application: "Logseq", Facts: []status.Fact{
			{Name: "address", Value: "logseq_db_notes"}, {Name: "graph", Value: "DB"}, {Name: "Logseq", Value: "2.0.1"}, {Name: "plugin", Value: "?"},
			{Name: "SDK", Value: "0.2.12"}, {Name: "skill", Value: doc.SkillVersion},
		},
		Transport: "websocket", Origin: "lsp://logseq.io", Capabilities: capabilities("db"),
	}
	if change != nil {
		change(&p)
	}
	return p
}

// runWith is a run with a hub that shows this snapshot, and with plugins that
// give one answer after the other.
func runWith(t *testing.T, s status.Snapshot, answers ...Diagnosis) *run {
	t.Helper()
	r := testDoctor(t).newRun(t.Context(), "logseq")
	r.snapshot = func() (status.Snapshot, error) { return s, nil }
	r.Diagnose = func(context.Context, string) (Diagnosis, error) {
		if len(answers) == 0 {
			return Diagnosis{}, ErrOldPlugin
		}
		d := answers[0]
		answers = answers[1:]
		return d, nil
	}
	return r
}

func diagnosisWith(change func(*Diagnosis)) Diagnosis {
	d := Diagnosis{Editor: &Timing{Millis: 3}, Database: &Timing{Millis: 2}, Namespaces: map[string]int{"user.property": 2, "logseq.property": 30}}
	if change != nil {
		change(&d)
	}
	return d
}

func TestDoctorOfPeers(t *testing.T) {
	without := func(key string) func(*status.Peer) {
		return func(p *status.Peer) {
			p.Capabilities[slices.IndexFunc(p.Capabilities, func(c status.Capability) bool { return c.Key == key })].Reason = "gone"
		}
	}
	says := func(name, value string) func(*status.Peer) {
		return func(p *status.Peer) {
			p.Facts[slices.IndexFunc(p.Facts, func(f status.Fact) bool { return f.Name == name })].Value = value
		}
	}
	for _, c := range []struct {
		look    func(context.Context, *run, status.Peer) status.Check
		peer    func(*status.Peer)
		answers []Diagnosis
		result  status.CheckResult
		want    string
	}{
		{checkVersions, nil, nil, status.CheckOK, "Logseq 2.0.1, plugin ?, SDK 0.2.12"},
		{checkVersions, says("plugin", "9"), nil, status.CheckWarn, "carries plugin"},
		{checkVersions, says("skill", "0.1"), nil, status.CheckWarn, "has skill"},
		{checkVersions, says("Logseq", "3.0.0"), nil, status.CheckWarn, "this version of Logseq has not been tested"},
		{checkTransport, nil, nil, status.CheckOK, "WebSocket; no ping"},
		{checkTransport, func(p *status.Peer) { p.Latency = 1500 * time.Microsecond }, nil, status.CheckOK, "a ping takes 1.5 ms"},
		{checkTransport, func(p *status.Peer) { p.Transport = "poll" }, nil, status.CheckWarn, "long polling"},
		{checkMethods, nil, nil, status.CheckOK, "21 of 22 capabilities, as expected of a db graph"},
		{checkMethods, without("blocks.move"), []Diagnosis{diagnosisWith(func(d *Diagnosis) { d.Missing = []string{"move_block"} })}, status.CheckWarn, "missing: blocks.move; this Logseq lacks move_block"},
		{checkMethods, without("blocks.move"), []Diagnosis{diagnosisWith(func(d *Diagnosis) { d.Settings = []string{"readOnly"} })}, status.CheckOK, "turned off by the plugin's settings: readOnly"},
		{checkMethods, without("blocks.move"), nil, status.CheckWarn, "missing: blocks.move"},
		{checkWindow, nil, []Diagnosis{diagnosisWith(nil)}, status.CheckOK, "visible the editor answers in 3 ms and the database answers in 2 ms; not tried with the window hidden"},
		{checkWindow, nil, []Diagnosis{diagnosisWith(func(d *Diagnosis) { d.Hidden = true })}, status.CheckOK, "with the window hidden the editor answers in 3 ms"},
		{checkWindow, nil, []Diagnosis{diagnosisWith(func(d *Diagnosis) { d.Hidden, d.Editor = true, &Timing{9000, "TIMEOUT"} })}, status.CheckWarn, "hidden the editor gave no answer within 9000 ms (TIMEOUT) and the database answers"},
		{checkWindow, nil, []Diagnosis{diagnosisWith(func(d *Diagnosis) { d.Editor = &Timing{9000, "TIMEOUT"} })}, status.CheckWarn, "visible the editor gave no answer"},
		{checkWindow, nil, []Diagnosis{diagnosisWith(func(d *Diagnosis) { d.Database = &Timing{9000, "TIMEOUT"} })}, status.CheckFail, "the database gave no answer"},
		{checkWindow, nil, []Diagnosis{{}}, status.CheckSkipped, "no graph is open"},
		{checkWindow, nil, nil, status.CheckWarn, "older than this Lectern"},
		{checkProperties, nil, []Diagnosis{diagnosisWith(nil)}, status.CheckOK, "properties: logseq.property 30, user.property 2; to test whether a plugin can set"},
		{checkProperties, says("graph", "file"), []Diagnosis{diagnosisWith(nil)}, status.CheckOK, "a file graph has no namespaces"},
	} {
		p := testPeer(c.peer)
		r := runWith(t, status.Snapshot{}, c.answers...)
		r.Plugin = pluginOfVersion("?")
		if got := c.look(t.Context(), r, p); got.Result != c.result || !strings.Contains(got.Detail, c.want) {
			t.Errorf("%+v\nwant %s: %s", got, c.result, c.want)
		}
	}
}

// The result is what happens once a person has hidden the window.
func TestDoctorAsksToHide(t *testing.T) {
	stalled := diagnosisWith(func(d *Diagnosis) { d.Hidden, d.Editor = true, &Timing{9000, "TIMEOUT"} })
	for _, c := range []struct {
		agrees bool
		then   Diagnosis
		result status.CheckResult
		want   string
	}{
		{true, stalled, status.CheckWarn, "visible the editor answers in 3 ms and the database answers in 2 ms; then with the window hidden the editor gave no answer within 9000 ms"},
		{true, diagnosisWith(func(d *Diagnosis) { d.Hidden = true }), status.CheckOK, "then with the window hidden the editor answers"},
		{false, stalled, status.CheckOK, "not tried with the window hidden"},
	} {
		r := runWith(t, status.Snapshot{}, diagnosisWith(nil), c.then)
		asked := ""
		r.Ask = func(request string) bool { asked = request; return c.agrees }
		got := checkWindow(t.Context(), r, testPeer(nil))
		if got.Result != c.result || !strings.Contains(got.Detail, c.want) || !strings.Contains(asked, "Hide the window of Logseq that shows notes") {
			t.Errorf("asked %q: %+v\nwant %s: %s", asked, got, c.result, c.want)
		}
	}
}

// Of several Logseqs the worst result counts, and all are reported.
func TestDoctorOfSeveralPeers(t *testing.T) {
	other := testPeer(func(p *status.Peer) { p.Name, p.Transport = "other", "poll" })
	got := forEachPeer(checkTransport)(t.Context(), runWith(t, status.Snapshot{Peers: []status.Peer{testPeer(nil), other}}))
	if got.Result != status.CheckWarn || !strings.Contains(got.Detail, "notes: WebSocket") || !strings.Contains(got.Detail, "other: long polling") || got.Fix == "" {
		t.Errorf("%+v", got)
	}
	r := runWith(t, status.Snapshot{})
	r.snapshot = func() (status.Snapshot, error) { return status.Snapshot{}, errors.New("none") }
	if got := forEachPeer(checkTransport)(t.Context(), r); got.Result != status.CheckSkipped || got.Detail != noHub {
		t.Errorf("%+v", got)
	}
}

func TestDoctorOfOrigins(t *testing.T) {
	r := runWith(t, status.Snapshot{Peers: []status.Peer{testPeer(nil), testPeer(func(p *status.Peer) { p.Name, p.Origin = "p", "" })}})
	if got := checkOrigins(t.Context(), r); got.Result != status.CheckOK || got.Detail != "notes: lsp://logseq.io; p: not a page: Logseq's own process connects" {
		t.Errorf("%+v", got)
	}
	stranger := problems.PluginOrigin.New(problems.Hub, status.Args{"origins": "\"file://\"", "file": "f"})
	r = runWith(t, status.Snapshot{Problems: []status.Problem{stranger}})
	if got := checkOrigins(t.Context(), r); got.Result != status.CheckWarn || !strings.Contains(got.Detail, "file://") {
		t.Errorf("%+v", got)
	}
}

// The source that opens a graph names it by name or by URL, or is the only one.
func TestDoctorFindsTheSource(t *testing.T) {
	for want, text := range map[string]string{
		"one": "[[source]]\nname = \"two\"\nkind = \"logseq\"\ngraph = \"else\"\n[[source]]\nname = \"one\"\nkind = \"logseq\"\ngraph = \"notes\"\n",
		"url": "[[source]]\nname = \"url\"\nkind = \"logseq\"\ngraph = \"logseq_db_notes\"\n",
		"any": "[[source]]\nname = \"any\"\nkind = \"logseq\"\n",
		"":    "[[source]]\nname = \"two\"\nkind = \"logseq\"\ngraph = \"else\"\n",
	} {
		r := runWith(t, status.Snapshot{})
		if err := os.WriteFile(r.Paths.File(), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		got, err := r.sourceOfGraph(testPeer(nil))
		if got != want || (err == nil) != (want != "") {
			t.Errorf("%s: %s, %v", want, got, err)
		}
	}
}

// Where Logseq is neither used nor asked about, one line says so.
func TestDoctorWithoutLogseq(t *testing.T) {
	d := testDoctor(t)
	d.Home = t.TempDir()
	found, err := d.Check(t.Context(), "")
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for c := range found {
		if strings.HasPrefix(c.Name, "logseq.") {
			names = append(names, fmt.Sprintf("%s %s", c.Name, c.Result))
		}
	}
	if got := strings.Join(names, ", "); got != "logseq.plugin skipped" {
		t.Error(got)
	}
}
