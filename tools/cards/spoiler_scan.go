package cards

import (
	"context"
	"net/http"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/lectern-mcp/lectern/tools"
	"github.com/lectern-mcp/lectern/tools/cards/internal/cardstore"
)

// ScanScope is where a scan looks: player (the default), what players read; ai, the
// parts for artificial players.
type ScanScope string

// JSONSchema implements [tools.SchemaProvider].
func (ScanScope) JSONSchema() *jsonschema.Schema {
	return &jsonschema.Schema{Type: "string", Enum: []any{"player", "ai"}}
}

// SpoilerScanIn are the arguments of spoiler_scan.
type SpoilerScanIn struct {
	Terms   string    `json:"terms_card" jsonschema:"card with a term a line"`
	Results string    `json:"results_card" jsonschema:"card to write what was found into"`
	Scope   ScanScope `json:"scope,omitempty" jsonschema:"player (default) or ai"`
	Limit   int       `json:"limit,omitempty" jsonschema:"places at most, up to 1,000; 500 when omitted"`
	DryRun  bool      `json:"dry_run,omitempty" jsonschema:"only say what would be written"`
}

// SpoilerScanOut is the answer of spoiler_scan.
type SpoilerScanOut struct {
	Status  string          `json:"status" jsonschema:"completed, queued or dry_run"`
	Matches int             `json:"matches" jsonschema:"places found"`
	Results string          `json:"results_card" jsonschema:"card with what was found"`
	Checked int             `json:"terms_checked,omitempty" jsonschema:"number of terms"`
	Would   []PlannedChange `json:"would_change,omitempty" jsonschema:"what a call without dry_run would change"`
}

func spoilerScan() tools.Tool[*Wiki] {
	return tools.WithTargets(tools.DefineWithContext(tools.Spec[SpoilerScanIn, SpoilerScanOut]{
		Name: "spoiler_scan", Title: "Scan for spoilers", Effect: tools.Writes, OptIn: true,
		Selects: []string{"terms_card", "results_card"},
		Roles:   []string{string(cardstore.GM), string(cardstore.Admin)},
		Doc:     "Finds terms in what players can read, and writes where into a card.\nFor game masters.",
		Errors:  []tools.Code{tools.NotFound, tools.Conflict},
		Examples: []tools.Example[SpoilerScanIn, SpoilerScanOut]{{
			Purpose: "look for secrets that players can read", In: SpoilerScanIn{Terms: "Terms+GM", Results: "Terms+GM+found"}, AnyAnswer: true,
			Want: SpoilerScanOut{Status: "completed", Matches: 1, Results: "Terms+GM+found", Checked: 1},
		}},
	}, (*Wiki).SpoilerScan), func(_ *Wiki, _ context.Context, in SpoilerScanIn) ([]string, error) {
		return []string{in.Terms, in.Results}, nil
	})
}

// SpoilerScan implements spoiler_scan.
func (w *Wiki) SpoilerScan(ctx context.Context, c tools.CallContext, in SpoilerScanIn) (SpoilerScanOut, error) {
	if w.privacy.Any() { // the wiki would look at what is hidden
		return SpoilerScanOut{}, tools.Errorf(tools.Denied, "another's wiki does not scan where cards are hidden")
	}
	if err := checkReadable(in.Results); err != nil {
		return SpoilerScanOut{}, err
	}
	body := map[string]any{"terms_card": in.Terms, "results_card": in.Results}
	if in.Scope != "" {
		body["scope"] = in.Scope
	}
	if in.Limit > 0 {
		body["limit"] = in.Limit
	}
	var out SpoilerScanOut
	_, changes, err := w.change(ctx, c, apiRequest{Method: http.MethodPost, Path: "/jobs/spoiler-scan", Body: body}, in.DryRun, &out)
	if err != nil {
		return SpoilerScanOut{}, err
	}
	if in.DryRun {
		out = SpoilerScanOut{Status: "dry_run", Results: in.Results}
	}
	for _, change := range changes {
		out.Would = append(out.Would, plannedChange(change))
	}
	return out, nil
}
