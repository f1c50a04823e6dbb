package tools

import (
	"context"
	"encoding/json"
	"regexp"

	"github.com/google/jsonschema-go/jsonschema"
)

// A Secret refers to a secret: "env:NAME" is a variable in the environment of the
// process that started the hub, "file:PATH" a file that only its owner can read,
// relative to the configuration. It never holds the secret, so that no log,
// snapshot or list of processes can give it away. The zero value refers to none.
type Secret struct{ reference string }

// A Reveal reads a secret now; that of a zero Secret is empty. The caller keeps it
// no longer than it uses it, so that a new one counts at once. It returns
// Unavailable with the reference, never the secret, when the secret cannot be
// read or others may read its file.
type Reveal func(ctx context.Context, s Secret) (string, error)

// secretFormat is the format of a Secret in a schema.
const secretFormat = "secret-reference"

var secretPattern = regexp.MustCompile(`^(env:[A-Za-z_][A-Za-z0-9_]*|file:[^\x00-\x1f]+)$`)

// ParseSecret parses a reference; empty text is the zero Secret. The Invalid error
// does not repeat the text, which may be the secret itself.
func ParseSecret(text string) (Secret, error) {
	if text != "" && !secretPattern.MatchString(text) {
		return Secret{}, Errorf(Invalid, "must refer to a secret as env:NAME or file:PATH, not hold it")
	}
	return Secret{text}, nil
}

// String is the reference.
func (s Secret) String() string { return s.reference }

// IsZero reports whether there is no secret.
func (s Secret) IsZero() bool { return s.reference == "" }

// MarshalJSON writes the reference.
func (s Secret) MarshalJSON() ([]byte, error) { return json.Marshal(s.reference) }

// UnmarshalJSON reads a reference: see [ParseSecret].
func (s *Secret) UnmarshalJSON(b []byte) (err error) {
	var text string
	if json.Unmarshal(b, &text) != nil {
		text = "?" // refused, without repeating what it was
	}
	*s, err = ParseSecret(text)
	return err
}

// JSONSchema implements [SchemaProvider].
func (Secret) JSONSchema() *jsonschema.Schema {
	return &jsonschema.Schema{Type: "string", Format: secretFormat, WriteOnly: true}
}

// A Folder is a configuration key that names a folder. The loader makes it
// absolute.
type Folder string

// JSONSchema implements [SchemaProvider].
func (Folder) JSONSchema() *jsonschema.Schema {
	return &jsonschema.Schema{Type: "string", Format: "folder"}
}
