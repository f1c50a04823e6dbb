package mcp_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/lectern-mcp/lectern/hub/hubtest"
	"github.com/lectern-mcp/lectern/hub/mcp"
	"github.com/lectern-mcp/lectern/internal/runtest"
)

// Progress and log notifications arrive before their answer, all of them and
// in order, however many there are.
func TestFiveThousandNotifications(t *testing.T) {
	h := start(t, mcp.Limits{}, deskSource("notes"))
	c := connect(t, h, "")
	c.Initialize()
	const each = 2500
	c.Send(fmt.Sprintf(`{"jsonrpc":"2.0","id":"n","method":"tools/call","params":{"name":"count","arguments":{"count":%d},"_meta":{"progressToken":"tok"}}}`, each))
	for i := range each {
		var p struct {
			ProgressToken string
			Progress      float64
		}
		f := c.Recv()
		if f.Method != "notifications/progress" || json.Unmarshal(f.Params, &p) != nil || p.Progress != float64(i) || p.ProgressToken != "tok" {
			t.Fatalf("frame %d is %s", 2*i, f.Raw)
		}
		if f := c.Recv(); f.Method != "notifications/message" {
			t.Fatalf("frame %d is %s", 2*i+1, f.Raw)
		}
	}
	if f := c.Recv(); f.ID != "n" || f.Error != nil {
		t.Fatalf("last frame is %s", f.Raw)
	}
}

func TestProgressNeedsAToken(t *testing.T) {
	c := connect(t, start(t, mcp.Limits{}, deskSource("notes")), "")
	c.Initialize()
	c.Ask("logging/setLevel", `{"level":"error"}`)
	c.Call("count", `{"count":3}`) // fails unless the answer is the next frame
}

// What a tool says after its answer goes nowhere.
func TestNothingAfterTheAnswer(t *testing.T) {
	h := start(t, mcp.Limits{}, deskSource("notes"))
	c := connect(t, h, "")
	c.Initialize()
	c.Ask("tools/call", `{"name":"late","_meta":{"progressToken":1}}`)
	close(h.world.Free)
	<-h.world.Started
	c.Ask("ping", `{}`) // fails unless the answer is the next frame
}

