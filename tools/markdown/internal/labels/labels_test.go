package labels

import (
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/lectern-mcp/lectern/internal/runtest"
	"github.com/lectern-mcp/lectern/tools"
	"github.com/lectern-mcp/lectern/tools/markdown/internal/frontmatter"
	"github.com/lectern-mcp/lectern/tools/markdown/internal/links"
)

// inUTF16 is text as Windows writes it.
func inUTF16(text string, mark bool) string {
	var b strings.Builder
	if mark {
		b.WriteString("\xff\xfe")
	}
	for _, u := range utf16.Encode([]rune(text)) {
		b.WriteByte(byte(u))
		b.WriteByte(byte(u >> 8))
	}
	return b.String()
}

// spellings are texts that some program takes for a page with the tag secret, or with
// the property private.
func spellings() (tagged, private []string) {
	tagged = []string{
		"#secret", "text #secret text", "(#secret)", "#secret.", "#secret, and", "#Secret", "#SECRET", "#secret/plans", "_#secret_", "*#secret*", "**#secret**",
		"==#secret==", "~~#secret~~", "\"#secret\"", "#secret: text", "a\n\t- #secret", "> #secret", "| #secret |", "`#secret`", "```\n#secret\n```", "<!-- #secret -->",
		"%% #secret %%", "$#secret$", "word#secret", "##secret", "#todo#secret", "#[[secret]]", "#[[ secret ]]", "#[[Secret]]", "# Title\r\r#secret\r", "a\r\n#secret\r\n", "a\u2028#secret",
		"#secret\u200b", "\ufeff#secret", "#secret🔒", "&#secret", "[[Page]]#secret",
		"---\ntags: secret\n---\n", "---\ntags: [secret]\n---\n", "---\ntags:\n- secret\n---\n", "---\ntags:\n  - secret\n---\n", "---\nTags: [secret]\n---\n", "---\nTAGS: secret\n---\n",
		"---\nTag: secret\n---\n", "---\ntag: secret\n---\n", "---\n\"tags\": secret\n---\n", "---\n'tags': ['secret']\n---\n", "---\ntags: \"#secret\"\n---\n", "---\ntags: a, secret\n---\n",
		"---\ntags: a secret\n---\n", "---\ntags: a; secret\n---\n", "---\ntags: \"[[secret]]\"\n---\n", "---\ntags: [[secret]]\n---\n", "---\ntags: [[a, [secret]]]\n---\n", "---\ntags: {secret: true}\n---\n",
		"---\ntags: [{name: secret}]\n---\n", "---\ntags: a\ntags: secret\n---\n", "---\ntags: secret\ntags: a\n---\n", "---\ntags: [a]\nTags: [secret]\n---\n", "---\nbase: &b {tags: secret}\n<<: *b\n---\n",
		"---\nx: &t [secret]\ntags: *t\n---\n", "---\n? tags\n: secret\n---\n", "---\n? [tags, x]\n: secret\n---\n", "---\n{tags: secret}\n---\n", "---\n{\"tags\": [\"secret\"]}\n---\n", "---\ntags: |\n  secret\n---\n",
		"---\ntags: >-\n  a,\n  secret\n---\n", "---\nmeta:\n  tags: secret\n---\n", "---\ntags: !!str secret\n---\n", "--- \ntags: secret\n---\n", "---\ntags: secret\n--- \n", "---\ntags: secret\n...\n",
		"---\r\ntags: secret\r\n---\r\n", "---\rtags: secret\r---\r", "\ufeff---\ntags: secret\n---\n", "\n\n---\ntags: secret\n---\n", " ---\ntags: secret\n---\n", "---\ntags : secret\n---\n",
		"---\n# comment\ntags: secret # why\n---\n", "---\ntags: secret/plans\n---\n", "---\n!!map {tags: secret}\n---\n", "---\ntags:\n  1: secret\n---\n",
		"+++\ntags = [\"secret\"]\n+++\n", "+++\r\n[taxonomies]\r\nTags = [\"a\", \"secret\"]\r\n+++\r\n", "+++\n[[params.of]]\ntag = 'secret'\n+++\n",
		"tags:: secret", "tags:: [[secret]]", "tags:: #secret", "tags:: a, secret", "tags:: a, [[two words]], [[secret]]", "Tags:: secret", "TAG:: secret", "- tags:: secret", "\t- tags:: secret", "  tags:: secret",
		"* tags:: secret", "> tags:: secret", "text [tags:: secret] text", "text (tags:: secret) text", "**tags**:: secret", "tags::secret", "title:: x\ntags:: secret\n", "- [ ] task [tags:: secret]", "# tags:: secret",
		":PROPERTIES:\n:tags: secret\n:END:\n", ":properties:\n:Tags: a secret\n:end:\n", "```\ntags:: secret\n```", "text tags:: secret", "(a:: b) (tags:: secret)",
	}
	private = []string{
		"+++\nprivate = true\n+++\n",
		"---\nprivate: true\n---\n", "---\nPrivate: true\n---\n", "---\nPRIVATE: TRUE\n---\n", "---\nprivate: yes\n---\n", "---\nprivate: on\n---\n", "---\nprivate: Yes\n---\n", "---\nprivate: y\n---\n", "---\nprivate: 1\n---\n",
		"---\nprivate: \"true\"\n---\n", "---\nprivate: 'Yes'\n---\n", "---\nprivate: !!bool true\n---\n", "---\nprivate: [true]\n---\n", "---\nprivate: [false, true]\n---\n", "---\nprivate: {a: true}\n---\n",
		"---\nprivate: false\nprivate: true\n---\n", "---\nprivate: true\nprivate: false\n---\n", "---\nb: &b {private: true}\n<<: *b\n---\n", "---\n<<: [{private: true}]\n---\n", "---\nnested: {private: true}\n---\n",
		"--- \nprivate: true\n---\n", "---\nprivate: true # yes\n---\n", "---\rprivate: true\r---\r", "\ufeff---\nprivate: true\n---\n", "---\n\"private\": true\n---\n", "---\nprivate : true\n---\n",
		"private:: true", "Private:: yes", "- private:: true", "text [private:: true]", "text (private:: true) text", "**private**:: true", "private::true", "a\r\rprivate:: true\r", ":PROPERTIES:\n:private: true\n:END:\n",
	}
	return tagged, private
}

