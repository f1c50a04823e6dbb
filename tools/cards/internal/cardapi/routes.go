package cardapi

import (
	"net/http"
	"net/url"
	"strings"

	"github.com/lectern-mcp/lectern/tools/cards/internal/cardstore"
)

// A route is one path. A part in braces stands for one name, whatever it contains.
type route struct {
	method, path string
	role         cardstore.Role // the least that may ask; empty: everybody, without a token
	handle       func(*request) (answer, error)
	plainErrors  bool
}

// routes is every path that is answered.
func routes() []route {
	const get, post, put, patch, del = http.MethodGet, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete
	return []route{
		{get, "/.well-known/jwks.json", "", getJWKS, false},
		{get, "/health", "", getHealth, false},
		{get, "/health/ping", "", getPing, false},
		{post, "/auth", "", postAuth, false},
		{get, "/types", cardstore.User, getTypes, false},
		{get, "/types/{name}", cardstore.User, getType, false},
		{get, "/cards", cardstore.User, searchCards, false},
		{post, "/cards", cardstore.User, createCard, false},
		{post, "/cards/batch", cardstore.User, batchCards, false},
		{get, "/cards/{name}", cardstore.User, getCard, false},
		{patch, "/cards/{name}", cardstore.User, updateCard, false},
		{put, "/cards/{name}", cardstore.User, updateCard, false},
		{del, "/cards/{name}", cardstore.User, deleteCard, false},
		{get, "/cards/{name}/children", cardstore.User, getChildren, false},
		{get, "/cards/{name}/referers", cardstore.User, related(cardstore.Referers, "referer_count"), false},
		{get, "/cards/{name}/linked_by", cardstore.User, related(cardstore.LinkedBy, "linked_by_count"), false},
		{get, "/cards/{name}/nested_in", cardstore.User, related(cardstore.NestedIn, "nested_in_count"), false},
		{get, "/cards/{name}/nests", cardstore.User, related(cardstore.Nests, "nests_count"), false},
		{get, "/cards/{name}/links", cardstore.User, related(cardstore.Links, "links_count"), false},
		{get, "/cards/{name}/outline", cardstore.User, getOutline, false},
		{get, "/cards/{name}/search_content", cardstore.User, searchContent, false},
		{get, "/cards/{name}/history", cardstore.User, getHistory, false},
		{get, "/cards/{name}/history/{act}", cardstore.User, getRevision, false},
		{post, "/cards/{name}/restore", cardstore.User, restoreCard, false},
		{put, "/cards/{name}/rename", cardstore.User, renameCard, false},
		{post, "/cards/{name}/upload", cardstore.User, uploadFile, false},
		{get, "/cards/{name}/file_url", cardstore.User, getFileURL, false},
		{get, "/cards/{name}/file", cardstore.User, getFile, false},
		{get, "/trash", cardstore.User, getTrash, false},
		{post, "/render", cardstore.User, renderMarkdown, false},
		{post, "/render/markdown", cardstore.User, renderHTML, false},
		{post, "/run_query", cardstore.User, runQuery, false},
		{post, "/jobs/spoiler-scan", cardstore.User, spoilerScan, false},
		{post, "/auto_link", cardstore.User, autoLink, true},
		{post, "/validation/tags", cardstore.User, validateTags, false},
		{post, "/validation/structure", cardstore.User, validateStructure, false},
		{get, "/validation/requirements/{type}", cardstore.User, getRequirements, false},
		{post, "/validation/recommend_structure", cardstore.User, recommendStructure, false},
		{post, "/validation/suggest_improvements", cardstore.User, suggestImprovements, false},
		{get, "/admin/api_keys", cardstore.User, listKeys, false},
		{post, "/admin/api_keys", cardstore.User, makeKey, false},
		{get, "/admin/api_keys/{id}", cardstore.User, getKey, false},
		{patch, "/admin/api_keys/{id}", cardstore.User, changeKey, false},
		{del, "/admin/api_keys/{id}", cardstore.User, removeKey, false},
		{get, "/admin/database/backup", cardstore.User, makeBackup, false},
		{get, "/admin/database/backup/list", cardstore.User, listBackups, false},
		{get, "/admin/database/backup/download/{file}", cardstore.User, downloadBackup, false},
		{del, "/admin/database/backup/{file}", cardstore.User, removeBackup, false},
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
