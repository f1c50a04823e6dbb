package doctor

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/lectern-mcp/lectern/cmd/lectern/internal/problems"
	"github.com/lectern-mcp/lectern/plugin"
	"github.com/lectern-mcp/lectern/status"
	"github.com/lectern-mcp/lectern/status/statustest"
	"github.com/lectern-mcp/lectern/supervisor/daemon"
	"github.com/lectern-mcp/lectern/tools"
	"github.com/lectern-mcp/lectern/tools/all"
)

var far = peerCheck{system: "far", application: "Far"}

func testPeer(change func(*status.Peer)) status.Peer {
	p := status.Peer{
		Component: status.Component{Name: "notes"}, System: "far", Application: "Far",
		Facts:     []status.Fact{{Name: "Far", Value: "2.0.1"}, {Name: "plugin", Value: "?"}, {Name: "skill", Value: tools.SkillVersion(all.Systems())}},
		Transport: "websocket", Origin: "far://away",
	}
	if change != nil {
		change(&p)
	}
	return p
}

// runWith is a run with a hub that shows this snapshot.
func runWith(t *testing.T, s status.Snapshot) *checkRun {
	t.Helper()
	r := testDoctor(t).newRun(t.Context(), "")
	r.vitals = func() (daemon.Health, error) { return daemon.Health{}, nil }
	r.snapshot = func() (status.Snapshot, error) { return s, nil }
	r.Plugin = pluginOfVersion("?")
	return r
}

func TestDoctorOfPeers(t *testing.T) {
	says := func(name, value string) func(*status.Peer) {
		return func(p *status.Peer) {
			p.Facts[slices.IndexFunc(p.Facts, func(f status.Fact) bool { return f.Name == name })].Value = value
		}
	}
	for _, c := range []struct {
		look   func(*checkRun, status.Peer) status.Check
		peer   func(*status.Peer)
		result status.CheckResult
		want   string
	}{
		{checkPluginVersions, nil, status.CheckOK, "Far 2.0.1, plugin ?, skill " + tools.SkillVersion(all.Systems())},
		{checkPluginVersions, says("plugin", "9"), status.CheckWarn, "carries plugin"},
		{checkPluginVersions, says("skill", "0.1.0"), status.CheckWarn, "has skill"},
		{checkPluginVersions, says("skill", "2.0.0"), status.CheckOK, "skill 2.0.0"},
		{far.checkTransport, nil, status.CheckOK, "WebSocket; no ping"},
		{far.checkTransport, func(p *status.Peer) { p.Latency = 1500 * time.Microsecond }, status.CheckOK, "a ping takes 1.5 ms"},
		{far.checkTransport, func(p *status.Peer) { p.Transport = "poll" }, status.CheckWarn, "long polling through Far's own process"},
	} {
		if got := c.look(runWith(t, status.Snapshot{}), testPeer(c.peer)); got.Result != c.result || !strings.Contains(got.Detail, c.want) {
			t.Errorf("%+v\nwant %s: %s", got, c.result, c.want)
		}
	}
}

// Of several Peers the worst result counts, and all are reported; those of
// other Systems are not.
func TestDoctorOfSeveralPeers(t *testing.T) {
	other := testPeer(func(p *status.Peer) { p.Name, p.Transport, p.Origin = "other", "poll", "" })
	foreign := testPeer(func(p *status.Peer) { p.Name, p.System = "foreign", "near" })
	r := runWith(t, status.Snapshot{Peers: []status.Peer{testPeer(nil), other, foreign}})
	got := far.newEachPeerCheck(far.checkTransport)(t.Context(), r)
	if got.Result != status.CheckWarn || !strings.HasPrefix(got.Detail, "notes: WebSocket; no ping answered yet; other: long polling") || strings.Contains(got.Detail, "foreign") || got.Fix == "" {
		t.Errorf("%+v", got)
	}
	if got := far.checkConnected(t.Context(), r); got.Result != status.CheckOK || got.Detail != "notes, other" {
		t.Errorf("%+v", got)
	}
	if got := far.checkOriginKnown(t.Context(), r); got.Result != status.CheckOK || got.Detail != "notes: far://away; other: not a page: Far's own process connects" {
		t.Errorf("%+v", got)
	}
	stranger := problems.PluginOriginUnknown.New(problems.HubComponent, status.Args{"origins": "\"file://\"", "file": "f"})
	r = runWith(t, status.Snapshot{Problems: []status.Problem{stranger}})
	if got := far.checkOriginKnown(t.Context(), r); got.Result != status.CheckWarn || !strings.Contains(got.Detail, "file://") {
		t.Errorf("%+v", got)
	}
	if got := far.checkConnected(t.Context(), r); got.Result != status.CheckWarn || got.Detail != "no Far is connected" {
		t.Errorf("%+v", got)
	}
	refused := problems.PluginRefused.New(problems.HubComponent, status.Args{"why": "its token is old"})
	r = runWith(t, status.Snapshot{Problems: []status.Problem{refused}})
	if got := far.checkConnected(t.Context(), r); !strings.Contains(got.Detail, "its token is old") || !strings.Contains(got.Fix, "lectern plugin install") {
		t.Errorf("a refused plugin: %+v", got)
	}
	r.snapshot = func() (status.Snapshot, error) { return status.Snapshot{}, errors.New("none") }
	for _, look := range []func(context.Context, *checkRun) status.Check{far.checkConnected, far.checkOriginKnown, far.newEachPeerCheck(far.checkTransport)} {
		if got := look(t.Context(), r); got.Result != status.CheckSkipped || got.Detail != noHubMessage {
			t.Errorf("%+v", got)
		}
	}
}

