package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/lectern-mcp/lectern/bridge/bridgetest"
	"github.com/lectern-mcp/lectern/internal/loopnet"
	"github.com/lectern-mcp/lectern/status"
	"github.com/lectern-mcp/lectern/tools/doc"
	"github.com/lectern-mcp/lectern/tools/logseq"
)

// playLogseq is a Logseq with the plugin, for the scripts: `logseq PORT GRAPH
// [ANSWER]`. ANSWER is what it says to diagnose. It connects when the hub is
// there and ends with it.
func playLogseq() {
	home, port, graph := os.Getenv("LECTERN_HOME"), os.Args[1], os.Args[2]
	token, err := loopnet.LoadOrCreateToken(filepath.Join(home, "state", "plugin.token"))
	if err != nil {
		panic(err)
	}
	hello := bridgetest.Hello(graph)
	hello["skill_version"], hello["api_capabilities"] = doc.SkillVersion, keys("db")
	hello["plugin_version"] = "1.2.3"
	p, err := bridgetest.Connect(context.Background(), bridgetest.Options{
		Dial: bridgetest.Dial{URL: "http://127.0.0.1:" + port, Origin: "lsp://logseq.io"}, Token: token, Hello: hello,
		Answer: func(_ context.Context, method string, _ json.RawMessage) (any, error) {
			if method == "diagnose" && len(os.Args) > 3 {
				return json.RawMessage(os.Args[3]), nil
			}
			return nil, &bridgetest.Fault{Code: "CAPABILITY_MISSING", Message: "this plugin has no method " + method}
		},
	})
	if err != nil {
		panic(err)
	}
	p.Wait()
}

// keys are the capabilities of a kind of graph.
func keys(kind string) []string {
	var list []string
	for _, c := range logseq.Capabilities() {
		if c.Has(kind) {
			list = append(list, c.Key)
		}
	}
	return list
}

func peerOf(change func(*status.Peer)) status.Peer {
	p := status.Peer{
		Component: status.Component{Name: "notes"}, Graph: "logseq_db_notes", Kind: "db", App: "2.0.1", Plugin: "?", SDK: "0.2.12",
		Skill: doc.SkillVersion, Transport: "websocket", Origin: "lsp://logseq.io", Capabilities: keys("db"),
	}
	if change != nil {
		change(&p)
	}
	return p
}

// visitWith is a visit of a hub that shows these peers and problems, and of
// plugins that give one answer after the other.
func visitWith(t *testing.T, s status.Snapshot, answers ...diagnosis) *visit {
	t.Helper()
	v := doctor{world: testWorld(t)}.visit(t.Context(), "logseq")
	v.picture = func() (status.Snapshot, error) { return s, nil }
	v.asking = func(context.Context, string) (diagnosis, error) {
		if len(answers) == 0 {
			return diagnosis{}, errOldPlugin
		}
		d := answers[0]
		answers = answers[1:]
		return d, nil
	}
	return v
}

func answer1(change func(*diagnosis)) diagnosis {
	d := diagnosis{Editor: &timed{Millis: 3}, Database: &timed{Millis: 2}, Namespaces: map[string]int{"user.property": 2, "logseq.property": 30}}
	if change != nil {
		change(&d)
	}
	return d
}

