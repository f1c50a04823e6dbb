package emacs

import (
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"

	"github.com/lectern-mcp/lectern/internal/loopnet"
)

// A Server is where an Emacs listens: a socket, or a port of this machine with
// the key from its server file.
type Server struct {
	Network, Address string
	key              string
}

// Find looks for the server: the configured one, that of EMACS_SOCKET_NAME or
// EMACS_SERVER_FILE, then where Emacs puts its sockets and server files. A folder
// that other users can write to is passed over. The error names every place.
func (c *Client) Find() (Server, error) {
	name := c.options.Socket
	if name == "" {
		name = c.options.Getenv("EMACS_SOCKET_NAME")
	}
	if filepath.IsAbs(name) {
		return openServer(name)
	}
	if name == "" {
		name = "server"
	}
	places := c.socketPlaces(name)
	if file := c.options.Getenv("EMACS_SERVER_FILE"); filepath.IsAbs(file) && c.options.Socket == "" {
		places = append([]string{file}, places...)
	} else if file != "" {
		name = file
	}
	places = append(places, c.serverFilePlaces(name)...)
	var reasons []error
	for _, place := range places {
		if err := loopnet.CheckOwnDir(filepath.Dir(place)); err != nil {
			if !errors.Is(err, fs.ErrNotExist) {
				reasons = append(reasons, err)
			}
			continue
		}
		server, err := openServer(place)
		if err == nil {
			return server, nil
		}
		if !errors.Is(err, fs.ErrNotExist) {
			reasons = append(reasons, err)
		}
	}
	err := fmt.Errorf("%w: none of %s exists; in Emacs, run M-x server-start", ErrNoServer, strings.Join(places, ", "))
	return Server{}, errors.Join(append([]error{err}, reasons...)...)
}

// socketPlaces are the paths of a socket of this name, as Emacs chooses them.
func (c *Client) socketPlaces(name string) []string {
	uid := os.Getuid()
	if uid < 0 {
		return nil // Emacs on Windows has no such sockets
	}
	var places []string
	if dir := c.options.Getenv("XDG_RUNTIME_DIR"); dir != "" {
		places = append(places, filepath.Join(dir, "emacs", name))
	} else if runtime.GOOS == "linux" {
		places = append(places, filepath.Join("/run/user", strconv.Itoa(uid), "emacs", name))
	}
	own := "emacs" + strconv.Itoa(uid)
	if dir := c.options.Getenv("TMPDIR"); dir != "" {
		places = append(places, filepath.Join(dir, own, name))
	}
	for _, dir := range []string{os.TempDir(), "/tmp"} {
		if place := filepath.Join(dir, own, name); len(places) == 0 || places[len(places)-1] != place {
			places = append(places, place)
		}
	}
	return places
}

// serverFilePlaces are the paths of a file that names a port and a key.
func (c *Client) serverFilePlaces(name string) []string {
	var places []string
	if dir := c.options.Getenv("APPDATA"); dir != "" {
		places = append(places, filepath.Join(dir, ".emacs.d", "server", name))
	}
	if c.options.Home == "" {
		return places
	}
	config := c.options.Getenv("XDG_CONFIG_HOME")
	if config == "" {
		config = filepath.Join(c.options.Home, ".config")
	}
	return append(places, filepath.Join(c.options.Home, ".emacs.d", "server", name), filepath.Join(config, "emacs", "server", name))
}

// openServer tells what the file at path is: a socket, or a file with an address
// and a key.
func openServer(path string) (Server, error) {
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return Server{}, fmt.Errorf("%w: %w", ErrNoServer, err)
	case info.Mode()&fs.ModeSocket != 0:
		return Server{Network: "unix", Address: path}, nil
	case !info.Mode().IsRegular() || info.Size() > 4096:
		return Server{}, fmt.Errorf("%w: %s is neither a socket nor a server file", ErrNoServer, path)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return Server{}, fmt.Errorf("%w: %w", ErrNoServer, err)
	}
	// "127.0.0.1:34567 1234" and, in the next line, 64 signs
	first, key, _ := strings.Cut(string(text), "\n")
	address, _, _ := strings.Cut(first, " ")
	key = strings.TrimSpace(key)
	host, _, err := net.SplitHostPort(address)
	if ip := net.ParseIP(host); err != nil || ip == nil || !ip.IsLoopback() || key == "" || strings.ContainsAny(key, " \n") {
		return Server{}, fmt.Errorf("%w: %s names no port of this machine and its key", ErrNoServer, path)
	}
	return Server{Network: "tcp", Address: address, key: key}, nil
}
