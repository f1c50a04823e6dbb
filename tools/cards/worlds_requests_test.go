package cards_test

import (
	"fmt"
	"math/rand/v2"
	"net/url"
	"strings"
)

// anyRequest is a request with at most one header; without a value it is the ETag that
// the path was answered last.
type anyRequest struct{ method, path, body, header, value string }

// requestMaker makes the next request of a sequence.
type requestMaker struct {
	*rand.Rand
	number int
}

func (r requestMaker) pick(list ...string) string { return list[r.IntN(len(list))] }

// anyName is a name that a request may speak of: seen, hidden or absent.
func (r requestMaker) anyName() string {
	return r.pick(
		"Town", "River", "Vault", "Vault+kid", "Vaults", "Vault+nobody", "Nobody", "Nobody+kid", "Town+kid", "Town+notes", "Town+GM", "Town+GM+notes", "Nobody+GM", "River+AI", "River+GM",
		"Town+Player", "Old vault", "List of all", "Vault+*self+*read", "Nobody+*self+*read", "Vault+tags", "Town+tags", "~2", "~5", ":basic", "RichText", "Terms", "GM", "vault", "Town+AI+x",
		"Ambush", "Ambush+kid", "Ambushes", "River+lore", "Town+lore", "Raid", "Siege", "Storming", "Storming+kid", "Plan",
		r.made(), r.made()+"+kid", "Found", "Picture",
	)
}

// made is a card that a request before may have made.
func (r requestMaker) made() string { return fmt.Sprint("Made ", max(0, r.number-r.IntN(60))) }

// openName is a name that may be written: no hidden card has it, nor one of its parts.
func (r requestMaker) openName() string {
	return r.pick(
		fmt.Sprint("Made ", r.number), fmt.Sprint("Made ", r.number), fmt.Sprintf("Made %d+kid", r.number), r.made()+"+kid", r.made()+"+tags", r.made()+"+GM", "Town", "River+notes", "Town+Player", "List of all", "Nobody+GM", "Town+GM", "Town+AI+x", "Terms", "Place+kid",
		"Old town", r.made()+"+*self+*read", "River+*self+*update", "GM+*right+*read", "RichText", "", "Made  x+", "tags", r.made()+"+*structure",
	)
}

func (r requestMaker) content() string {
	return r.pick("", "SEC", "Of the ORACLE, by [[Vault]].", "{{Vault}} and {{Town+GM}}", "[[Town+kid|the kid]] [[River]] gold", "[[Vault]]\n[[Town]]", "<h2>Vault</h2><p>kid</p>", "Game Master", "12", "[[Place]]")
}

func (r requestMaker) kind() string {
	return r.pick("RichText", "RichText", "RichText", "RichText", "PlainText", "PlainText", "Pointer", "Phrase", "Number", "Cardtype", "List", "Vault", "Plan", "Nope")
}

func (r requestMaker) patch(dryRun bool) string {
	words := fmt.Sprintf("%q", r.words())
	p := r.pick(
		`"mode": "find_replace", "find": `+words+`, "replace": "x"`, `"mode": "append", "content": `+fmt.Sprintf("%q", r.content()), `"mode": "prepend", "content": "x"`, `"mode": "append_item", "content": "Vault"`,
		`"mode": "remove_item", "content": "Vault"`, `"mode": "replace_between", "start_marker": "A", "end_marker": `+words+`, "replacement_html": "A"`, `"mode": "regex", "find": "[a-z]+ ", "replace": "w "`, `"mode": "nope"`,
	)
	return fmt.Sprintf(`{"patch": {%s, "dry_run": %t}}`, p, dryRun)
}

func (r requestMaker) words() string {
	return r.pick("SECRET", "ORACLE", "town", "gold", "Vault", "kid", "SEC", "or", "A", "notes")
}

// newRequest is the next request: any but those that may tell that a name is taken.
func newRequest(random *rand.Rand, number int) anyRequest {
	r := requestMaker{random, number}
	if r.IntN(3) == 0 {
		return r.write()
	}
	return r.read()
}

func cardPath(name string) string {
	return "/cards/" + strings.ReplaceAll(url.PathEscape(name), "%2B", "+")
}

