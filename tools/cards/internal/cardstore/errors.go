package cardstore

import (
	"errors"
	"fmt"

	"github.com/lectern-mcp/lectern/tools/cards/internal/cardname"
)

// Errors of the store. A card that its caller may not read is ErrNotFound, the same
// as one that never was.
var (
	ErrNotFound = errors.New("card not found")
	// ErrNameTaken means that a card which the caller may not read has the name, and that
	// another one of the name would not be hidden.
	ErrNameTaken = errors.New("name is not available")
	// ErrHidden means that a write would make or change a card that does not exist for
	// its caller.
	ErrHidden = errors.New("hidden")
	// ErrConflict means that a card is not as its writer believes.
	ErrConflict = errors.New("the card was changed since")
	// ErrNoRevision means that a card has no such revision that its caller may read.
	ErrNoRevision = errors.New("revision not found")
	ErrNotTrash   = errors.New("card is not in trash")
	// ErrSystemCard means that a card belongs to every wiki, and stays.
	ErrSystemCard = errors.New("this card belongs to the wiki itself")
)

// A BarredError is for a name that a rule keeps from its caller, whether or not a
// card has it.
type BarredError struct {
	Name cardname.Name
	Role Role // the least that is let in
}

// Error implements error.
func (e *BarredError) Error() string {
	return fmt.Sprintf("role '%s' or above is needed for %s", e.Role, e.Name)
}

// A DeniedError is for a card that its caller may read and not change so.
type DeniedError struct {
	Name   cardname.Name
	Action string // create, update or delete
}

// Error implements error.
func (e *DeniedError) Error() string {
	return fmt.Sprintf("no permission to %s %s", e.Action, e.Name)
}

// An InvalidError says why a card cannot be as it was to be.
type InvalidError struct {
	Field   string // name, content or type
	Message string // a sentence without its full stop
}

// Error implements error.
func (e *InvalidError) Error() string { return e.Message }

// A SlashError is for a new name with a slash: a path would have it for a joint.
type SlashError struct{ Name cardname.Name }

// Error implements error.
func (e *SlashError) Error() string { return "cannot contain '/'" }

// A TypeError is for a type that is not there.
type TypeError struct{ Type string }

// Error implements error.
func (e *TypeError) Error() string { return fmt.Sprintf("Type '%s' not found", e.Type) }
