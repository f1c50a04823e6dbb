package cardstore

import "github.com/lectern-mcp/lectern/tools/cards/internal/cardname"

// A Role is what a caller is to the wiki, least first.
type Role string

// The roles.
const (
	User  Role = "user"  // what players read
	GM    Role = "gm"    // and what only game masters read
	Admin Role = "admin" // and deletes, renames, restores
)

// Roles are all roles, least first.
func Roles() []Role { return []Role{User, GM, Admin} }

// A Caller is who asks: an account in one of the roles that it may take. What the
// account could do in another role does not count.
type Caller struct {
	Account string // the name of its card
	Role    Role
	// AnyName lets in names that a new card must not have: they come from another wiki.
	AnyName bool
	// Hides reports whether a card does not exist for the caller, whatever its role,
	// and with it those whose names it is part of; nil: none is hidden.
	Hides func(Description) bool
}

// A Description is what a privacy rule may be about.
type Description struct {
	Name cardname.Name
	Type cardname.Name
	Tags []cardname.Name // that the card NAME+tags lists
}

// The keys of the groups that rules name.
const (
	groupAnyone   = "anyone"
	groupSignedIn = "anyone_signed_in"
	groupGM       = "game_master"
	groupAdmin    = "administrator"
	groupShark    = "shark"
	itsLeft       = "_left"
)

// groups are the keys of all groups that the caller is in.
func (c Caller) groups() map[string]bool {
	in := map[string]bool{groupAnyone: true, groupSignedIn: true}
	if key := cardname.Name(c.Account).Key(); key != "" { // which a rule may name by signs alone
		in[key] = true
	}
	switch c.Role {
	case Admin:
		in[groupAdmin], in[groupShark], in["eagle"], in["help_desk"] = true, true, true, true
		in[groupGM] = true
	case GM:
		in[groupGM] = true
	case User:
	}
	return in
}

// has reports whether the caller may do what the role may.
func (c Caller) has(r Role) bool {
	switch r {
	case Admin:
		return c.Role == Admin
	case GM:
		return c.Role == GM || c.Role == Admin
	case User:
	}
	return true
}
