package pgtest

import (
	"bufio"
	"errors"
	"io"
	"strings"
)

// waitUntilReady reads the server's log until it accepts connections, and the
// rest of it in the background.
func waitUntilReady(log io.Reader) error {
	lines := bufio.NewScanner(log)
	var said []string
	for lines.Scan() {
		if strings.Contains(lines.Text(), "ready to accept connections") {
			go func() { _, _ = io.Copy(io.Discard, log) }()
			return nil
		}
		said = append(said, lines.Text())
	}
	return errors.New("PostgreSQL did not start:\n" + strings.Join(said, "\n"))
}
