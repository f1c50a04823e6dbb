// Package cards is a System: a wiki of cards, with who may read and change what in it.
//
// The wiki is Lectern's own, in a database; it answers other programs over HTTP with
// the API that clients of Decko know. The packages below are its parts: names, texts,
// the store, keys and tokens, the API. It is no web application: there are no pages
// for a browser.
//
// Only tools/all imports it. Start reading at [System], then at [Wiki] in source.go.
// Tools reach a wiki through the interface in transport.go, which also carries what is
// asked over HTTP: routes.go. What is written passes write_request.go, and is undone by
// undo.go.
package cards

import (
	"github.com/lectern-mcp/lectern/status"
	"github.com/lectern-mcp/lectern/tools"
	"github.com/lectern-mcp/lectern/tools/cards/internal/cardstore"
)

// System is wikis of cards.
func System() tools.Kind {
	return tools.Erase(tools.System[*Wiki, Config]{
		Name:  "cards",
		Title: "Cards",
		Doc: "A wiki of cards with roles: players, game masters and administrators see different parts of it. " +
			"Lectern keeps it in a file or in PostgreSQL, and serves it to agents and, with API keys, to other programs; or it uses a wiki " +
			"elsewhere, such as a Decko.",
		Open:        open,
		CheckConfig: Config.check,
		Tools:       append(agentTools(), writeRequest(), deleteRequest(), manageRequest()),
		Prompts:     prompts(),
		ErrorFormat: errorFormat(),
		Environment: Environment(), RemoteKey: "url",
		Routes:   routes(),
		Roles:    roles(),
		Folders:  true,
		Sample:   sample(),
		Pages:    pages(),
		Checks:   checks(),
		Commands: commands(),
		Problems: []status.ProblemType{noAccounts},
	})
}

// roles are those of the wiki, least first.
func roles() []tools.Role {
	return []tools.Role{
		{Name: string(cardstore.User), Doc: "reads and writes what players may read"},
		{Name: string(cardstore.GM), Doc: "also what only game masters may read, such as the parts GM and AI of a name"},
		{Name: string(cardstore.Admin), Doc: "also deletes, renames and restores cards, and manages API keys"},
	}
}
