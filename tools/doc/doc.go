// Package doc renders what people and agents read about the tools: SKILL.md
// and one page per System under docs/tools.
//
// It reads declarations and returns bytes. It does not write files: the tests
// at the root of the repository compare the bytes with the committed files and
// rewrite them with UPDATE=1, and the binary prints them. Start reading at
// [Skill]; its text is in skill.md.tmpl, and schemas become words in schema.go. It uses
// no text/template: with that in the binary the linker keeps every exported method,
// four megabytes of them.
package doc

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/lectern-mcp/lectern/tools"
)

//go:embed skill.md.tmpl
var skillText string

// Skill renders SKILL.md, an Agent Skill, for the Systems of this build and for
// what others declare that are no kind of knowledge base. Its version is that of
// [tools.SkillVersion].
func Skill(version string, systems []*tools.Manifest, others ...*tools.Manifest) ([]byte, error) {
	var declared, objects page
	for _, m := range slices.Concat(systems, others) {
		declared.skillSection(m)
		if err := objects.skillErrors(m); err != nil {
			return nil, err
		}
	}
	var codes page
	for _, c := range tools.Codes() {
		codes.add("| `%s` | %s | %s |\n", c, meaning(c), recovery(c))
	}
	var effects []string
	for _, e := range tools.Effects() {
		effects = append(effects, "`"+string(e)+"`")
	}
	none := ""
	if len(systems) == 0 {
		none = "This build cannot open any kind of knowledge base.\n"
	}
	description, err := quote("Read, search and edit the user's own knowledge bases through Lectern's MCP tools. Use it when the user " +
		"talks about their notes, pages, vault, wiki or knowledge base. Opens: " + joinTitles(systems) + ".")
	text := strings.NewReplacer(
		"{{version}}", version, "{{description}}", description, "{{none}}", none, "{{declared}}", declared.String(),
		"{{codes}}", codes.String()+objects.String(), "{{effects}}", strings.Join(effects, ", "),
	).Replace(skillText)
	return []byte(text), err
}

// Reference renders the page of one System.
func Reference(m *tools.Manifest) ([]byte, error) {
	var p page
	p.add("<!-- Generated from the declarations in tools/%s. To change it, change them and run: make update -->\n\n", m.Name)
	p.add("# %s (`%s`)\n\n%s\n", m.Title, m.Name, m.Doc)
	p.referenceConfig(m)
	p.referenceTools(m)
	p.referenceResources(m)
	p.referencePrompts(m)
	p.referenceRoutes(m)
	err := p.referenceErrors(m)
	return []byte(p.String()), err
}

// A page is Markdown that is being written.
type page struct{ strings.Builder }

// add appends a formatted part.
func (p *page) add(format string, args ...any) {
	_, _ = fmt.Fprintf(p, format, args...) // to memory
}

// documentedTools are those that some agent may see.
func documentedTools(m *tools.Manifest) []tools.ToolInfo {
	return slices.DeleteFunc(slices.Clone(m.Tools), func(t tools.ToolInfo) bool { return t.Unlisted })
}

// listedTools are those that agents see unless a source says otherwise.
func listedTools(m *tools.Manifest) []tools.ToolInfo {
	return slices.DeleteFunc(documentedTools(m), func(t tools.ToolInfo) bool { return t.OptIn })
}

// optInTools lists the others by name; empty: there are none.
func optInTools(m *tools.Manifest) string {
	var names []string
	for _, t := range documentedTools(m) {
		if t.OptIn {
			names = append(names, "`"+t.Name+"`")
		}
	}
	return strings.Join(names, ", ")
}

// summary is the first line of a declaration's text.
func summary(text string) string {
	first, _, _ := strings.Cut(text, "\n")
	return first
}

// details is the rest.
func details(text string) string {
	_, rest, _ := strings.Cut(text, "\n")
	return strings.TrimSpace(rest)
}

// quote makes a double-quoted YAML scalar; JSON's strings are such.
func quote(s string) (string, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	err := enc.Encode(s)
	return strings.TrimSpace(b.String()), err
}

// cell makes text fit a cell of a Markdown table.
func cell(s string) string {
	return strings.NewReplacer("|", `\|`, "\n", " ").Replace(s)
}

// joinTitles lists the Systems as a phrase: "Memos, Org files and Cards".
func joinTitles(systems []*tools.Manifest) string {
	var names []string
	for _, m := range systems {
		names = append(names, m.Title)
	}
	switch n := len(names); n {
	case 0:
		return "none yet"
	case 1:
		return names[0]
	default:
		return strings.Join(names[:n-1], ", ") + " and " + names[n-1]
	}
}

// errorCodes lists the error words of a tool as its System spells them: those that
// any tool may answer because it takes arguments or fails, and its own.
func errorCodes(m *tools.Manifest, t tools.ToolInfo) string {
	var words []string
	for _, c := range append([]tools.Code{tools.Invalid}, t.Errors...) {
		if w := m.ErrorCodes[c]; !slices.Contains(words, w) {
			words = append(words, w)
		}
	}
	return strings.Join(words, ", ")
}

// errorObject is the System's error object for a call that found nothing.
func errorObject(m *tools.Manifest) (string, error) {
	e := tools.Errorf(tools.NotFound, "one sentence that says what went wrong").WithHint("What to do next.")
	b, err := json.Marshal(m.ErrorFormat.Object(e))
	return string(b), err
}

// shortAnswer is an example's answer in one line, or nothing if it would be long or
// differs from call to call.
func shortAnswer(x tools.ExampleInfo) string {
	if x.AnyAnswer || len(x.Want) > 240 {
		return ""
	}
	return string(x.Want)
}

// meaning explains a code.
func meaning(c tools.Code) string {
	return map[tools.Code]string{
		tools.Invalid:     "An argument is wrong; the message names it.",
		tools.NotFound:    "What the arguments name does not exist.",
		tools.Conflict:    "It has changed since you read it, or already exists.",
		tools.Denied:      "The user has not granted this.",
		tools.Unavailable: "The other application, folder or capability is not available now.",
		tools.Limited:     "Too much at once.",
		tools.Timeout:     "The deadline passed, or the call was cancelled.",
		tools.Internal:    "An error in Lectern; its log has the reason.",
	}[c]
}

// recovery is what an agent should do about a code.
func recovery(c tools.Code) string {
	return map[tools.Code]string{
		tools.Invalid:     "Correct that argument and call again.",
		tools.NotFound:    "List or search first, then use a name from the answer.",
		tools.Conflict:    "Read again, merge, then write. Do not repeat the same call.",
		tools.Denied:      "Tell the user what you wanted to do. Do not look for a way around it.",
		tools.Unavailable: "Tell the user the hint. Try again later; reads are safe to repeat.",
		tools.Limited:     "Ask for less, or wait.",
		tools.Timeout:     "Ask for less. Of a write, `applied` says whether it happened: after false call again, after \"unknown\" look first.",
		tools.Internal:    "Tell the user to run `lectern logs`.",
	}[c]
}