// SEC-CLI-1: nothing on the line ends the session, and each bad line is
// answered.
func TestMalformedLines(t *testing.T) {
	h := start(t, mcp.Limits{Frame: 2000}, deskSource("notes"))
	c := connect(t, h, "")
	c.Initialize()
	for _, tt := range []struct {
		line string
		code int
		id   any
	}{
		{`garbage`, -32700, nil},
		{`{"jsonrpc":"2.0","id":1,"method":"ping"`, -32700, nil},
		{`{"jsonrpc":"2.0","id":1,"method":"ping"}{"jsonrpc":"2.0","id":2,"method":"ping"}`, -32700, nil},
		{"\xff\xfe\x00{", -32700, nil},
		{strings.Repeat("x", 3000), -32700, nil},
		{`{"jsonrpc":"2.0","id":"a","method":"tools/call","params":{"name":"say","arguments":{"text":"` + strings.Repeat("x", 3000) + `"}}}`, -32700, "a"},
		{`[{"jsonrpc":"2.0","id":1,"method":"ping"}]`, -32600, nil},
		{`[]`, -32600, nil},
		{`"ping"`, -32600, nil},
		{`{"jsonrpc":"1.0","id":"a","method":"ping"}`, -32600, "a"},
		{`{"id":"a","method":"ping"}`, -32600, "a"},
		{`{"jsonrpc":"2.0","id":-7e1,"method":"ping","params":{"a":tru}}`, -32700, -70.0},
		{`{"jsonrpc":"2.0","id":"a","method":"ping","params":{]}`, -32700, "a"},
		{`{"jsonrpc":"2.0","id":tru,"method":"ping"}`, -32700, nil},
		{`{"jsonrpc":"2.0","id":null,"method":"ping"}`, -32600, nil},
		{`{"jsonrpc":"2.0","id":{"a":1},"method":"ping"}`, -32600, nil},
		{`{"jsonrpc":"2.0","id":"a","method":7}`, -32600, "a"},
		{`{"jsonrpc":"2.0","id":"a","METHOD":"ping"}`, -32600, "a"},
		{`{"jsonrpc":"2.0","id":"a","method":"ping","METHOD":"tools/list"}`, -32600, "a"},
		{`{"jsonrpc":"2.0","id":"a"}`, -32600, "a"},
		{`{"jsonrpc":"2.0","id":"a","method":"ping","params":[1]}`, -32600, "a"},
		{`{"jsonrpc":"2.0","id":"a","method":"ping","method":"tools/list"}`, -32600, "a"},
		{`{"jsonrpc":"2.0","id":"a","method":"ping","m\u0065thod":"ping"}`, -32600, "a"},
		{`{"jsonrpc":"2.0","id":"a","method":"tools/call","params":{"name":"say","name":"write","arguments":{}}}`, -32600, "a"},
		{`{"jsonrpc":"2.0","id":"a","method":"tools/call","params":{"name":"say","arguments":{"text":"a","text":"b"}}}`, -32600, "a"},
		{`{"jsonrpc":"2.0","id":"a","method":"tools/call","params":{"name":"say","arguments":{` + manyKeys(40) + `,"k39":1}}}`, -32600, "a"},
		{`{"jsonrpc":"2.0","id":"a","method":"no/such"}`, -32601, "a"},
		{`{"jsonrpc":"2.0","id":"a","method":"tools/call","params":{"name":7}}`, -32600, "a"},
		{`{"jsonrpc":"2.0","id":"a","method":"resources/read","params":{"uri":"desk://none/x"}}`, -32002, "a"},
		{`{"jsonrpc":"2.0","id":"a","method":"resources/read","params":{"uri":"desk://notes/pages/twins"}}`, -32602, "a"},
	} {
		c.Send(tt.line)
		if f := c.Recv(); f.Error == nil || f.Error.Code != tt.code || f.ID != tt.id {
			t.Errorf("%.60q: got %s, want code %d for id %v", tt.line, f.Raw, tt.code, tt.id)
		}
	}
	// These need no answer and do no harm.
	c.Send("\n   \n\ufeff")
	c.Send(`{"jsonrpc":"2.0","id":7,"result":{}}`)
	c.Send(`{"jsonrpc":"2.0","id":7,"error":{"code":1,"message":"no"}}`)
	c.Send(`{"jsonrpc":"2.0","method":"notifications/none"}`)
	c.Send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":99}}`)
	c.Send("\ufeff" + `{"jsonrpc":"2.0","id":"bom","method":"ping"}`)
	if f := c.Recv(); f.ID != "bom" || f.Error != nil {
		t.Errorf("got %s, want the answer to the ping with a mark", f.Raw)
	}
}

// manyKeys are n fields of an object.
func manyKeys(n int) string {
	fields := make([]string, n)
	for i := range fields {
		fields[i] = fmt.Sprintf(`"k%d":0`, i)
	}
	return strings.Join(fields, ",")
}

func TestRandomLines(t *testing.T) {
	h := start(t, mcp.Limits{}, deskSource("notes"))
	c := connect(t, h, "")
	rng := rand.New(rand.NewPCG(1, 2))
	lines := make([]string, 10_000)
	for i := range lines {
		lines[i] = randomLine(rng)
	}
	go func() {
		for _, l := range lines {
			if _, err := io.WriteString(c.Conn, l+"\n"); err != nil {
				return
			}
		}
		_, _ = io.WriteString(c.Conn, `{"jsonrpc":"2.0","id":"last","method":"ping"}`+"\n")
	}()
	for i := range lines {
		if f := c.Recv(); f.Error == nil || f.Error.Code != -32700 && f.Error.Code != -32600 {
			t.Fatalf("line %d, %q: got %s", i, lines[i], f.Raw)
		}
	}
	if f := c.Recv(); f.ID != "last" || f.Error != nil {
		t.Fatalf("got %s, want the answer to the ping", f.Raw)
	}
}

// randomLine is one line of bytes or of JSON's characters that is no message
// and not blank.
func randomLine(rng *rand.Rand) string {
	const some = `{}[]",:0123456789.eE+-truefalsn "jsonrpcidmethod`
	b := make([]byte, 1+rng.IntN(80))
	for i := range b {
		b[i] = some[rng.IntN(len(some))]
		if rng.IntN(20) == 0 {
			b[i] = byte(rng.IntN(256))
		}
		if b[i] == '\n' || b[i] == '\r' || b[i] == 0xef {
			b[i] = '{'
		}
	}
	b[0] = "{[x]\"0"[rng.IntN(6)]
	return string(b)
}