func (r requestMaker) read() anyRequest {
	get := func(path string) anyRequest { return anyRequest{method: "GET", path: path} }
	post := func(path, body string) anyRequest { return anyRequest{method: "POST", path: path, body: body} }
	name, words := r.anyName(), r.words()
	card, quoted := cardPath(name), fmt.Sprintf("%q", name)
	page := fmt.Sprintf("limit=%d&offset=%d", 1+r.IntN(5), r.IntN(4)) + r.pick("", "&sort=name", "&sort=updated&dir=desc", "&sort=created&dir=asc")
	switch r.IntN(18) {
	case 0, 1:
		return get(card + r.pick("", "?rendered=true"))
	case 2:
		return anyRequest{method: "GET", path: card, header: "If-None-Match"}
	case 3:
		return get(card + "/" + r.pick("referers", "linked_by", "nested_in", "nests", "links", "outline", "history", "file_url", "file"))
	case 4:
		return get(card + "/children?depth=" + r.pick("1", "2", "5") + "&" + page)
	case 5:
		return get(card + "/search_content?query=" + words)
	case 6, 7:
		return get("/cards?q=" + words + "&search_in=" + r.pick("name", "content", "both") + "&include_virtual=" + r.pick("true", "false") + "&" + page +
			r.pick("", "&highlight=true", "&case_sensitive=true", "&updated_since=2020-01-01", "&match_mode=whole_word", "&match_mode=phrase"))
	case 8:
		return get("/cards?prefix=" + url.QueryEscape(name) + "&" + page)
	case 9:
		return get("/cards?include_virtual=true&" + r.pick("not_name=*own*", "tag=Place", "type=Pointer", "type=RichText", "type=Vault", "type=Plan", "updated_since=2020-01-01", "updated_before=2020-01-01") + "&" + page)
	case 10:
		return post("/run_query", fmt.Sprintf(`{"query": {"name": ["match", %q], "content": %q}, "limit": 3}`, r.pick("o", "Vault", "Town"), words))
	case 11:
		return post("/run_query", r.pick(`{"query": {"prefix": `+quoted+`}}`, `{"query": {"tag": `+quoted+`}}`, `{"template": "pointers"}`, `{"template": "recent_changes", "limit": 4}`, `{"template": "types"}`, `{"query": {"not_name": "*a*"}}`))
	case 12:
		return post("/validation/"+r.pick("suggest_improvements", "tags", "structure", "recommend_structure"), `{"name": `+quoted+`, "type": `+fmt.Sprintf("%q", r.kind())+`, "tags": ["Vault"], "content": "x"}`)
	case 13:
		return get(r.pick("/types", "/types/Vault", "/types/Plan", "/types/RichText", "/trash", "/admin/api_keys", "/health", "/health/ping", "/nothing", "/jobs/1", "/validation/requirements/Vault", "/admin/database/backup/list", "/.well-known/jwks.json"))
	case 14:
		return get(card + "/history/" + r.pick("1", "99999999", "x"))
	case 15:
		return post("/render", `{"html": `+quoted+`}`)
	case 16:
		return post("/render/markdown", `{"markdown": `+fmt.Sprintf("%q", r.content())+`}`)
	}
	return anyRequest{method: "DELETE", path: card}
}

// write is a request that writes, or would.
func (r requestMaker) write() anyRequest {
	put := func(method, path, body string) anyRequest {
		q := anyRequest{method: method, path: path, body: body}
		switch r.IntN(6) {
		case 0:
			q.header, q.value = "Idempotency-Key", fmt.Sprint("key ", r.number-r.IntN(3)*10)
		case 1:
			q.header = "If-Match"
		}
		return q
	}
	seen, named := r.anyName(), r.openName()
	card, content, kind := cardPath(seen), fmt.Sprintf("%q", r.content()), fmt.Sprintf("%q", r.kind())
	quoted, open := fmt.Sprintf("%q", seen), fmt.Sprintf("%q", named)
	dry := fmt.Sprint(r.IntN(2) == 0)
	switch r.IntN(14) {
	case 0, 1, 2:
		return put("POST", "/cards", `{"name": `+open+`, "type": `+kind+`, "content": `+content+`}`)
	case 3:
		return put("POST", "/cards", `{"name": `+open+`, "markdown_content": `+content+`, "fields": {"+notes": "x"}, "dry_run": `+dry+`}`)
	case 4, 5:
		return put("PATCH", card, r.patch(dry == "true"))
	case 6:
		return put("PATCH", card, r.pick(`{}`, `{"content": `+content+`}`, `{"content": `+content+`, "dry_run": true}`, `{"type": `+kind+`}`, `{"type": "Phrase", "dry_run": true}`))
	case 7:
		return put("PUT", card+"/rename", `{"new_name": "Elsewhere"}`)
	case 8:
		return put("POST", card+"/restore", r.pick(`{"from_trash": true}`, `{"act_id": 1}`))
	case 9:
		return put("POST", "/cards/batch", `{"dry_run": `+dry+`, "mode": "`+r.pick("per_item", "transactional")+`", "ops": [{"action": "`+r.pick("update", "delete", "", "update")+`", "name": `+quoted+`, "content": `+content+`}, {"action": "update", "name": "River", "content": `+content+`}]}`)
	case 10:
		return put("POST", "/cards/batch", `{"mode": "`+r.pick("per_item", "transactional")+`", "ops": [{"action": "create", "name": `+open+`, "type": `+kind+`, "content": `+content+`, "fetch_or_initialize": `+dry+`, "children": [{"name": "+notes", "type": "RichText", "content": "y"}]}, {"action": "update", "name": `+quoted+`, "patch": {"mode": "append", "content": "z"}}]}`)
	case 11:
		return put("POST", cardPath(r.pick("Picture", r.made()+"+picture", "Town+GM", "Town"))+"/upload", `{"type": "File", "filename": "a.txt", "file_data": "aGVsbG8="}`)
	case 12:
		return put("POST", "/jobs/spoiler-scan", `{"terms_card": `+quoted+`, "results_card": "`+r.pick("Found", "Found+GM", "Town")+`", "scope": "`+r.pick("player", "ai")+`", "limit": 5}`)
	}
	return put("POST", "/auto_link", `{"card_name": `+quoted+`, "mode": "`+r.pick("suggest", "apply")+`", "dry_run": `+dry+`}`)
}
