package app

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/lectern-mcp/lectern/tools"
)

// maxSecretFileBytes bounds the file of a secret in bytes.
const maxSecretFileBytes = 64 << 10

// RevealSecret implements [tools.Reveal]. A file belongs beside the configuration if
// its path is relative; one line break at its end is no part of the secret.
func (a *App) RevealSecret(_ context.Context, s tools.Secret) (string, error) {
	variable, isVariable := strings.CutPrefix(s.String(), "env:")
	switch {
	case s.IsZero():
		return "", nil
	case isVariable:
		if value := a.Getenv(variable); value != "" {
			return value, nil
		}
		return "", tools.Errorf(tools.Unavailable, "read secret %s: the variable is not set", s).WithHint(
			"The hub has the environment of the process that started it, which may be an MCP client. "+
				"Set %s there and run `lectern hub restart`, or put the secret into a file and use file:PATH.", variable)
	}
	path := strings.TrimPrefix(s.String(), "file:")
	if rest, ok := strings.CutPrefix(path, "~"+string(filepath.Separator)); ok && a.Home != "" {
		path = filepath.Join(a.Home, rest)
	}
	if !filepath.IsAbs(path) {
		path = filepath.Join(a.Paths.Config, path)
	}
	text, err := readSecretFile(path)
	if err != nil {
		return "", tools.Errorf(tools.Unavailable, "read secret %s: %w", s, err)
	}
	return text, nil
}

// secretVariables are the variables that sources name as env:NAME: a hub that is
// started has them, and no others that this process happens to have.
func (a *App) secretVariables() (names []string) {
	conf, err := a.Config()
	if err != nil {
		return nil // the hub says what is wrong with it
	}
	for _, s := range conf.Sources {
		var keys map[string]any
		if json.Unmarshal(s.Options, &keys) != nil {
			continue
		}
		for _, value := range keys {
			text, _ := value.(string)
			if name, refers := strings.CutPrefix(text, "env:"); refers {
				names = append(names, name)
			}
		}
	}
	return names
}

func readSecretFile(path string) (string, error) {
	info, err := os.Stat(path) // opening a named pipe would block
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "", fmt.Errorf("%s does not exist", path)
	case err != nil:
		return "", err
	case !info.Mode().IsRegular():
		return "", fmt.Errorf("%s is not a regular file", path)
	case runtime.GOOS != "windows" && info.Mode().Perm()&0o077 != 0:
		return "", fmt.Errorf("other users may read %s. Run: chmod 600 '%s'", path, path)
	}
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close() //nolint:errcheck // it is only read
	b, err := io.ReadAll(io.LimitReader(f, maxSecretFileBytes+1))
	switch {
	case err != nil:
		return "", err
	case len(b) > maxSecretFileBytes:
		return "", fmt.Errorf("%s is larger than %d bytes; is it a secret?", path, maxSecretFileBytes)
	}
	secret := strings.TrimSuffix(strings.TrimSuffix(string(b), "\n"), "\r")
	if secret == "" {
		return "", fmt.Errorf("%s is empty", path)
	}
	return secret, nil
}
