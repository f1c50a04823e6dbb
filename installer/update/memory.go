package update

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/lectern-mcp/lectern/internal/atomicfile"
)

// knownVersions is what is known from earlier runs, in a file of its own.
type knownVersions struct{ file string }

// Seen is what earlier runs found.
type Seen struct {
	// Highest is the highest version that was ever seen signed: a server that
	// offers less is behind, or keeps something from us. Empty: none was.
	Highest string `json:"highest,omitempty"`
	// Available is the newest version at the last check that got an answer, at
	// Learned; Checked is when the network was asked last.
	Available string    `json:"available,omitempty"`
	Learned   time.Time `json:"learned,omitzero"`
	Checked   time.Time `json:"checked,omitzero"`
	// Previous is the version of the binary before the installed one.
	Previous string `json:"previous,omitempty"`
	// Bad are versions that were installed here and did not serve.
	Bad []string `json:"bad,omitempty"`
}

// read returns what is known. A file that cannot be read is nothing known: it
// must not keep anybody from a fixed version.
func (m knownVersions) read() Seen {
	var s Seen
	text, err := os.ReadFile(m.file)
	if err != nil || json.Unmarshal(text, &s) != nil || s.Highest != "" && !isVersion(s.Highest) || s.Available != "" && !isVersion(s.Available) || s.Previous != "" && !isVersion(s.Previous) {
		return Seen{}
	}
	return s
}

func (m knownVersions) update(edit func(*Seen)) error {
	s := m.read()
	edit(&s)
	text, err := json.MarshalIndent(s, "", "  ")
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(m.file), 0o700); err != nil {
		return fmt.Errorf("remember versions: %w", err)
	}
	if err := atomicfile.WriteFile(m.file, append(text, '\n'), 0o600); err != nil {
		return fmt.Errorf("remember versions: %w", err)
	}
	return nil
}

func (s *Seen) raiseHighest(version string) {
	if s.Highest == "" || isOlder(s.Highest, version) {
		s.Highest = version
	}
}

func (s *Seen) addBad(version string) {
	if !slices.Contains(s.Bad, version) {
		s.Bad = append(s.Bad, version)
	}
}

func (s *Seen) removeBad(version string) {
	s.Bad = slices.DeleteFunc(s.Bad, func(v string) bool { return v == version })
}

// Seen is what earlier runs found, without asking anybody.
func (u *Updater) Seen() Seen { return u.known.read() }

// errLocked says that another update is under way.
var errLocked = errors.New("another update of the same binary is under way; wait for it to end")

// unknownVersion stands for a version that was not noted.
const unknownVersion = "unknown"

// Previous is the version that Rollback would install, by what was noted when
// it was replaced: it is not run to find out. Empty: there is none.
func (u *Updater) Previous() string {
	target, err := u.resolve()
	if err != nil {
		return ""
	}
	info, err := os.Lstat(previousPath(target))
	if err != nil || info.Mode()&fs.ModeType != 0 {
		return ""
	}
	return cmp.Or(u.known.read().Previous, unknownVersion)
}