func TestDoctorOfPeers(t *testing.T) {
	without := func(key string) func(*status.Peer) {
		return func(p *status.Peer) {
			p.Capabilities = slices.DeleteFunc(p.Capabilities, func(k string) bool { return k == key })
		}
	}
	for _, c := range []struct {
		look    func(context.Context, *visit, status.Peer) status.Check
		peer    func(*status.Peer)
		answers []diagnosis
		result  status.CheckResult
		want    string
	}{
		{lookAtVersions, nil, nil, status.CheckOK, "Logseq 2.0.1, plugin ?, SDK 0.2.12"},
		{lookAtVersions, func(p *status.Peer) { p.Plugin = "9" }, nil, status.CheckWarn, "carries plugin"},
		{lookAtVersions, func(p *status.Peer) { p.Skill = "0.1" }, nil, status.CheckWarn, "speaks skill"},
		{lookAtVersions, func(p *status.Peer) { p.App = "3.0.0" }, nil, status.CheckWarn, "of this version was not tried"},
		{lookAtTransport, nil, nil, status.CheckOK, "a WebSocket gets through; no ping"},
		{lookAtTransport, func(p *status.Peer) { p.Latency = 1500 * time.Microsecond }, nil, status.CheckOK, "a ping takes 1.5 ms"},
		{lookAtTransport, func(p *status.Peer) { p.Transport = "poll" }, nil, status.CheckWarn, "long polling"},
		{lookAtMethods, nil, nil, status.CheckOK, "21 of 22 capabilities, as the table says for a db graph"},
		{lookAtMethods, without("blocks.move"), []diagnosis{answer1(func(d *diagnosis) { d.Missing = []string{"move_block"} })}, status.CheckWarn, "lacking: blocks.move; this Logseq has not move_block"},
		{lookAtMethods, without("blocks.move"), []diagnosis{answer1(func(d *diagnosis) { d.Settings = []string{"readOnly"} })}, status.CheckOK, "taken away by the plugin's settings: readOnly"},
		{lookAtMethods, without("blocks.move"), nil, status.CheckWarn, "lacking: blocks.move"},
		{lookAtMethods, func(p *status.Peer) { p.Capabilities = append(p.Capabilities, "templates") }, []diagnosis{answer1(nil)}, status.CheckWarn, "more than the table has: templates"},
		{lookAtWindow, nil, []diagnosis{answer1(nil)}, status.CheckOK, "in sight the editor answers in 3 ms and the database answers in 2 ms; not tried while it is hidden"},
		{lookAtWindow, nil, []diagnosis{answer1(func(d *diagnosis) { d.Hidden = true })}, status.CheckOK, "with the window hidden the editor answers in 3 ms"},
		{lookAtWindow, nil, []diagnosis{answer1(func(d *diagnosis) { d.Hidden, d.Editor = true, &timed{9000, "TIMEOUT"} })}, status.CheckWarn, "hidden the editor gave no answer within 9000 ms (TIMEOUT) and the database answers"},
		{lookAtWindow, nil, []diagnosis{answer1(func(d *diagnosis) { d.Editor = &timed{9000, "TIMEOUT"} })}, status.CheckWarn, "in sight the editor gave no answer"},
		{lookAtWindow, nil, []diagnosis{answer1(func(d *diagnosis) { d.Database = &timed{9000, "TIMEOUT"} })}, status.CheckFail, "the database gave no answer"},
		{lookAtWindow, nil, []diagnosis{{}}, status.CheckSkipped, "no graph is open"},
		{lookAtWindow, nil, nil, status.CheckWarn, "older than this Lectern"},
		{lookAtNamespaces, nil, []diagnosis{answer1(nil)}, status.CheckOK, "properties: logseq.property 30, user.property 2; whether a plugin may set"},
		{lookAtNamespaces, func(p *status.Peer) { p.Kind = "file" }, []diagnosis{answer1(nil)}, status.CheckOK, "a file graph has no namespaces"},
	} {
		p := peerOf(c.peer)
		v := visitWith(t, status.Snapshot{}, c.answers...)
		v.plugin = carrying("?")
		if got := c.look(t.Context(), v, p); got.Result != c.result || !strings.Contains(got.Detail, c.want) {
			t.Errorf("%+v\nwant %s: %s", got, c.result, c.want)
		}
	}
}

