package shim

import (
	"context"
	"errors"
	"net"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/lectern-mcp/lectern/internal/frame"
)

const nothingWritten = `"error":{"code":-32001,"message":"Lectern's hub shut down before this call had begun; nothing was written.…`

// A hub that shuts down in good order gives back what it has not begun: writes go to the next hub,
// once, also if another one is lost before it gets them.
func TestGivenBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newShimTest(t, Config{})
		hub := s.connect()
		long := strings.Replace(callTool("5", "write"), `"write"`, `"write","arguments":"`+strings.Repeat("x", frame.MaxResendBytes)+`"`, 1)
		const cancel = `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":6}}`
		s.send(callTool("3", "read"), callTool("4", "write"), long, callTool("6", "write"), cancel, callTool("7", "write"))
		hub.expect(callTool("3", "read"), callTool("4", "write"), long, callTool("6", "write"), cancel, callTool("7", "write"))
		hub.write(`{"jsonrpc":"2.0","id":7,"result":{}}`)
		s.expect(`{"jsonrpc":"2.0","id":7,"result":{}}`)
		hub.write(`{"jsonrpc":"2.0","id":1,"method":"elicitation/create"}`)
		s.expect(`{"jsonrpc":"2.0","id":1,"method":"elicitation/create"}`)
		hub.write(allAnswered)
		synctest.Wait()
		s.send(callTool("8", "write")) // to a hub that reads no more
		hub.expect(callTool("8", "write"))
		hub.close()
		s.expect(`{"jsonrpc":"2.0","id":5,`+nothingWritten,
			`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1,"reason":"the hub restarted"}}`)
		(<-s.hubs).close() // has been sent nothing
		hub = s.reconnect()
		hub.expect(callTool("3", "read"), callTool("4", "write"), callTool("8", "write"))
		s.send(`{"jsonrpc":"2.0","id":1,"result":{"action":"accept"}}`) // to the question of the hub before
		hub.write(`{"jsonrpc":"2.0","id":4,"result":{}}`)
		s.expect(`{"jsonrpc":"2.0","id":4,"result":{}}`)
		hub.close() // a crash: it may have carried out what it was given
		s.expect(`{"jsonrpc":"2.0","id":8,"error":{"code":-32001,"message":"Lectern's hub restarted while this call was in flight. It may have been carried out or not…`)
		hub = s.reconnect()
		hub.expect(callTool("3", "read"))
		hub.write(`{"jsonrpc":"2.0","id":3,"result":{}}`)
		s.expect(`{"jsonrpc":"2.0","id":3,"result":{}}`)
		s.expectEnd()
	})
}

// How often hubs give a call back is no reason to give it up.
func TestGivenBackOften(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newShimTest(t, Config{})
		hub := s.connect()
		s.send(callTool("3", "write"))
		for range 3 * maxSendAttempts {
			hub.expect(callTool("3", "write"))
			hub.write(allAnswered)
			hub.close()
			hub = s.reconnect()
		}
		hub.expect(callTool("3", "write"))
		hub.write(`{"jsonrpc":"2.0","id":3,"result":{}}`)
		s.expect(`{"jsonrpc":"2.0","id":3,"result":{}}`)
		s.expectEnd()
	})
}

// A call that was given back does not start a hub that a person has stopped. It waits a while for
// one, and is told that nothing was written; a new call starts one.
func TestGivenBackCallStartsNoHub(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newShimTest(t, Config{Reconnect: func(context.Context) (net.Conn, error) { return nil, errors.New("no hub is running") }})
		hub := s.connect()
		s.send(callTool("3", "write"))
		hub.expect(callTool("3", "write"))
		hub.write(allAnswered)
		hub.close()
		began := time.Now()
		s.expect(`{"jsonrpc":"2.0","id":3,` + nothingWritten)
		if waited := time.Since(began); waited < 60*time.Second || waited > 70*time.Second || len(s.hubs) > 0 {
			t.Errorf("told after %s; %d hubs were started", waited, len(s.hubs))
		}
		s.send(callTool("4", "write"))
		hub = s.reconnect()
		hub.expect(callTool("4", "write"))
		hub.write(`{"jsonrpc":"2.0","id":4,"result":{}}`)
		s.expect(`{"jsonrpc":"2.0","id":4,"result":{}}`)
		s.expectEnd()
	})
}

// What a client that has closed its end wanted to write is not sent again.
func TestGivenBackToNobody(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newShimTest(t, Config{})
		hub := s.connect()
		s.send(callTool("3", "write"))
		hub.expect(callTool("3", "write"))
		s.to.close()
		synctest.Wait()
		hub.write(allAnswered)
		hub.close()
		s.expect(`{"jsonrpc":"2.0","id":3,` + nothingWritten)
		if err := <-s.done; err != nil {
			t.Error(err)
		}
	})
}