func TestCancel(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := start(t, mcp.Limits{}, deskSource("notes"))
		c := connect(t, h, "")
		c.Initialize()
		c.Send(`{"jsonrpc":"2.0","id":"w1","method":"tools/call","params":{"name":"wait"}}`)
		c.Send(`{"jsonrpc":"2.0","id":"w2","method":"tools/call","params":{"name":"wait"}}`)
		<-h.world.Started
		<-h.world.Started
		c.Send(`{"jsonrpc":"2.0","id":"w1","method":"ping"}`)
		if f := c.Recv(); f.ID != "w1" || f.Error == nil || f.Error.Code != -32600 {
			t.Errorf("got %s, want a refusal of the id in flight", f.Raw)
		}
		if r := c.Call("say", `{"text":"meanwhile"}`); r.IsError {
			t.Errorf("got %+v", r)
		}
		c.Send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"w1"}}`)
		if got := <-h.world.Started; got != "ended" {
			t.Errorf("got %s, want the call to end", got)
		}
		synctest.Wait()
		c.Ask("ping", `{}`) // fails unless the cancelled call has no answer
		if n, _ := h.ActivityCounts(); n != 1 {
			t.Errorf("%d in flight, want the other", n)
		}
	})
}

// A cancelled call that does not end gets no response, its id is free,
// and it is in flight until it does end.
func TestCancelStubborn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := start(t, mcp.Limits{}, deskSource("notes"))
		c := connect(t, h, "")
		c.Initialize()
		c.Send(`{"jsonrpc":"2.0","id":"s","method":"tools/call","params":{"name":"stubborn"}}`)
		<-h.world.Started
		c.Send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"s"}}`)
		synctest.Wait()
		c.Send(`{"jsonrpc":"2.0","id":"s","method":"tools/call","params":{"name":"stubborn"}}`)
		<-h.world.Started
		if n, _ := h.ActivityCounts(); n != 2 {
			t.Errorf("%d in flight, want both", n)
		}
		close(h.world.Free)
		if f := c.Recv(); f.ID != "s" || f.Error != nil {
			t.Errorf("got %s, want the answer to the second", f.Raw)
		}
		synctest.Wait()
		c.Ask("ping", `{}`) // fails unless the first has no answer
		if n, _ := h.ActivityCounts(); n != 0 {
			t.Errorf("%d in flight", n)
		}
	})
}

