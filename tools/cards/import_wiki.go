package cards

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"net/url"
	"strconv"

	"github.com/lectern-mcp/lectern/tools"
	"github.com/lectern-mcp/lectern/tools/cards/internal/cardstore"
)

// readWiki reads every card of another wiki that its key may read, but for those that
// every wiki has. It says which are left out: files, which are more than their content.
func (l *local) readWiki(ctx context.Context, call tools.CommandCall, out io.Writer) (cards []importedCard, err error) {
	from, err := l.otherWiki(call.Args)
	if err != nil {
		return nil, err
	}
	defer func() { _ = from.Close() }() // it was only read
	r := from.owner()
	names, err := r.everyName(ctx)
	if err != nil {
		return nil, err
	}
	files := 0
	for i, name := range names {
		var one struct {
			importedCard
			Codename *string `json:"codename"`
		}
		if _, err := r.send(ctx, getOf("cards", name), &one); isCode(err, tools.NotFound) {
			continue // it was deleted meanwhile
		} else if err != nil {
			return nil, fmt.Errorf("read card %d of %d: %w", i+1, len(names), err)
		}
		switch {
		case one.Codename != nil:
		case one.Type == "File" || one.Type == "Image":
			files++
			_, err = fmt.Fprintf(out, "%s: a file; upload it\n", one.Name)
		default:
			cards = append(cards, one.importedCard)
		}
		if err != nil {
			return nil, err
		}
		call.Context.Progress(float64(i+1), float64(2*len(names)), "")
	}
	sortCards(cards)
	_, err = fmt.Fprintf(out, "read %d cards, %d of them files\n", len(cards)+files, files)
	return cards, err
}

// otherWiki is the wiki that the arguments of an import name.
func (l *local) otherWiki(args map[string]string) (*remote, error) {
	key, err := tools.ParseSecret(args["key"])
	if err != nil {
		return nil, tools.Errorf(tools.Invalid, "key: %s", tools.AsError(err).Message)
	}
	role, err := readRole(cmp.Or(args["role"], string(cardstore.Admin)))
	if err != nil {
		return nil, err
	}
	return openRemote(Config{URL: args["from"], Key: key, Role: RemoteRole(role)}, tools.Env{Reveal: l.reveal, Now: l.now})
}

// everyName lists the names of all cards of a wiki, page by page.
func (r requester) everyName(ctx context.Context) (names []string, err error) {
	for offset := 0; ; offset += pageSize {
		q := getOf("cards")
		q.Query = url.Values{"include_virtual": {"true"}, "limit": {strconv.Itoa(pageSize)}, "offset": {strconv.Itoa(offset)}}
		var page struct {
			Cards []card `json:"cards"`
			Next  *int   `json:"next_offset"`
		}
		if _, err := r.send(ctx, q, &page); err != nil {
			return nil, err
		}
		for _, c := range page.Cards {
			names = append(names, c.Name)
		}
		if page.Next == nil || len(page.Cards) == 0 {
			return names, nil
		}
	}
}
