package main

import (
	"encoding/base64"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// onePixel is a PNG.
const onePixel = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="

// taskVault is an Obsidian vault of somebody's work, by path: 37 pages, two files, and
// settings.
func taskVault() map[string]string {
	v := map[string]string{
		".obsidian/app.json":         `{"attachmentFolderPath":"Files"}`,
		".obsidian/daily-notes.json": `{"folder":"Daily","format":"YYYY-MM-DD","template":"Templates/Daily"}`,
		"Home.md":                    "# Home\n\n- [[Aurora]]\n- [[Launch checklist]]\n- [[Launch ideas]]\n- [plan](Notes/Suppliers.md)\n",
		"Templates/Daily.md":         "# {{date}}\n\n## Plan\n\n## Log\n",
		"Projects/Aurora.md":         auroraPage(),
		"Projects/Borealis.md":       "---\nstatus: active\ntags: [project, planning]\n---\n\n# Borealis\n\nFollows [[Aurora|the first one]].\n\n- [ ] Ask for offers\n- [x] Sign the lease\n",
		"Projects/Cumulus.md":        "---\nstatus: active\ntags:\n  - project\n  - planning\n---\n\n# Cumulus\n\nSee [the log](Aurora.md#Log).\n\n- [ ] Book the hall\n",
		"Projects/Dune.md":           "---\nstatus: done\ntags: [project, planning]\n---\n\n# Dune\n\nFinished before Aurora began.\n\n- [x] Archive the files\n",
		"Projects/Ember.md":          "---\nstatus: paused\ntags: [project, planning]\n---\n\n# Ember\n\n![[plan.png]]\n\n- [ ] Find a sponsor\n",
		"Notes/Launch checklist.md":  "# Launch checklist\n\n#planning\n\n- [ ] Write the press text\n- [ ] Order stickers\n",
		"Notes/Launch ideas.md":      "# Launch ideas\n\n#planning A film, a fair, an open door.\n",
		"Notes/Suppliers.md":         "# Suppliers\n\n#planning/suppliers\n\nPrinter: Ott & Sons. See [[Launch ideas]] and [[Printer contract]].\n",
		"Notes/Lonely.md":            "# Lonely\n\nNobody links here.\n",
		"Files/budget.csv":           "item,cost\nhall,900\n",
	}
	png, err := base64.StdEncoding.DecodeString(onePixel)
	if err != nil {
		panic(err)
	}
	v["Files/plan.png"] = string(png)
	for i, who := range []string{"Ada", "Ben", "Cleo", "Dora"} {
		v["People/"+who+".md"] = fmt.Sprintf("---\ntags: [people]\n---\n\n# %s\n\nWorks on [[%s]].\n\nLikes #planning.\n", who, []string{"Aurora", "Borealis"}[i%2])
	}
	for i, day := range []string{"16", "17", "18", "19", "20"} {
		v["Daily/2026-11-"+day+".md"] = fmt.Sprintf("---\ntags: [daily, planning]\n---\n\n# 2026-11-%s\n\n## Plan\n\n- [ ] Errand %d\n\n## Log\n\n- Arrived at nine.\n- Wrote to %s.\n", day, i+1, []string{"[[Ada]]", "[[Ben]]"}[i%2])
	}
	for i, about := range []string{"Kickoff", "Hiring", "Venue", "Design", "Roadmap", "Support", "Budget", "Pricing", "Press"} {
		text := fmt.Sprintf("---\ntags: [meeting, planning]\n---\n\n# %s\n\nPresent: [[Ada]], [[Cleo]].\n\nWe talked about %s and about the pricing of others.\n\n- [ ] Minutes of %s\n", about, strings.ToLower(about), about)
		if about == "Pricing" {
			text += "\n## Decision\n\nPricing decision of October: 12 EUR a seat, billed by the month.\n"
		}
		v[fmt.Sprintf("Meetings/2026-%02d-07 %s.md", 3+i, about)] = text
	}
	for i := range 9 {
		v[fmt.Sprintf("Notes/Reading %d.md", i+1)] = fmt.Sprintf("# Reading %d\n\n#planning #reading\n\nChapter %d of the book on launches. Back to [[Home]] and [[Reading %d]].\n", i+1, i+1, (i+1)%9+1)
	}
	return v
}

// auroraPage is a page of about 10 KB.
func auroraPage() string {
	var b strings.Builder
	b.WriteString("---\nstatus: active\ntags: [project, planning]\nowner: \"[[Ada]]\"\n---\n\n# Aurora\n\nThe first product.\n\n## Goals\n\n")
	for i := range 8 {
		fmt.Fprintf(&b, "%d. A goal that is written out at some length, so that a reader knows what is meant by goal %d.\n", i+1, i+1)
	}
	b.WriteString("\n## Plan\n\n")
	for i := range 6 {
		fmt.Fprintf(&b, "Week %d: prepare step %d, talk with the people who have to know, and write down what came out.\n", i+1, i+1)
	}
	b.WriteString("\n## Tasks\n\n")
	for i := range 40 {
		fmt.Fprintf(&b, "- [%s] Step %d of the preparation\n", []string{" ", "x"}[i%2], i+1)
	}
	b.WriteString("\n## Decisions\n\n- The name is Aurora.\n\n## Log\n\n- 2026-09-01: began.\n\n## Background\n\n")
	for i := range 60 {
		fmt.Fprintf(&b, "Paragraph %d of the background explains where this comes from and what was tried before it.\n\n", i+1)
	}
	return b.String()
}

// modifiedThisWeek are the pages that were modified lately; the others are old.
func modifiedThisWeek() []string {
	return []string{"Daily/2026-11-17.md", "Daily/2026-11-18.md", "Daily/2026-11-19.md", "Daily/2026-11-20.md", "Notes/Suppliers.md", "Projects/Borealis.md"}
}

// resetVault gives a folder the files of the vault and no others, but for what servers
// keep in folders that begin with a dot.
func resetVault(t *testing.T, dir string) {
	t.Helper()
	want := taskVault()
	err := filepath.WalkDir(dir, func(file string, d fs.DirEntry, err error) error {
		rel, _ := filepath.Rel(dir, file)
		switch {
		case err != nil || rel == ".":
			return err
		case d.IsDir() && strings.HasPrefix(d.Name(), "."):
			return fs.SkipDir
		case d.IsDir():
			return nil
		}
		if _, wanted := want[filepath.ToSlash(rel)]; !wanted {
			return os.Remove(file)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	recent, now := modifiedThisWeek(), time.Now()
	for name, text := range want {
		file := filepath.Join(dir, filepath.FromSlash(name))
		if old, err := os.ReadFile(file); err != nil || string(old) != text {
			if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		modified := now.AddDate(0, 0, -40)
		if slices.Contains(recent, name) {
			modified = now.Add(-20 * time.Hour)
		}
		if err := os.Chtimes(file, modified, modified); err != nil {
			t.Fatal(err)
		}
	}
	for _, folder := range []string{"Reference", "Notes/Launch ideas", "Notes/Launch checklist"} {
		_ = os.RemoveAll(filepath.Join(dir, folder))
	}
}
