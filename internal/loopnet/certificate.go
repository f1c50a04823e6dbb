package loopnet

import (
	"cmp"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"time"
)

// A Certificate is the certificate of a TLS listener and its key, in PEM files
// that another program renews.
type Certificate struct {
	certFile, keyFile string

	mu    sync.Mutex
	seen  [2]fileVersion // of the last attempt to read
	valid *tls.Certificate
}

// A fileVersion changes when a file does.
type fileVersion struct {
	size int64
	time time.Time
	mode fs.FileMode
}

// LoadCertificate reads a certificate, with those of its issuers, and its key. It
// refuses a key that other users can read; the error names the file and the
// command that fixes it.
func LoadCertificate(certFile, keyFile string) (*Certificate, error) {
	c := &Certificate{certFile: certFile, keyFile: keyFile}
	if _, err := c.Current(); err != nil {
		return nil, err
	}
	return c, nil
}

// Current returns the certificate as the files have it now. While they cannot be
// read it is the last one that could be; the error comes once for every change of
// the files.
func (c *Certificate) Current() (*tls.Certificate, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	now := [2]fileVersion{readFileVersion(c.certFile), readFileVersion(c.keyFile)}
	if c.valid != nil && now == c.seen {
		return c.valid, nil
	}
	c.seen = now
	pair, err := readCertificate(c.certFile, c.keyFile)
	if err == nil {
		c.valid = &pair
	}
	return c.valid, err
}

func readFileVersion(path string) fileVersion {
	info, err := os.Stat(path)
	if err != nil {
		return fileVersion{}
	}
	return fileVersion{info.Size(), info.ModTime(), info.Mode()}
}

func readCertificate(certFile, keyFile string) (tls.Certificate, error) {
	key, keyErr := readPrivateKey(keyFile)
	cert, err := os.ReadFile(certFile)
	if err := cmp.Or(err, keyErr); err != nil {
		return tls.Certificate{}, fmt.Errorf("read certificate and key: %w", err)
	}
	pair, err := tls.X509KeyPair(cert, key)
	if err != nil {
		return tls.Certificate{}, fmt.Errorf("certificate %s with key %s: %w", certFile, keyFile, err)
	}
	return pair, nil
}

// readPrivateKey reads the file that a path leads to: programs that renew
// certificates replace a symbolic link to it.
func readPrivateKey(path string) ([]byte, error) {
	file, err := filepath.EvalSymlinks(path)
	if err != nil {
		return nil, err
	}
	f, err := openPrivate(file)
	if err != nil {
		return nil, err
	}
	key, err := io.ReadAll(io.LimitReader(f, 1<<20))
	return key, errors.Join(err, f.Close())
}