// unreadable pages hold something that somebody may have hidden.
func unreadable() []string {
	return []string{
		inUTF16("#secret", true), inUTF16("#secret", false), inUTF16("---\nprivate: true\n---\n", true), "caf\xe9 #secret", "\x00", "---\ntags: [secret\n---\n", "---\ntags: secret\n", "---\ntags: secret", "--- \nprivate: true\n",
		"---\n- tags: secret\n---\n", "---\ntags:\n\tsecret: 1\n---\n", "---\n" + strings.Repeat("a: 1\n", 99_999) + "---\n", "---\na: &a [*a]\n---\n", "---\na: " + strings.Repeat("[", 500) + "\n---\n",
		strings.Repeat("a::", 1<<17),
	}
}

func TestSpellings(t *testing.T) {
	tagged, private := spellings()
	judge := func(rule, text string) (hidden, ok bool) {
		parsed, err := tools.ParsePrivacyRule(rule)
		if err != nil {
			t.Fatal(err)
		}
		l, ok := Read([]byte(text))
		return hides(parsed, l), ok
	}
	for _, text := range tagged {
		for _, rule := range []string{"#secret", "tag:SECRET", "#[[secret]]"} {
			if hidden, ok := judge(rule, text); !hidden || !ok {
				t.Errorf("%q is not tagged secret", text)
			}
		}
	}
	for _, text := range private {
		for _, rule := range []string{"property:private", "property:private=true", "property:Private=yes"} {
			if hidden, ok := judge(rule, text); !hidden || !ok {
				t.Errorf("%q is not private by %s", text, rule)
			}
		}
	}
	for _, text := range unreadable() {
		if _, ok := Read([]byte(text)); ok {
			t.Errorf("%.40q is read", text)
		}
	}
	if hidden, _ := judge("property:due-date", "Due Date:: today"); !hidden {
		t.Error("a name that Dataview changes is not found")
	}
	for _, text := range []string{
		"", "secret", "# secret", "[[secret]]", "[a](b.md#secret)", "[[Page#secret]]", "https://x.org/p#secret", "#secretary", "---\ntitle: secret\n---\n", "private: true", "a: b\nprivate\n", "---\nprivate: false\n---\n", "private:: no", "tags: secret",
		"---\n---\nprivate", "std::vector<secret> x; // private",
	} {
		tag, ok1 := judge("#secret", text)
		property, ok2 := judge("property:private=true", text)
		if tag || property || !ok1 || !ok2 {
			t.Errorf("%q is hidden: %v %v %v %v", text, tag, property, ok1, ok2)
		}
	}
}

// FuzzRead: nothing makes the reader panic or take long, and what tools show as a
// tag or property is one for privacy rules too.
func FuzzRead(f *testing.F) {
	tagged, private := spellings()
	for _, text := range slices.Concat(tagged, private, unreadable()) {
		f.Add(text)
	}
	f.Add(strings.Repeat("[[#", 5000))
	f.Add(strings.Repeat("#[[", 5000))
	f.Add(strings.Repeat("[(a:: ", 5000))
	f.Fuzz(func(t *testing.T, text string) {
		began := time.Now()
		l, ok := Read([]byte(text))
		if took := time.Since(began); took > runtest.Timeout+time.Duration(len(text))*20*time.Microsecond {
			t.Errorf("%d bytes took %s", len(text), took)
		}
		if !ok || !utf8.ValidString(text) {
			return
		}
		text = strings.ReplaceAll(strings.TrimPrefix(text, "\ufeff"), "\r\n", "\n")
		block, body, _ := frontmatter.Split(text)
		fields, err := frontmatter.Parse(block)
		if err != nil {
			t.Fatalf("%q: tools show an error, %v", text, err)
		}
		shown := links.Tags(text, body)
		for name, value := range fields.Values {
			texts := []string{""}
			if _, nested := value.([]any); !nested || !slices.ContainsFunc(value.([]any), isNested) {
				texts = append(texts, fields.Texts(name)...)
			}
			if name == "tags" || name == "tag" {
				shown = append(shown, texts[1:]...)
			}
			for _, text := range texts {
				if rule := (tools.PrivacyRule{Property: strings.TrimSpace(name), Value: strings.TrimSpace(text)}); rule.Property != "" && !hides(rule, l) {
					t.Errorf("%q: shown with %+v, read with %q", text, rule, l.Properties)
				}
			}
		}
		for _, tag := range shown {
			if rule := (tools.PrivacyRule{Tag: strings.Trim(tag, " /#")}); rule.Tag != "" && !hides(rule, l) {
				t.Errorf("%q: shown with the tag %q, read with %q", text, tag, l.Tags)
			}
		}
	})
}

func hides(rule tools.PrivacyRule, l Labels) bool {
	return tools.Privacy{Exclude: []tools.PrivacyRule{rule}}.Hides(tools.Page{Tags: l.Tags, Properties: l.Properties})
}

// isNested reports whether a value is a list or map, which has no text of its own.
func isNested(value any) bool {
	switch value.(type) {
	case []any, map[string]any:
		return true
	}
	return false
}
