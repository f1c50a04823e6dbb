package bridge_test

import (
	"bufio"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/lectern-mcp/lectern/bridge"
	"github.com/lectern-mcp/lectern/bridge/bridgetest"
)

// A raw is a WebSocket of which every bit is ours.
type raw struct {
	*stage
	conn net.Conn
	r    *bufio.Reader
}

// The opcodes and the last-frame bit of RFC 6455.
const (
	opMore, opText, opBinary, opClose, last = 0, 1, 2, 8, 0x80
)

func (s *stage) raw(graph string) *raw {
	s.Helper()
	conn, err := s.client.Transport.(*http.Transport).DialContext(s.Context(), "tcp", "")
	if err != nil {
		s.Fatal(err)
	}
	s.Cleanup(func() { _ = conn.Close() }) // the bridge may have closed it
	x := &raw{s, conn, bufio.NewReader(conn)}
	x.write([]byte("GET /plugin HTTP/1.1\r\nHost: 127.0.0.1:12740\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n" +
		"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: MDEyMzQ1Njc4OWFiY2RlZg==\r\n\r\n"))
	if res, err := http.ReadResponse(x.r, nil); err != nil || res.StatusCode != http.StatusSwitchingProtocols {
		s.Fatalf("upgrade: %v, %v", res, err)
	}
	var challenge struct{ Params struct{ Nonce string } }
	x.receive(&challenge)
	hello := bridgetest.Hello(graph)
	hello["nonce"] = bridgetest.NewNonce()
	hello["proof"] = bridgetest.PluginProof(s.token, challenge.Params.Nonce, hello["nonce"].(string))
	params, _ := json.Marshal(hello)
	x.text(`{"id":"h","method":"hello","params":%s}`, params)
	x.receive(nil)
	return x
}

func (x *raw) write(b []byte) { _, _ = x.conn.Write(b) } // the bridge may have had enough

// frame writes a frame that declares size bytes and has payload, masked by
// zeroes.
func (x *raw) frame(head byte, size int, payload string) {
	b := binary.BigEndian.AppendUint64([]byte{head, 0x80 | 127}, uint64(size))
	x.write(append(append(b, 0, 0, 0, 0), payload...))
}

func (x *raw) text(format string, args ...any) {
	s := fmt.Sprintf(format, args...)
	x.frame(last|opText, len(s), s)
}

// read returns the payload of the next frame, and its opcode; opClose when the
// line is cut.
func (x *raw) read() (op byte, payload []byte) {
	head := make([]byte, 2)
	if _, err := io.ReadFull(x.r, head); err != nil {
		return opClose, nil
	}
	size := int64(head[1])
	if size == 126 {
		var n uint16
		_ = binary.Read(x.r, binary.BigEndian, &n) // a cut shows below
		size = int64(n)
	}
	payload = make([]byte, size)
	_, _ = io.ReadFull(x.r, payload) // a cut shows at the next read
	return head[0] & 15, payload
}

func (x *raw) receive(v any) {
	x.Helper()
	op, payload := x.read()
	if op != opText || v != nil && json.Unmarshal(payload, v) != nil {
		x.Fatalf("received %d %q", op, payload)
	}
}

// Hostile behaviour below the level of frames, which long polling does not
// have. code 0: the line is cut, because nothing can be said any more.
func TestHostileSocket(t *testing.T) {
	for _, c := range []struct {
		name   string
		do     func(x *raw, id string)
		code   int
		within time.Duration
	}{
		{"sends what is not JSON", func(x *raw, id string) { x.text(`{"id":%q,"result":`, id) }, 4002, 0},
		{"sends NaN", func(x *raw, id string) { x.text(`{"id":%q,"result":NaN}`, id) }, 4002, 0},
		{"sends nothing in a frame", func(x *raw, _ string) { x.text("") }, 4002, 0},
		{"sends binary", func(x *raw, _ string) { x.frame(last|opBinary, 2, "{}") }, 4002, 0},
		{"declares 50 MB and is silent", func(x *raw, _ string) { x.frame(last|opText, 50<<20, "{") }, 0, 10 * time.Second},
		{"sends drop by drop", func(x *raw, _ string) {
			x.frame(last|opText, 1000, "")
			for range 11 {
				x.write([]byte("x"))
				time.Sleep(time.Second)
			}
		}, 0, 11 * time.Second},
		{"sends empty fragments without end", func(x *raw, _ string) {
			x.frame(opText, 0, "")
			for range 11 {
				for range 1000 {
					x.frame(opMore, 0, "")
				}
				time.Sleep(time.Second)
			}
		}, 0, 11 * time.Second},
		{"does not mask", func(x *raw, _ string) { x.write([]byte{last | opText, 2, '{', '}'}) }, 0, 0},
		{"uses a reserved opcode", func(x *raw, _ string) { x.frame(last|5, 0, "") }, 1002, 0},
		{"cuts the line", func(x *raw, _ string) { _ = x.conn.Close() }, 0, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			token := bridgetest.NewToken(t)
			synctest.Test(t, func(t *testing.T) {
				s := newStage(t, token, false, bridge.Config{})
				s.join("good", echo)
				x := s.raw("evil")
				outcome := make(chan error, 1)
				start := time.Now()
				go func() { outcome <- s.Peer("evil").Call(t.Context(), "m", nil, nil, false) }()
				var asked struct{ ID string }
				x.receive(&asked)
				code := make(chan int, 1)
				go func() {
					op, payload := x.read()
					for op != opClose {
						op, payload = x.read()
					}
					if len(payload) < 2 {
						payload = []byte{0, 0}
					}
					code <- int(binary.BigEndian.Uint16(payload))
					_ = x.conn.Close() // the bridge has closed it
				}()
				c.do(x, asked.ID)
				fails(t, <-outcome, *lostCall)
				if took := time.Since(start); took > c.within {
					t.Errorf("the call failed after %s", took)
				}
				if got := <-code; got != c.code {
					t.Errorf("closed with %d, want %d", got, c.code)
				}
				if err := s.Peer("good").Call(t.Context(), "m", nil, nil, false); err != nil {
					t.Errorf("the other graph: %v", err)
				}
				s.join("evil", echo)
			})
		})
	}
}

// A Peer that reads nothing is given up, and calls to others go on meanwhile.
func TestPeerThatDoesNotRead(t *testing.T) {
	token := bridgetest.NewToken(t)
	synctest.Test(t, func(t *testing.T) {
		s := newStage(t, token, false, bridge.Config{})
		s.join("good", echo)
		s.raw("evil")
		outcome := make(chan error, 100)
		start := time.Now()
		for range cap(outcome) {
			go func() {
				outcome <- s.Peer("evil").Call(t.Context(), "m", strings.Repeat("x", 1<<20), nil, false)
			}()
		}
		synctest.Wait()
		if err := s.Peer("good").Call(t.Context(), "m", nil, nil, false); err != nil || time.Since(start) != 0 {
			t.Errorf("the other graph: %v after %s", err, time.Since(start))
		}
		unsure := 0
		for range cap(outcome) {
			e, ok := errors.AsType[*bridge.Error](<-outcome)
			if !ok || e.Code != bridge.Unavailable {
				t.Fatalf("got %v", e)
			}
			if e.OutcomeUnknown {
				unsure++
			}
		}
		if took := time.Since(start); took < 10*time.Second || unsure != 1 {
			t.Errorf("took %s; %d calls may have arrived, want 1", took, unsure)
		}
		if len(s.Connections()) != 1 {
			t.Errorf("connected: %v", s.Connections())
		}
	})
}
