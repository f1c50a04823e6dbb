package emacs

import (
	"bufio"
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"syscall"
	"time"
)

// maxReply bounds what Emacs may answer, in bytes.
const maxReply = 16 << 20

var quoteArgument = strings.NewReplacer("&", "&&", " ", "&_", "\n", "&n")

// unquoteArgument undoes what Emacs's server-quote-arg does.
func unquoteArgument(s string) string {
	if !strings.Contains(s, "&") {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] != '&' || i+1 == len(s) {
			b.WriteByte(s[i])
			continue
		}
		i++
		switch s[i] {
		case '_':
			b.WriteByte(' ')
		case 'n':
			b.WriteByte('\n')
		default: // & and -
			b.WriteByte(s[i])
		}
	}
	return b.String()
}

// request evaluates an expression, whose value is a string in base64, and returns
// what that encodes. One connection is one request, as emacsclient does it. The
// context has a deadline.
func (c *Client) request(ctx context.Context, s Server, expression string) (string, error) {
	var dialer net.Dialer
	conn, err := dialer.DialContext(ctx, s.Network, s.Address)
	switch {
	case errors.Is(err, syscall.EAGAIN) || ctx.Err() != nil:
		return "", fmt.Errorf("%w: %s takes no connection", ErrBusy, s.Address)
	case err != nil:
		return "", fmt.Errorf("%w: nobody answers on %s; it may be left from an Emacs that has ended: %w", ErrNoServer, s.Address, err)
	}
	stop := context.AfterFunc(ctx, func() { _ = conn.SetDeadline(time.Unix(1, 0)) })
	overdue := false
	defer func() {
		stop()
		if overdue {
			c.drainAnswer(conn)
			return
		}
		_ = conn.Close()
	}()

	line := "-current-frame -eval " + quoteArgument.Replace(expression) + "\n"
	if s.key != "" {
		line = "-auth " + s.key + " " + line
	}
	if _, err := io.WriteString(conn, line); err != nil {
		return "", fmt.Errorf("%w: %s takes no request", ErrBusy, s.Address) // an incomplete line is not run
	}
	printed, err := readReply(conn)
	if err != nil {
		overdue = ctx.Err() != nil
		return "", err
	}
	text := strings.TrimSpace(printed)
	if len(text) < 2 || text[0] != '"' || text[len(text)-1] != '"' {
		return "", fmt.Errorf("%w: the answer ended early", ErrOutcomeUnknown)
	}
	decoded, err := base64.StdEncoding.DecodeString(text[1 : len(text)-1])
	if err != nil {
		return "", fmt.Errorf("%w: the answer is damaged", ErrOutcomeUnknown)
	}
	return string(decoded), nil
}

// readReply collects what Emacs prints until it closes the connection.
func readReply(conn io.Reader) (string, error) {
	var printed strings.Builder
	begun := false // Emacs names its process before it evaluates anything
	in := bufio.NewReader(io.LimitReader(conn, maxReply))
	for {
		line, err := in.ReadString('\n')
		command, argument, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
		switch command {
		case "-emacs-pid":
			begun = true
		case "-print", "-print-nonl":
			if err == nil {
				printed.WriteString(unquoteArgument(argument))
			}
		case "-error":
			return "", fmt.Errorf("%w: %s", ErrNoServer, unquoteArgument(argument))
		}
		if text := strings.TrimRight(printed.String(), "\n"); len(text) > 1 && text[len(text)-1] == '"' {
			return text, nil
		}
		switch {
		case err == nil:
		case errors.Is(err, io.EOF):
			return printed.String(), nil
		case !begun:
			return "", fmt.Errorf("%w: no answer in time", ErrBusy)
		default:
			return "", fmt.Errorf("%w: no answer in time", ErrOutcomeUnknown)
		}
	}
}
