package markdown

import (
	"bytes"
	"encoding/json"
	"regexp"
	"strings"

	"github.com/lectern-mcp/lectern/internal/folder"
)

// canvasString matches the strings of a canvas that name a file or hold Markdown, as
// JSON Canvas 1.0 has them in its nodes.
var canvasString = regexp.MustCompile(`"(file|text|background)"\s*:\s*("(?:[^"\\]|\\.)*")`)

// relinkCanvas is a canvas with its references to files, and the links in its texts,
// as they must be; without data: it stays. Every other byte stays.
func (r *relinker) relinkCanvas(d *draft, file string) (fileEdit, LinkReport) {
	data, err := d.View().Read(file)
	if err != nil || !json.Valid(data) {
		return fileEdit{}, reportOn(LinkOutcome{File: file, Outcome: linkUnreadable})
	}
	var report LinkReport
	var out bytes.Buffer
	at := 0
	for _, m := range canvasString.FindAllSubmatchIndex(data, -1) {
		var was string
		if json.Unmarshal(data[m[4]:m[5]], &was) != nil {
			continue
		}
		var now string
		if key := string(data[m[2]:m[3]]); key == "text" {
			now = r.relinkText(file, was, &report)
		} else if now = r.m.newPath(was); now != was {
			report.add(reportOn(LinkOutcome{File: file, Link: was, To: now, Outcome: linkRewritten}))
		}
		if now == was {
			continue
		}
		out.Write(data[at:m[4]])
		out.WriteString(quoteJSON(now))
		at = m[5]
	}
	if at == 0 {
		return fileEdit{}, report
	}
	out.Write(data[at:])
	return fileEdit{r.m.newPath(file), out.Bytes(), file}, report
}

// relinkText is the Markdown of a node of a canvas with its links as they must be.
func (r *relinker) relinkText(file, text string, report *LinkReport) string {
	var splices []folder.Splice
	for _, l := range pageLinks(&page{file: file, text: text}) {
		to, outcome := r.newTarget(file, writtenLink{l, text[l.Start:l.End]})
		report.add(reportOn(LinkOutcome{File: file, Link: text[l.Start:l.End], To: to, Outcome: outcome}))
		if to != "" {
			splices = append(splices, folder.Splice{Start: l.Start, End: l.End, New: to})
		}
	}
	return folder.TextAfter(text, splices)
}

// quoteJSON is a JSON string without escapes that no parser needs.
func quoteJSON(s string) string {
	var b strings.Builder
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(s); err != nil { // a string can always be written
		panic(err)
	}
	return strings.TrimSuffix(b.String(), "\n")
}
