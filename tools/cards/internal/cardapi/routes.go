package cardapi

import (
	"net/http"
	"net/url"
	"strings"

	"github.com/lectern-mcp/lectern/tools/cards/internal/cardstore"
)

// A RouteEffect is what requests of a route may do.
type RouteEffect string

// The effects of routes.
const (
	Open    RouteEffect = "open"    // answers everybody, and reads no cards
	Reads   RouteEffect = "reads"   // cards, or keys and backups
	Writes  RouteEffect = "writes"  // cards
	Deletes RouteEffect = "deletes" // cards
	Manages RouteEffect = "manages" // keys and backups
)

// A route is one path. A part in braces stands for one name, whatever it contains.
type route struct {
	method, path string
	effect       RouteEffect
	handle       func(*request) (answer, error)
	plainErrors  bool
}

// routes is every path that is answered.
func routes() []route {
	const get, post, put, patch, del = http.MethodGet, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete
	return []route{
		{get, "/.well-known/jwks.json", Open, getJWKS, false},
		{get, "/health", Open, getHealth, false},
		{get, "/health/ping", Open, getPing, false},
		{post, "/auth", Open, postAuth, false},
		{get, "/types", Reads, getTypes, false},
		{get, "/types/{name}", Reads, getType, false},
		{get, "/cards", Reads, searchCards, false},
		{post, "/cards", Writes, createCard, false},
		{post, "/cards/batch", Writes, batchCards, false},
		{get, "/cards/{name}", Reads, getCard, false},
		{patch, "/cards/{name}", Writes, updateCard, false},
		{put, "/cards/{name}", Writes, updateCard, false},
		{del, "/cards/{name}", Deletes, deleteCard, false},
		{get, "/cards/{name}/children", Reads, getChildren, false},
		{get, "/cards/{name}/referers", Reads, related(cardstore.Referers, "referer_count"), false},
		{get, "/cards/{name}/linked_by", Reads, related(cardstore.LinkedBy, "linked_by_count"), false},
		{get, "/cards/{name}/nested_in", Reads, related(cardstore.NestedIn, "nested_in_count"), false},
		{get, "/cards/{name}/nests", Reads, related(cardstore.Nests, "nests_count"), false},
		{get, "/cards/{name}/links", Reads, related(cardstore.Links, "links_count"), false},
		{get, "/cards/{name}/outline", Reads, getOutline, false},
		{get, "/cards/{name}/search_content", Reads, searchContent, false},
		{get, "/cards/{name}/history", Reads, getHistory, false},
		{get, "/cards/{name}/history/{act}", Reads, getRevision, false},
		{post, "/cards/{name}/restore", Writes, restoreCard, false},
		{put, "/cards/{name}/rename", Writes, renameCard, false},
		{post, "/cards/{name}/upload", Writes, uploadFile, false},
		{get, "/cards/{name}/file_url", Reads, getFileURL, false},
		{get, "/cards/{name}/file", Reads, getFile, false},
		{get, "/trash", Reads, getTrash, false},
		{post, "/render", Reads, renderMarkdown, false},
		{post, "/render/markdown", Reads, renderHTML, false},
		{post, "/run_query", Reads, runQuery, false},
		{post, "/jobs/spoiler-scan", Writes, spoilerScan, false},
		{get, "/jobs/{id}", Reads, getJob, false},
		{post, "/auto_link", Writes, autoLink, true},
		{post, "/validation/tags", Reads, validateTags, false},
		{post, "/validation/structure", Reads, validateStructure, false},
		{get, "/validation/requirements/{type}", Reads, getRequirements, false},
		{post, "/validation/recommend_structure", Reads, recommendStructure, false},
		{post, "/validation/suggest_improvements", Reads, suggestImprovements, false},
		{get, "/admin/api_keys", Reads, listKeys, false},
		{post, "/admin/api_keys", Manages, makeKey, false},
		{get, "/admin/api_keys/{id}", Reads, getKey, false},
		{patch, "/admin/api_keys/{id}", Manages, changeKey, false},
		{del, "/admin/api_keys/{id}", Manages, removeKey, false},
		{get, "/admin/database/backup", Reads, makeBackup, false},
		{get, "/admin/database/backup/list", Reads, listBackups, false},
		{get, "/admin/database/backup/download/{file}", Reads, downloadBackup, false},
		{del, "/admin/database/backup/{file}", Manages, removeBackup, false},
	}
}

// findRoute finds the route of an escaped path, and the names in it. A plus stands
// for itself, as it does in the names of cards.
func findRoute(method, escaped string) (route, []string, bool) {
	parts := strings.Split(strings.Trim(escaped, "/"), "/")
	for i, part := range parts {
		plain, err := url.PathUnescape(part)
		if err != nil {
			return route{}, nil, false
		}
		parts[i] = plain
	}
	if method == http.MethodHead {
		method = http.MethodGet
	}
	for _, r := range routes() {
		if args, fits := r.match(method, parts); fits {
			return r, args, true
		}
	}
	return route{}, nil, false
}

// names are the names of what stands in braces.
func (r route) names() (names []string) {
	for part := range strings.SplitSeq(r.path, "/") {
		if strings.HasPrefix(part, "{") {
			names = append(names, strings.Trim(part, "{}"))
		}
	}
	return names
}

func (r route) match(method string, parts []string) (args []string, fits bool) {
	own := strings.Split(r.path[1:], "/")
	if method != r.method || len(own) != len(parts) {
		return nil, false
	}
	for i, part := range own {
		switch {
		case part[0] == '{':
			args = append(args, parts[i])
		case part != parts[i]:
			return nil, false
		}
	}
	return args, true
}
