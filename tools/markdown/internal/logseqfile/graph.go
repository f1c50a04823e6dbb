// Package logseqfile knows how Logseq keeps a graph in files: what its settings say
// about them, which page a file is, how a page's file is named, and which days
// journals are of. It follows what is known of Logseq 0.10.
//
// It opens nothing and resolves no links. Only tools/markdown imports it. Start
// reading at [Graph].
package logseqfile

import (
	"path"
	"strings"

	"golang.org/x/text/unicode/norm"
)

// A Graph is what the settings of a graph say about its files.
type Graph struct {
	TripleUnderscore bool     // names of files have ___ for / of titles; else they have %2F or a dot
	Pages            string   // the folder of new pages
	Journals         string   // the folder of new journals
	TitleFormat      string   // of the titles of journals, as in MMM do, yyyy
	NameFormat       string   // of the names of their files, as in yyyy_MM_dd
	JournalTemplate  string   // the name of the template of new journals; empty: they have none
	Later            bool     // a task that is open is LATER, and not TODO
	Hidden           []string // files and folders that Logseq leaves out: beginnings of their paths, without a slash in front
}

// Read reads the text of logseq/config.edn. What it does not say, or says in a form
// that cannot be read, is as Logseq has it without a setting.
func Read(config string) *Graph {
	g := &Graph{Pages: "pages", Journals: "journals", TitleFormat: "MMM do, yyyy", NameFormat: "yyyy_MM_dd"}
	settings := readSettings(config)
	for key, to := range map[string]*string{
		":date-formatter": &g.TitleFormat, ":pages-directory": &g.Pages, ":journals-directory": &g.Journals,
		":journal/file-name-format": &g.NameFormat,
	} {
		if text, ok := settings[key].(string); ok && text != "" {
			*to = text
		}
	}
	if text, ok := settings[":journal/page-title-format"].(string); ok && text != "" {
		g.TitleFormat = text
	}
	if templates, ok := settings[":default-templates"].([]any); ok {
		for i := 0; i+1 < len(templates); i += 2 {
			if name, ok := templates[i+1].(string); ok && templates[i] == any(symbol(":journals")) {
				g.JournalTemplate = name
			}
		}
	}
	g.Later = settings[":preferred-workflow"] == symbol(":now")
	g.TripleUnderscore = settings[":file/name-format"] == symbol(":triple-lowbar")
	g.Pages, g.Journals = path.Clean("/" + g.Pages)[1:], path.Clean("/" + g.Journals)[1:]
	if hidden, ok := settings[":hidden"].([]any); ok {
		for _, h := range hidden {
			if text, ok := h.(string); ok && strings.Trim(text, "/") != "" {
				g.Hidden = append(g.Hidden, strings.TrimPrefix(text, "/"))
			}
		}
	}
	return g
}

// PageTitle is the title that the name of a file gives to its page.
func (g *Graph) PageTitle(file string) string {
	if strings.HasPrefix(file, "pages/contents.") {
		return "Contents"
	}
	return g.Canonical(g.Decode(strings.TrimSuffix(path.Base(file), path.Ext(file))))
}

// FileName is the path of the file of a new page, without extension. Exact: the name
// alone says what the title is.
func (g *Graph) FileName(title string) (file string, exact bool) {
	if day, ok := g.Day(title); ok {
		if name, ok := formatDate(day, g.NameFormat); ok {
			if at, same := g.Day(name); same && at.Equal(day) {
				return path.Join(g.Journals, name), true
			}
		}
	}
	name := g.Encode(title)
	return path.Join(g.Pages, name), g.Decode(name) == title
}

// Canonical is the title of the page that a name calls: dates have several names, of
// which a journal has one as its title.
func (g *Graph) Canonical(name string) string {
	name = strings.TrimSuffix(strings.TrimPrefix(name, "/"), "/")
	if day, ok := g.Day(name); ok {
		if title, ok := formatDate(day, g.TitleFormat); ok {
			return title
		}
	}
	return name
}

// Decode is the title that the name of a file, without extension, stands for.
func (g *Graph) Decode(name string) string {
	name = norm.NFC.String(name)
	if !g.TripleUnderscore {
		return decodePercent(strings.ReplaceAll(name, ".", "/"), true)
	}
	var parts []string
	for part := range strings.SplitSeq(decodePercent(strings.ReplaceAll(name, "___", "/"), false), "/") {
		if part != "" {
			parts = append(parts, part)
		}
	}
	return strings.Join(parts, "/")
}

// Encode is the name of the file, without extension, of a page with this title.
func (g *Graph) Encode(title string) string {
	title = norm.NFC.String(strings.TrimSuffix(strings.TrimPrefix(title, "/"), "/"))
	if !g.TripleUnderscore {
		return encodeBytes(title, `#|%:*?"<>/`)
	}
	var b strings.Builder
	for i, r := range title {
		switch {
		case r == '%' && i+2 < len(title) && isHex(title[i+1]) && isHex(title[i+2]),
			r == '.' && i == 0, strings.ContainsRune(`:*?"<>|#\`, r):
			b.WriteString(encodeBytes(string(r), string(r)))
		default:
			b.WriteRune(r)
		}
	}
	name := b.String()
	if isDevice(name) || strings.HasSuffix(name, ".") {
		name += "/"
	}
	for _, from := range []string{"___", "_/", "/_"} { // which would be read as slashes
		name = strings.ReplaceAll(name, from, strings.ReplaceAll(from, "_", "%5F"))
	}
	return strings.ReplaceAll(name, "/", "___")
}

func isDevice(name string) bool {
	switch name {
	case "CON", "PRN", "AUX", "NUL":
		return true
	}
	return len(name) == 4 && (name[:3] == "COM" || name[:3] == "LPT") && name[3] >= '1' && name[3] <= '9'
}
