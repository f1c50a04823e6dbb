package filelock

import (
	"fmt"
	"strconv"
	"strings"
)

// A Process has a file open.
type Process struct {
	PID     int
	Command []string // program and arguments; empty: not known
}

// String names the process. It chooses its arguments itself, so unusual ones are quoted.
func (p Process) String() string {
	command := strings.Join(p.Command, " ")
	if command == "" {
		return fmt.Sprintf("process %d", p.PID)
	}
	const longest = 200
	if len(command) > longest {
		command = command[:longest] + "..."
	}
	if quoted := strconv.Quote(command); quoted != `"`+command+`"` {
		command = quoted
	}
	return fmt.Sprintf("process %d (%s)", p.PID, command)
}

// Subcommand is the first argument that is no flag; empty: there is none.
func (p Process) Subcommand() string {
	for _, arg := range p.Command[min(1, len(p.Command)):] {
		if !strings.HasPrefix(arg, "-") {
			return arg
		}
	}
	return ""
}
