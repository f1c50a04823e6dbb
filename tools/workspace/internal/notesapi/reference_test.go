package notesapi

import (
	"fmt"
	"os"
	"strings"
	"testing"
)

const referenceFile = "../../../../docs/workspace-api.md"

// The reference is made from the routes. UPDATE=1 writes it again.
func TestReference(t *testing.T) {
	want := reference()
	if os.Getenv("UPDATE") != "" {
		if err := os.WriteFile(referenceFile, []byte(want), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(referenceFile)
	if err != nil {
		t.Fatal(err)
	}
	if string(got) != want {
		t.Error("docs/workspace-api.md differs from the routes; run: UPDATE=1 go test ./tools/workspace/internal/notesapi")
	}
}

func reference() string {
	var b strings.Builder
	b.WriteString(referenceHead)
	for _, r := range Routes() {
		fmt.Fprintf(&b, "\n### %s `%s`\n\n%s.\n\n", r.Method, r.Path, r.Purpose)
		for _, line := range []struct{ what, is string }{{"Query", r.Query}, {"Body", r.Body}} {
			if line.is != "" {
				fmt.Fprintf(&b, "- %s: `%s`\n", line.what, line.is)
			}
		}
		if r.Answer == "" {
			fmt.Fprintf(&b, "- Answer: %d, without a body\n", r.Status)
		} else {
			fmt.Fprintf(&b, "- Answer: %d, `%s`\n", r.Status, r.Answer)
		}
	}
	b.WriteString("\n## Types\n\n```typescript\n" + TypeScript + "```\n")
	return b.String()
}

const referenceHead = `# The REST API of workspaces

This page is generated from the routes; edit those instead. Scripts, tools and HTTP answer the same.

## What holds for every route

- Ids of workspaces and notes are 1 to 200 letters, digits, ` + "`_` and `-`; `list`" + ` is none.
- An error is ` + "`{\"detail\": …}`" + `: a sentence, or an object with ` + "`message`" + `. Status 400: the request is wrong. 403: something that the user has
  hidden is in the way. 404: it is missing, or hidden. 409: somebody else changed it; nothing was written. 413: it is too large. 422: the class does not
  allow it, and ` + "`errors`" + ` names each field.
- A list has at most 1,000 rows and 960 KiB, newest first; classes are ordered by name. To a script it has at most 100,000 rows and 15 MiB. The next
  part begins after the row whose ` + "`revision_id`" + ` (of notes and of history), ` + "`id`" + ` (of links and attachments) or ` + "`name`" + ` (of classes) is given as
  ` + "`cursor`" + `. A list that has more has the address of the next part in the header ` + "`Link`" + `; to a script the array has the cursor as ` + "`next`" + `.
- A row of a list of notes has each property of at most 200 characters; what is longer is left out and named in ` + "`truncated`" + `. The note has all.
- A note is saved with the ` + "`revision_id`" + ` that was read. If it is not the current one, 409 has the whole current note in
  ` + "`detail.current_revision`" + `: merge, and save again with its ` + "`revision_id`" + `.
- Nothing is lost: every save and every deletion is a revision with its full text. ` + "`checksum`" + ` is the SHA-256 of these lines, joined by newlines: the
  note's id, the revision's id, the parent's id, the time, ` + "`saved` or `deleted`" + `, what the note has besides its text (as JSON), the text.
  ` + "`signature`" + ` is the HMAC-SHA-256 of that digest, with a key that stays in the database.
- Notes that the user hides are absent from every answer, count and order.

## Properties

The front matter comes first, then every heading of level 2 with text below it, which wins. A heading in a code block is text. A field of the note's
class has its type; other properties stay as they are written.

| type | value |
| --- | --- |
| ` + "`string`" + ` | the text up to the next heading |
| ` + "`number`" + ` | a number |
| ` + "`date`" + ` | ` + "`2025-11-29`, or with a time `2025-11-29T10:00:00Z`; other usual spellings are converted" + ` |
| ` + "`list`" + ` | the items of a list, or the lines |
| ` + "`markdown`" + ` | the text up to the next heading of level 1 or 2 |

A class is ` + "`class`" + ` in the front matter, or else what the note was saved with. A required field that is missing, or a value that is not of its type,
is refused when a note is saved; ` + "`computed.problems`" + ` says what is wrong with notes that were there before.

## Filters

` + "`{\"class\": \"Task\", \"properties.Status\": \"pending\"}`" + ` finds the notes for which all conditions hold. Fields are ` + "`properties.NAME`, `id`, `revision_id`,\n`title`, `class`, `tags`, `tag`, `links`, `path`, `created_at` and `updated_at`" + `. A list has a value if one of its entries equals it. Operators:
` + "`$eq`, `$ne`, `$gt`, `$gte`, `$lt`, `$lte`, `$in`, `$not`; and `$and`, `$or`, `$not`" + ` over whole filters. Numbers are compared with numbers, days and
moments by time, other texts by their bytes. ` + "`sort`" + ` is a field or a list of fields; ` + "`-`" + ` before one puts the greatest first.

## Routes
`