// Where an application is neither used nor asked about, one line says so.
func TestDoctorOfUnusedSystems(t *testing.T) {
	d := testDoctor(t)
	d.Home = t.TempDir()
	found, err := d.Check(t.Context(), "")
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for c := range found {
		if strings.HasPrefix(c.Name, plugin.System+".") {
			names = append(names, fmt.Sprintf("%s %s", c.Name, c.Result))
		}
	}
	if got := strings.Join(names, ", "); got != plugin.System+".plugin skipped" {
		t.Error(got)
	}
	if names := d.Names(); !slices.Contains(names, plugin.System+".connected") || !slices.Contains(names, "far.wings") {
		t.Errorf("names %v", names)
	}
}

// A Check of a System is carried out by the hub for each of its sources, and its
// questions are put to a person.
func TestDoctorOfSources(t *testing.T) {
	for _, c := range []struct {
		name    string
		config  string
		updates []status.SourceCheckUpdate
		ask     func(string) bool
		want    string
		answer  string
	}{
		{"none", "", nil, nil, "skipped there is no source of kind far", ""},
		{
			"two", "[[source]]\nname = \"b\"\nkind = \"far\"\n[[source]]\nname = \"a\"\nkind = \"far\"\n",
			[]status.SourceCheckUpdate{{Check: &status.Check{Result: status.CheckWarn, Detail: "tired"}}},
			nil, "warn a: tired; b: tired", "",
		},
		{
			"question", "[[source]]\nname = \"a\"\nkind = \"far\"\n",
			[]status.SourceCheckUpdate{{Question: &status.Question{ID: "q1", Text: "Wave."}}, {Check: &status.Check{Result: status.CheckOK, Detail: "waved"}}},
			func(request string) bool { return request == "Wave." }, "ok a: waved", `{"id":"q1","done":true}`,
		},
		{"lost", "[[source]]\nname = \"a\"\nkind = \"far\"\n", nil, nil, "fail a: the hub ended the check", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := runWith(t, status.Snapshot{})
			if err := os.WriteFile(r.Paths.File(), []byte(c.config), 0o600); err != nil {
				t.Fatal(err)
			}
			hub := &statustest.Fake{}
			statustest.SetStream(hub, status.SourceCheckQuery, c.updates...)
			r.API, r.Ask, r.TryWrites = hub, c.ask, true
			look := r.newSourceKindCheck("far", tools.CheckInfo{Name: "wings", Title: "It has wings", Timeout: time.Second})
			if got := look.look(t.Context(), r); string(got.Result)+" "+got.Detail != c.want {
				t.Errorf("%+v, want %s", got, c.want)
			}
			answer := ""
			for _, asked := range hub.Requests() {
				switch asked.Query {
				case status.AnswerQuestionQuery.Name:
					answer = string(asked.Input)
				case status.SourceCheckQuery.Name:
					var q status.SourceCheckRequest
					if err := json.Unmarshal(asked.Input, &q); err != nil || q.Check != "wings" || !q.MayWrite || q.Interactive != (c.ask != nil) {
						t.Errorf("asked %s", asked.Input)
					}
				}
			}
			if answer != c.answer {
				t.Errorf("answered %q, want %q", answer, c.answer)
			}
		})
	}
	r := runWith(t, status.Snapshot{})
	r.vitals = func() (daemon.Health, error) { return daemon.Health{}, daemon.ErrNoHub }
	if err := os.WriteFile(r.Paths.File(), []byte("[[source]]\nname = \"a\"\nkind = \"far\"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if got := r.newSourceKindCheck("far", tools.CheckInfo{Name: "wings"}).look(t.Context(), r); got.Result != status.CheckSkipped || got.Detail != noHubMessage {
		t.Errorf("%+v", got)
	}
}
