package logseq

import (
	"context"

	"github.com/lectern-mcp/lectern/tools"
)

// GetJournalIn are the arguments of get_journal.
type GetJournalIn struct {
	Date   string       `json:"date,omitempty" jsonschema:"day as 2026-11-21; today when omitted"`
	Format Format       `json:"format,omitempty" jsonschema:"text: an outline; json: blocks with uuids"`
	Offset tools.Offset `json:"offset,omitempty" jsonschema:"top-level blocks to skip"`
}

func getJournal() tools.Tool[*Graph] {
	return tools.WithTargets(define(tools.Spec[GetJournalIn, GetPageContentOut]{
		Name: "get_journal", Title: "Read a journal", Effect: tools.Reads, OptIn: true,
		Doc: "Reads the journal page of a day.\nNeeds journals and pages.read.",
		Examples: []tools.Example[GetJournalIn, GetPageContentOut]{
			{Purpose: "read a day's journal", In: GetJournalIn{Date: "2026-03-01", Format: "text"}, AnyAnswer: true},
		},
	}, (*Graph).GetJournal, "journals", "pages.read"), func(g *Graph, _ context.Context, in GetJournalIn) ([]string, error) {
		day, err := g.parseDay("date", in.Date)
		return []string{target{journalTarget, formatDay(day)}.String()}, err
	})
}

// GetJournal implements get_journal.
func (g *Graph) GetJournal(ctx context.Context, in GetJournalIn) (GetPageContentOut, error) {
	day, err := g.parseDay("date", in.Date)
	if err != nil {
		return GetPageContentOut{}, err
	}
	p, err := g.journal(ctx, day)
	if err != nil {
		return GetPageContentOut{}, err
	}
	return g.GetPageContent(ctx, GetPageContentIn{
		PageName: Name(p.UUID), Format: in.Format, IncludeProperties: true, IncludeBlocks: true, Offset: in.Offset,
	})
}

type dayArg struct {
	Day int `json:"day"`
}

// journal finds the journal page of a day if it is visible.
func (g *Graph) journal(ctx context.Context, day int) (wirePage, error) {
	p, err := g.unfilteredJournal(ctx, day)
	if err != nil || !g.hidesAnything() {
		return p, err
	}
	if p, err = g.newView().visiblePage(ctx, "", p); isNotFound(err) {
		return p, noJournalError(day)
	}
	return p, err
}

func (g *Graph) unfilteredJournal(ctx context.Context, day int) (wirePage, error) {
	var p wirePage
	err := g.query(ctx, "journals.get", dayArg{day}, &p)
	if isNotFound(err) || err == nil && p.UUID == "" {
		return p, noJournalError(day)
	}
	return p, err
}

func noJournalError(day int) error {
	return tools.Errorf(tools.NotFound, "there is no journal page for %s", formatDay(day)).
		WithHint("append_to_journal creates it, in sources that offer it.")
}

// AppendToJournalIn are the arguments of append_to_journal.
type AppendToJournalIn struct {
	Date    string  `json:"date,omitempty" jsonschema:"day as 2026-11-21; today when omitted"`
	Content Content `json:"content" jsonschema:"Markdown; lists become nested blocks"`
	DryRun  bool    `json:"dry_run,omitempty" jsonschema:"only check"`
}

func appendToJournal() tools.Tool[*Graph] {
	return defineWrite(tools.Spec[AppendToJournalIn, PageWritten]{
		Name: "append_to_journal", Title: "Add to a journal", Effect: tools.Writes, Additive: true, OptIn: true, Timeout: treeTimeout,
		Doc: "Adds content at the end of a day's journal, which is created if needed.\nNeeds journals and pages.update.",
		Examples: []tools.Example[AppendToJournalIn, PageWritten]{
			{Purpose: "note something today", In: AppendToJournalIn{Content: "First frost"}, AnyAnswer: true},
		},
	}, (*Graph).AppendToJournal, "journals", "pages.update")
}

// AppendToJournal implements append_to_journal.
func (g *Graph) AppendToJournal(ctx context.Context, c tools.CallContext, in AppendToJournalIn) (_ PageWritten, err error) {
	day, err := g.parseDay("date", in.Date)
	if err != nil {
		return PageWritten{}, err
	}
	drafts, err := parseContent("content", string(in.Content))
	if err != nil {
		return PageWritten{}, err
	}
	p, err := g.journal(ctx, day)
	isNew := isNotFound(err)
	if err != nil && !isNew {
		return PageWritten{}, err
	}
	if err := prepareNewBlocks(ctx, g, drafts); err != nil {
		return PageWritten{}, err
	}
	if isNew {
		if _, err := g.unfilteredJournal(ctx, day); err == nil {
			return PageWritten{}, hiddenError()
		}
	}
	if in.DryRun {
		return PageWritten{PageName: p.Name, UUID: p.UUID, Written: dryRunResult()}, nil
	}
	drafts, warnings := g.flattenIfNeeded(string(in.Content), drafts)
	changes := g.planInsert(p.endPosition(), drafts)
	if isNew { // the Change of the page includes the blocks on it
		changes = append(planReferenced(drafts), planUpdate(target{journalTarget, formatDay(day)}))
	}
	finish, err := g.reportChanges(ctx, c, changes...)
	if err != nil {
		return PageWritten{}, err
	}
	defer func() { finish(err) }()
	var earlier []string
	if isNew {
		if p, err = g.createJournal(ctx, day); err != nil {
			return PageWritten{}, err
		}
		earlier = append(earlier, "journal page created")
	}
	written, err := g.appendDrafts(ctx, c, p, drafts, earlier)
	written.Warnings = append(warnings, written.Warnings...)
	return PageWritten{p.Name, p.UUID, topUUIDs(drafts), written}, err
}

// createJournal creates the journal page of a day. Logseq chooses its name.
func (g *Graph) createJournal(ctx context.Context, day int) (wirePage, error) {
	var made wirePage
	_, err := g.perform(ctx, writeRequest{
		method: "journals.create", params: dayArg{day}, details: writeDetails{Page: formatDay(day)},
		verify: func(ctx context.Context) (verification, error) {
			var err error
			made, err = g.journal(ctx, day)
			return g.verifyPage(made, err, nil)
		},
	})
	if err == nil && made.UUID == "" {
		err = tools.Errorf(tools.Internal, "the new journal page could not be read back").WithHint("Call again; the page is created only once.")
	}
	return made, err
}
