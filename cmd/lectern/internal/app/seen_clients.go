package app

import (
	"encoding/json"
	"io"
	"maps"
	"os"
	"sync"
	"time"

	"github.com/lectern-mcp/lectern/internal/atomicfile"
)

// minSeenInterval is how often a client that is busy is noted.
const minSeenInterval = time.Minute

// SeenClients notes when clients that proved their names were connected. The
// zero value is not usable; see [NewSeenClients]. It is safe for concurrent use.
type SeenClients struct {
	file string
	now  func() time.Time

	mu   sync.Mutex
	last map[string]time.Time
}

// NewSeenClients goes on with the notes in file.
func NewSeenClients(file string, now func() time.Time) *SeenClients {
	return &SeenClients{file: file, now: now, last: ReadSeenClients(file)}
}

// RecordConnected notes that a client is connected now. An empty name is nobody. What
// cannot be written costs nothing but the note.
func (s *SeenClients) RecordConnected(client string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := s.now()
	if ago := now.Sub(s.last[client]); client == "" || ago >= 0 && ago < minSeenInterval { // a clock may have been set back
		return
	}
	s.last[client] = now.UTC().Truncate(time.Second)
	if text, err := json.Marshal(s.last); err == nil {
		_ = atomicfile.WriteFile(s.file, append(text, '\n'), 0o600)
	}
}

// WrapReader returns r, and notes that client is connected whenever it sends something:
// a session may last for days, and end with the machine.
func (s *SeenClients) WrapReader(r io.Reader, client string) io.Reader {
	return clientRecordingReader{r, s, client}
}

type clientRecordingReader struct {
	io.Reader
	seen   *SeenClients
	client string
}

func (r clientRecordingReader) Read(p []byte) (n int, err error) {
	if n, err = r.Reader.Read(p); n > 0 {
		r.seen.RecordConnected(r.client)
	}
	return n, err
}

// ReadSeenClients is when each client was last connected, within a minute, by
// name; empty where nothing was noted or the file cannot be read.
func ReadSeenClients(file string) map[string]time.Time {
	last := map[string]time.Time{}
	if text, err := os.ReadFile(file); err == nil {
		var noted map[string]time.Time
		if json.Unmarshal(text, &noted) == nil {
			maps.Copy(last, noted)
		}
	}
	return last
}
