package shim

import (
	"encoding/json"
	"fmt"

	"github.com/lectern-mcp/lectern/supervisor"
)

// Codes of the errors that the shim itself sends.
const (
	codeParseError     = -32700 // JSON-RPC 2.0, section 5.1
	codeInvalidRequest = -32600
	codeHubLost        = -32001 // our own: the hub went away
)

const hubRestartedMessage = "Lectern's hub restarted while this call was in flight. It may have been carried out or not: check first, " +
	"then call " +
	"again if needed."

type errorData struct {
	Code      string `json:"code"`
	Retryable bool   `json:"retryable"`
}

// errorFrame is an error that answers the request with this id; nil: it had none.
func errorFrame(id []byte, code int, text string) []byte {
	var data *errorData
	if code == codeHubLost {
		data = &errorData{"HUB_RESTARTED", true}
	}
	return errorFrameWith(id, code, text, data)
}

// unreachableFrame is an error that no hub can be reached, with the reason.
func unreachableFrame(id []byte, reason error) []byte {
	text := fmt.Sprintf("Lectern's hub cannot be reached: %v. Run `lectern status` in a terminal for details.", reason)
	return errorFrameWith(id, codeHubLost, text, &errorData{"HUB_UNREACHABLE", !supervisor.IsFinalError(reason)})
}

// givenBackFrame is an error that a hub shut down before the call had begun. reason is why
// no other hub can be reached; nil: another can, but has to be sent the call by the client.
func givenBackFrame(id []byte, reason error) []byte {
	text := "Lectern's hub shut down before this call had begun; nothing was written. "
	if reason != nil {
		text += fmt.Sprintf("No other hub can be reached: %v. ", reason)
	}
	return errorFrame(id, codeHubLost, text+"Call again.")
}

// disconnectedByPersonFrame is an error that a person disconnected the agent.
func disconnectedByPersonFrame(id []byte) []byte {
	return errorFrameWith(id, codeHubLost, "The user disconnected this agent from Lectern. A call that was in flight may have been carried "+
		"out or not. "+
		"Do not try again: the user connects it again by restarting the program that the agent runs in.", &errorData{"DISCONNECTED", false})
}

func errorFrameWith(id []byte, code int, text string, data *errorData) []byte {
	if id == nil {
		id = []byte("null")
	}
	var frame struct {
		Version string          `json:"jsonrpc"`
		ID      json.RawMessage `json:"id"`
		Error   struct {
			Code    int        `json:"code"`
			Message string     `json:"message"`
			Data    *errorData `json:"data,omitempty"`
		} `json:"error"`
	}
	frame.Version, frame.ID = "2.0", id
	frame.Error.Code, frame.Error.Message, frame.Error.Data = code, text, data
	b, err := json.Marshal(frame)
	if err != nil { // the id is not valid JSON
		frame.ID = json.RawMessage("null")
		b, _ = json.Marshal(frame)
	}
	return b
}

func newNotification(method, params string) []byte {
	return []byte(`{"jsonrpc":"2.0","method":"` + method + `","params":` + params + `}`)
}
