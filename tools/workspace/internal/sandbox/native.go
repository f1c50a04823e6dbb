package sandbox

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"github.com/lectern-mcp/lectern/tools"
)

// nativeFunctions are the functions of the global native, which only the prelude sees.
const nativeFunctions = "ask write done failed"

// hostCall is called when the prelude calls one of them. It returns a new
// value of JavaScript.
func (in *instance) hostCall(stack []uint64) uint64 {
	name, ok := in.memory.Read(uint32(stack[0]), uint32(stack[1]))
	if !ok || in.run == nil {
		panic(stopped{errUnexpected})
	}
	arguments := in.arguments(stack[3], stack[4])
	text := func(i int, most int64) (string, int64) {
		if i >= len(arguments) {
			panic(stopped{errUnexpected})
		}
		s, length, err := in.readString(arguments[i], most)
		if err != nil {
			panic(stopped{err})
		}
		return s, length
	}
	r := in.run
	switch string(name) {
	case "ask":
		const most = 64 // more is no method
		method, methodLength := text(0, most)
		path, pathLength := text(1, r.limits.Argument)
		body, bodyLength := "", int64(0)
		if len(arguments) > 2 {
			body, bodyLength = text(2, r.limits.Argument)
		}
		var answer string
		if length := max(pathLength, bodyLength, methodLength/most*r.limits.Argument+methodLength%most); length > r.limits.Argument {
			answer = refusal(413, "the path or the body of this host call has %d bytes; at most %d are allowed", length, r.limits.Argument)
		} else {
			answer = r.ask(HostCall{
				Method: method, Path: strings.ToValidUTF8(path, "\uFFFD"), Body: json.RawMessage(tools.RepairSurrogates(body)), Pause: r.clock.pause,
			})
		}
		value, err := in.newString(answer)
		if err != nil {
			panic(stopped{err})
		}
		return value
	case "write":
		level, _ := text(0, 16)
		line, length := text(1, r.limits.Console-r.logged)
		r.log(level, line, length)
	case "done":
		value, _ := text(0, r.limits.Result+1)
		length, _ := text(1, 20)
		r.deliver(value, length)
	case "failed":
		report, _ := text(0, 64*kibibyte+r.limits.Answer)
		r.thrown = parseThrown(tools.RepairSurrogates(report))
	default:
		panic(stopped{errUnexpected})
	}
	return in.must(qjsGetUndefined)
}

// ask passes a host call on. The answer is the body, so that most of them are read as
// they are. Two characters that begin no JSON say what else there is: an exclamation mark
// that the call was refused, with the status, three digits, before the body; and > that the
// body is a part of a list, with where the rest begins, on a line before it.
func (r *run) ask(call HostCall) string {
	if r.result.Usage.HostCalls >= r.limits.HostCalls {
		return refusal(429, "this script made %d host calls; no more are allowed", r.limits.HostCalls)
	}
	r.result.Usage.HostCalls++
	answer, err := r.host.Call(r.clock.ctx, call)
	if cause := r.clock.cause(); cause != nil {
		panic(stopped{cause})
	}
	if err != nil {
		r.aborted = err
		panic(stopped{err})
	}
	if int64(len(answer.Body)) > r.limits.Answer {
		return refusal(507, "the answer to this host call has %d bytes; at most %d are allowed. Ask for less", len(answer.Body), r.limits.Answer)
	}
	if answer.Status < 400 && answer.Next != "" {
		return ">" + answer.Next + "\n" + string(answer.Body)
	}
	if answer.Status < 400 {
		return string(answer.Body)
	}
	return fmt.Sprintf("!%03d%s", answer.Status, answer.Body)
}

func refusal(status int, format string, arguments ...any) string {
	body, err := json.Marshal(map[string]string{"detail": fmt.Sprintf(format, arguments...)})
	if err != nil {
		panic(stopped{err})
	}
	return fmt.Sprintf("!%d%s", status, body)
}

// log keeps a line as far as the limit allows.
func (r *run) log(level, line string, length int64) {
	if r.logged >= r.limits.Console {
		r.result.LogsDropped += length
		return
	}
	r.result.LogsDropped += length - int64(len(line))
	r.logged = min(r.limits.Console, r.logged+int64(len(line))+1) // empty lines cost, too
	r.result.Logs = append(r.result.Logs, LogLine{Level: level, Text: strings.ToValidUTF8(line, "\uFFFD")})
}

// deliver takes the result, or as much as there is room for.
func (r *run) deliver(value, length string) {
	whole, err := strconv.ParseInt(length, 10, 64)
	if err != nil {
		panic(stopped{errUnexpected}) // the prelude writes a number
	}
	r.result.Value, r.result.length = json.RawMessage(value), whole
	if r.result.Shorten(int(r.limits.Result)); r.result.Cut == nil {
		r.result.Value = json.RawMessage(tools.RepairSurrogates(value))
	}
}
