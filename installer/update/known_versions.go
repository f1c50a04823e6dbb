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

// versionsFile is the file with what earlier runs found.
type versionsFile struct{ file string }

// KnownVersions is what earlier runs found.
type KnownVersions struct {
	// Highest is the highest version that was ever seen signed: a server that
	// offers a lower one is outdated or withholds a release. Empty: none was seen.
	Highest string `json:"highest,omitempty"`
	// Available is the newest version at the last successful check, which was at
	// Learned. Checked is the time of the last check, successful or not.
	Available string    `json:"available,omitempty"`
	Learned   time.Time `json:"learned,omitzero"`
	Checked   time.Time `json:"checked,omitzero"`
	// Previous is the version of the previous binary.
	Previous string `json:"previous,omitempty"`
	// Bad are versions that were installed here and did not serve.
	Bad []string `json:"bad,omitempty"`
}

// read returns nothing for a file that cannot be read: it must not prevent the
// update to a fixed version.
func (m versionsFile) read() KnownVersions {
	var s KnownVersions
	text, err := os.ReadFile(m.file)
	if err != nil || json.Unmarshal(text, &s) != nil || s.Highest != "" && !isVersion(s.Highest) ||
		s.Available != "" && !isVersion(s.Available) || s.Previous != "" && !isVersion(s.Previous) {
		return KnownVersions{}
	}
	return s
}

func (m versionsFile) update(edit func(*KnownVersions)) error {
	s := m.read()
	edit(&s)
	text, err := json.MarshalIndent(s, "", "  ")
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(m.file), 0o700); err != nil {
		return fmt.Errorf("save versions: %w", err)
	}
	if err := atomicfile.WriteFile(m.file, append(text, '\n'), 0o600); err != nil {
		return fmt.Errorf("save versions: %w", err)
	}
	return nil
}

func (s *KnownVersions) raiseHighest(version string) {
	if s.Highest == "" || isOlder(s.Highest, version) {
		s.Highest = version
	}
}

func (s *KnownVersions) addBad(version string) {
	if !slices.Contains(s.Bad, version) {
		s.Bad = append(s.Bad, version)
	}
}

func (s *KnownVersions) removeBad(version string) {
	s.Bad = slices.DeleteFunc(s.Bad, func(v string) bool { return v == version })
}

// KnownVersions is what earlier runs found.
func (u *Updater) KnownVersions() KnownVersions { return u.known.read() }

// errLocked means that another update is running.
var errLocked = errors.New("another update of the same binary is running; wait for it to end")

// unknownVersion stands for a version that was not recorded.
const unknownVersion = "unknown"

// Previous is the version that Rollback would install, as recorded when it was
// replaced. Empty: there is none.
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
