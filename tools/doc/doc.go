// Package doc renders what people and agents read about the tools: SKILL.md
// and one page per System under docs/tools.
//
// It reads declarations and returns bytes. It does not write files: the tests
// at the root of the repository compare the bytes with the committed files and
// rewrite them with UPDATE=1, and the binary prints them. Start reading at
// [Skill]; the text is in the .tmpl files beside this one, and
// schemas become words in schema.go.
package doc

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"text/template"

	"github.com/lectern-mcp/lectern/tools"
)

// SkillVersion is the semantic version of the contract that SKILL.md
// documents. A tool, an optional argument or a further field of an answer
// raises the minor number; a name, a required argument or the meaning of an
// answer that changes raises the major one. The server advertises it.
const SkillVersion = "2.1.0"

//go:embed skill.md.tmpl
var skillText string

//go:embed reference.md.tmpl
var referenceText string

// Skill renders SKILL.md, an Agent Skill, for the Systems of this build and for
// what others declare that are no kind of knowledge base.
func Skill(systems []*tools.Manifest, others ...*tools.Manifest) ([]byte, error) {
	return render("skill.md", skillText, struct {
		Version  string
		Systems  []*tools.Manifest
		Declared []*tools.Manifest
		Codes    []tools.Code
		Effects  []tools.Effect
	}{SkillVersion, systems, slices.Concat(systems, others), tools.Codes(), tools.Effects()})
}

// Reference renders the page of one System.
func Reference(m *tools.Manifest) ([]byte, error) { return render("reference.md", referenceText, m) }

func render(name, text string, data any) ([]byte, error) {
	t, err := template.New(name).Option("missingkey=error").Funcs(template.FuncMap{
		"answer":      shortAnswer,
		"arguments":   argumentList,
		"body":        routeBody,
		"callers":     routeCallers,
		"cell":        cell,
		"codes":       errorCodes,
		"details":     details,
		"documented":  documentedTools,
		"errorObject": errorObject,
		"listed":      listedTools,
		"meaning":     meaning,
		"methods":     routeMethods,
		"optIn":       optInTools,
		"quote":       quote,
		"recovery":    recovery,
		"rows":        schemaRows,
		"summary":     summary,
		"titles":      joinTitles,
	}).Parse(text)
	if err != nil {
		return nil, fmt.Errorf("parse %s: %w", name, err)
	}
	var b bytes.Buffer
	if err := t.Execute(&b, data); err != nil {
		return nil, fmt.Errorf("render %s: %w", name, err)
	}
	return b.Bytes(), nil
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
		tools.Timeout:     "Ask for less. Before you repeat a write, read to check whether it happened.",
		tools.Internal:    "Tell the user to run `lectern logs`.",
	}[c]
}