// A person hides the window, and what happens then is what counts.
func TestDoctorAsksToHide(t *testing.T) {
	stalled := answer1(func(d *diagnosis) { d.Hidden, d.Editor = true, &timed{9000, "TIMEOUT"} })
	for _, c := range []struct {
		agrees bool
		then   diagnosis
		result status.CheckResult
		want   string
	}{
		{true, stalled, status.CheckWarn, "in sight the editor answers in 3 ms and the database answers in 2 ms; then with the window hidden the editor gave no answer within 9000 ms"},
		{true, answer1(func(d *diagnosis) { d.Hidden = true }), status.CheckOK, "then with the window hidden the editor answers"},
		{false, stalled, status.CheckOK, "not tried while it is hidden"},
	} {
		v := visitWith(t, status.Snapshot{}, answer1(nil), c.then)
		asked := ""
		v.ask = func(request string) bool { asked = request; return c.agrees }
		got := lookAtWindow(t.Context(), v, peerOf(nil))
		if got.Result != c.result || !strings.Contains(got.Detail, c.want) || !strings.Contains(asked, "Hide the window of Logseq that shows notes") {
			t.Errorf("asked %q: %+v\nwant %s: %s", asked, got, c.result, c.want)
		}
	}
}

// Of several Logseqs the worst result counts, and all are told of.
func TestDoctorOfSeveralPeers(t *testing.T) {
	other := peerOf(func(p *status.Peer) { p.Name, p.Transport = "other", "poll" })
	got := ofEachPeer(lookAtTransport)(t.Context(), visitWith(t, status.Snapshot{Peers: []status.Peer{peerOf(nil), other}}))
	if got.Result != status.CheckWarn || !strings.Contains(got.Detail, "notes: a WebSocket") || !strings.Contains(got.Detail, "other: long polling") || got.Fix == "" {
		t.Errorf("%+v", got)
	}
	v := visitWith(t, status.Snapshot{})
	v.picture = func() (status.Snapshot, error) { return status.Snapshot{}, errors.New("none") }
	if got := ofEachPeer(lookAtTransport)(t.Context(), v); got.Result != status.CheckSkipped || got.Detail != "no hub runs" {
		t.Errorf("%+v", got)
	}
}

func TestDoctorOfOrigins(t *testing.T) {
	v := visitWith(t, status.Snapshot{Peers: []status.Peer{peerOf(nil), peerOf(func(p *status.Peer) { p.Name, p.Origin = "p", "" })}})
	if got := lookAtOrigin(t.Context(), v); got.Result != status.CheckOK || got.Detail != "notes: lsp://logseq.io; p: no page's: Logseq's own process asks" {
		t.Errorf("%+v", got)
	}
	stranger := pluginOrigin.New(hubPart, status.Args{"origins": "\"file://\"", "file": "f"})
	v = visitWith(t, status.Snapshot{Problems: []status.Problem{stranger}})
	if got := lookAtOrigin(t.Context(), v); got.Result != status.CheckWarn || !strings.Contains(got.Detail, "file://") {
		t.Errorf("%+v", got)
	}
}

// The source that opens a graph goes by its name, its address, or by being the
// only one.
func TestDoctorFindsTheSource(t *testing.T) {
	for want, text := range map[string]string{
		"one": "[[source]]\nname = \"two\"\nkind = \"logseq\"\ngraph = \"else\"\n[[source]]\nname = \"one\"\nkind = \"logseq\"\ngraph = \"notes\"\n",
		"url": "[[source]]\nname = \"url\"\nkind = \"logseq\"\ngraph = \"logseq_db_notes\"\n",
		"any": "[[source]]\nname = \"any\"\nkind = \"logseq\"\n",
		"":    "[[source]]\nname = \"two\"\nkind = \"logseq\"\ngraph = \"else\"\n",
	} {
		v := visitWith(t, status.Snapshot{})
		writeConfig(t, v.world, text)
		got, err := v.sourceOf(peerOf(nil))
		if got != want || (err == nil) != (want != "") {
			t.Errorf("%s: %s, %v", want, got, err)
		}
	}
}

// Where nobody uses Logseq, and nobody asks, one line says so.
func TestDoctorWithoutLogseq(t *testing.T) {
	w := testWorld(t)
	w.home = t.TempDir()
	found, err := doctor{world: w}.Check(t.Context(), "")
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