// At the end of the input, calls in flight may finish within the grace; then
// they are cancelled. Nothing stays behind.
func TestEndOfInput(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := start(t, mcp.Limits{}, deskSource("notes"))
		in, feed := io.Pipe()
		out, drain := io.Pipe()
		done := make(chan error, 1)
		go func() { done <- h.MCP().ServeStream(t.Context(), in, drain, mcp.ConnectionInfo{}); _ = drain.Close() }()
		began := time.Now()
		go func() {
			_, _ = io.WriteString(feed, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"stubborn"}}`+"\n"+
				`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"wait"}}`)
			_ = feed.Close()
		}()
		time.AfterFunc(2*time.Second, func() { close(h.world.Free) })
		b, err := io.ReadAll(out)
		if err != nil || !strings.Contains(string(b), `"id":1,"result":{"_meta":{"lectern/untrusted":true},"content":[{"type":"text","text":"{}"}`) {
			t.Errorf("got %s, %v; want the answer to 1", b, err)
		}
		if err := <-done; err != nil {
			t.Error(err)
		}
		if took := time.Since(began); took != 5*time.Second {
			t.Errorf("took %v, want the grace of 5s", took)
		}
		synctest.Wait() // the call that was cancelled is answered before its tool returns
		if n, sessions := h.ActivityCounts(); n+sessions != 0 {
			t.Errorf("%d calls and %d sessions are left", n, sessions)
		}
	})
}

// A subscription does not keep a session that has nothing else to do.
func TestEndOfInputWhileListening(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := start(t, mcp.Limits{}, deskSource("notes"))
		in := `{"jsonrpc":"2.0","id":1,"method":"subscriptions/listen","params":{"notifications":{"toolsListChanged":true},` + hubtest.ModernMeta + `}}`
		began := time.Now()
		if err := h.MCP().ServeStream(t.Context(), strings.NewReader(in), io.Discard, mcp.ConnectionInfo{}); err != nil {
			t.Error(err)
		}
		if took := time.Since(began); took != 0 {
			t.Errorf("took %v", took)
		}
	})
}

// Answers that a socket takes in parts arrive whole, behind what was said
// before them.
func TestClientThatReadsLate(t *testing.T) {
	h := start(t, mcp.Limits{Queue: 8 << 20}, deskSource("notes"))
	l, err := net.Listen("unix", filepath.Join(t.TempDir(), "s"))
	if err != nil {
		t.Skip("no unix sockets: ", err)
	}
	defer l.Close()
	conn, err := net.Dial("unix", l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	far, err := l.Accept()
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan error, 1)
	go func() { done <- h.MCP().ServeStream(t.Context(), far, far, mcp.ConnectionInfo{}); _ = far.Close() }()
	c := hubtest.NewClient(t, conn)
	c.Initialize()
	for i := range 30 {
		c.Send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"count","arguments":{"count":2},"_meta":{"progressToken":%d}}}`, 1000+i, i))
		c.Send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"big","arguments":{"count":50000}}}`, 2000+i))
	}
	said := map[float64]int{}
	for answers := 0; answers < 60; {
		f := c.Recv()
		id, _ := f.ID.(float64)
		var p struct{ ProgressToken *float64 }
		switch {
		case f.Method != "" && json.Unmarshal(f.Params, &p) == nil && p.ProgressToken != nil:
			said[*p.ProgressToken]++
		case f.Method != "":
		case id < 2000 && said[id-1000] != 2, id >= 2000 && len(f.Result) < 100_000:
			t.Errorf("%d notifications came before the answer %.100s", said[id-1000], f.Raw)
			fallthrough
		default:
			answers++
		}
	}
	_ = conn.Close()
	if err := <-done; err != nil {
		t.Error(err)
	}
}

// A client that never reads is bounded in memory, and gone after the write
// deadline where the connection has one.
func TestClientThatNeverReads(t *testing.T) {
	h := start(t, mcp.Limits{Write: 200 * time.Millisecond, Queue: 100_000}, deskSource("notes"))
	path := filepath.Join(t.TempDir(), "s")
	l, err := net.Listen("unix", path)
	if err != nil {
		t.Skip("no unix sockets: ", err)
	}
	defer l.Close()
	conn, err := net.Dial("unix", path)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	far, err := l.Accept()
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan error, 1)
	go func() { done <- h.MCP().ServeStream(t.Context(), far, far, mcp.ConnectionInfo{}); _ = far.Close() }()
	for i := 0; err == nil; i++ {
		_, err = fmt.Fprintf(conn, `{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"big","arguments":{"count":50000},"_meta":{"progressToken":1}}}`+"\n", i)
	}
	if err := <-done; err == nil || !errors.Is(err, os.ErrDeadlineExceeded) {
		t.Errorf("got %v, want the write deadline", err)
	}
	if n, sessions := h.ActivityCounts(); sessions != 0 {
		t.Errorf("%d calls and %d sessions are left", n, sessions)
	}
}

// Whatever a session did, its goroutines end with it.
func TestNothingIsLeftBehind(t *testing.T) {
	h := start(t, mcp.Limits{Grace: time.Millisecond}, deskSource("notes"))
	before := runtime.NumGoroutine()
	for range 40 {
		near, far := net.Pipe()
		done := make(chan error, 1)
		go func() { done <- h.MCP().ServeStream(t.Context(), far, far, mcp.ConnectionInfo{}) }()
		_, _ = io.WriteString(near, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"wait"}}`+"\n")
		<-h.world.Started
		_ = near.Close()
		if err := <-done; err != nil {
			t.Error(err)
		}
	}
	runtest.Eventually(t, fmt.Sprintf("no more than %d goroutines are left", before), func() bool { return runtime.NumGoroutine() <= before })
}

func TestScopeThatIsNot(t *testing.T) {
	c := connect(t, start(t, mcp.Limits{}, deskSource("notes")), "nots")
	if f := c.Ask("initialize", hubtest.InitParams); f.Error == nil || !strings.Contains(f.Error.Message, "no source named nots") {
		t.Errorf("got %s", f.Raw)
	}
}
