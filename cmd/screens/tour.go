package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

var (
	darkPalette  = palette{foreground: "#d4d4d8", background: "#16161e"}
	lightPalette = palette{foreground: "#27272a", background: "#fafafa"}
)

// A scene is one screenshot: the keys are pressed, and when the screen shows the
// texts it is saved. A scene without a name is not saved, and one with a caption is a
// frame of the film.
type scene struct {
	name, title string
	caption     string
	before      func() error // nil: nothing
	keys        []string
	shows       []string
	palette     *palette // nil: dark
}

// takeScreens saves all screenshots in folder.
func takeScreens(ctx context.Context, exe, top, folder string) error {
	if err := takeFirstRunScreens(ctx, exe, filepath.Join(top, "new"), folder); err != nil {
		return fmt.Errorf("first run: %w", err)
	}
	if err := takeAgentScreens(ctx, exe, filepath.Join(top, "home"), folder); err != nil {
		return fmt.Errorf("agents at work: %w", err)
	}
	if err := takeFilm(ctx, exe, filepath.Join(top, "film"), folder); err != nil {
		return fmt.Errorf("film: %w", err)
	}
	return nil
}

// takeFirstRunScreens is a machine with notes and a client, where Lectern is not set up.
func takeFirstRunScreens(ctx context.Context, exe, home, folder string) error {
	env, err := createHome(home, "")
	if err != nil {
		return err
	}
	if err := writeHomeFiles(home, map[string]string{
		".cursor/mcp.json": "{\n  \"mcpServers\": {}\n}\n", "Notes/.obsidian/app.json": "{}\n",
	}); err != nil {
		return err
	}
	return playScenes(ctx, exe, home, env, folder, []scene{
		{name: "welcome", title: "The first start finds notes", shows: []string{"Welcome · 1 of 2", "Notes"}},
	})
}

// takeAgentScreens is a machine where agents read, write and wait for approval.
func takeAgentScreens(ctx context.Context, exe, home, folder string) (err error) {
	env, err := createHome(home, `
[[source]]
name = "notes"
kind = "markdown"
path = "~/Notes"
effects = ["read", "write"]

[[source]]
name = "wiki"
kind = "markdown"
path = "~/Wiki"
`)
	if err != nil {
		return err
	}
	reader, err := startAgent(ctx, exe, env, "an-agent")
	if err != nil {
		return err
	}
	defer reader.close()
	if err := makeCalls(reader); err != nil {
		return err
	}
	writer, err := startAgent(ctx, exe, env, "another-agent")
	if err != nil {
		return err
	}
	defer writer.close()
	if _, err := writer.send("tools/call", toolCallParams("write_page", map[string]any{
		"source": "wiki", "path": "Watering.md", "content": "# Watering\n\n- every morning\n- rain water first\n",
	})); err != nil {
		return err
	}
	return playScenes(ctx, exe, home, env, folder, []scene{
		{name: "overview", title: "Overview", shows: []string{"Overview", "wiki", "1 pending", "written"}},
		{name: "asked", title: "Approving a call", keys: []string{"!"}, shows: []string{"▲ 1 of 1", "rain water first", "\n y allow"}},
		{name: "sources", title: "Sources", keys: []string{"2"}, shows: []string{"location  "}},
		{
			name: "pages", title: "Pages of a source, as an agent sees them", keys: []string{"b", "Down"},
			shows: []string{"Greenhouse", "frame"},
		},
		{keys: []string{"Escape"}, shows: []string{"permissions"}},
		{name: "activity", title: "Activity", keys: []string{"3"}, shows: []string{"search_pages"}},
		{keys: []string{"4"}, shows: []string{"another-agent", "rain water first"}},
		{name: "changes", title: "What agents wrote", keys: []string{"Down"}, shows: []string{"+- tulips"}},
		{name: "clients", title: "Clients", keys: []string{"5"}, shows: []string{"Connected agents"}},
		{name: "tools", title: "Tools, as a client sees them", keys: []string{"6"}, shows: []string{"read_page"}},
		{name: "logs", title: "Logs", keys: []string{"7"}, shows: []string{"following"}},
		{name: "settings", title: "Settings", keys: []string{"9"}, shows: []string{"hub.port"}},
		{name: "doctor", title: "Doctor", keys: []string{"8"}, shows: []string{"─ Doctor ─", " ok ─"}},
		{name: "palette", title: "Every command", keys: []string{"C-p"}, shows: []string{"─ Commands ─"}},
		{keys: []string{"Escape"}, shows: []string{"copy the report", "q quit"}},
		{name: "help", title: "Every key", keys: []string{"?"}, shows: []string{"─ Keys ─"}},
		{keys: []string{"Escape"}, shows: []string{"copy the report", "q quit"}},
		{keys: []string{"1"}, shows: []string{"copy the snippet"}},
		{name: "overview-light", title: "Overview, on a light background", keys: []string{"C"}, shows: []string{"light"}, palette: &lightPalette},
	})
}

// stillFrameIndex is the frame of the film that says most: the agent asks.
const stillFrameIndex = 1

// takeFilm is the way of one question, one change and its undo.
func takeFilm(ctx context.Context, exe, home, folder string) error {
	env, err := createHome(home, "\n[[source]]\nname = \"notes\"\nkind = \"markdown\"\npath = \"~/Notes\"\n")
	if err != nil {
		return err
	}
	agent, err := startAgent(ctx, exe, env, "your-agent")
	if err != nil {
		return err
	}
	defer agent.close()
	look := func() error {
		if err := agent.requestAndWait("tools/call", toolCallParams("search_pages", map[string]any{"query": "glass"})); err != nil {
			return err
		}
		return agent.requestAndWait("tools/call", toolCallParams("read_page", map[string]any{"path": "Projects/Greenhouse.md"}))
	}
	write := func() error {
		text := strings.Replace(greenhousePage, "| ordered |", "| came on Monday |", 1)
		_, err := agent.send("tools/call", toolCallParams("write_page", map[string]any{"path": "Projects/Greenhouse.md", "content": text}))
		return err
	}
	return playScenes(ctx, exe, home, env, folder, []scene{
		{
			title: "reads", before: look, keys: []string{"3"}, shows: []string{"Activity", "read_page"},
			caption: "You: “Has the glass for the greenhouse come?” Your agent searches your notes, and you see what it reads.",
		},
		{
			title: "asks", before: write, keys: []string{"!"}, shows: []string{"came on Monday"},
			caption: "You: “Note that it came on Monday.” Before anything is written, you see exactly what.",
		},
		{
			title: "wrote", keys: []string{"y"}, shows: []string{"written: Projects/Greenhouse.md"},
			caption: "y: it is written, once, and remembered.",
		},
		{title: "selected", keys: []string{"Down"}, shows: []string{"came on Monday"}},
		{title: "undo", keys: []string{"u"}, shows: []string{"y yes  n no"}},
		{
			title: "undone", keys: []string{"y"}, shows: []string{"done: undo change"},
			caption: "u: and it is as it was, to the last byte.",
		},
	})
}

// makeCalls makes some calls of each kind.
func makeCalls(a *fakeAgent) error {
	for _, params := range []map[string]any{
		toolCallParams("list_pages", map[string]any{"source": "notes"}),
		toolCallParams("search_pages", map[string]any{"source": "notes", "query": "roses"}),
		toolCallParams("read_page", map[string]any{"source": "notes", "path": "Garden.md"}),
		toolCallParams("read_page", map[string]any{"source": "notes", "path": "Gone.md"}),
		toolCallParams("get_page_links", map[string]any{"source": "notes", "path": "Garden.md"}),
		toolCallParams("write_page", map[string]any{"source": "notes", "path": "Garden.md", "content": gardenPage + "- tulips\n"}),
		toolCallParams("read_page", map[string]any{"source": "wiki", "path": "Watering.md"}),
	} {
		if err := a.requestAndWait("tools/call", params); err != nil {
			return err
		}
	}
	return nil
}

const gardenPage = "# Garden\n\nWhat grows, and where. See [[Projects/Greenhouse]].\n\n- roses\n"

const greenhousePage = "---\ntags: [build]\n---\n\n# Greenhouse\n\n| part | state |\n| --- | --- |\n| frame | done |\n| glass | ordered |\n"

// createHome creates a home folder with notes and a configuration, which may be
// empty, and returns the environment for programs.
func createHome(home, conf string) (env []string, err error) {
	port, err := freePort()
	if err != nil {
		return nil, err
	}
	files := map[string]string{
		".config/lectern/config.toml":  fmt.Sprintf("[hub]\nport = %d\n%s", port, conf),
		"Wiki/Watering.md":             "# Watering\n\n- every morning\n",
		"Notes/Garden.md":              gardenPage,
		"Notes/Projects/Greenhouse.md": greenhousePage,
	}
	return []string{
		"HOME=" + home, "PATH=" + filepath.Join(filepath.Dir(home), "bin") + ":" + os.Getenv("PATH"),
		"LC_ALL=C.UTF-8", "TERM=xterm-256color", "SHELL=/bin/sh",
	}, writeHomeFiles(home, files)
}

func writeHomeFiles(top string, files map[string]string) error {
	for name, text := range files {
		file := filepath.Join(top, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
			return err
		}
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			return err
		}
	}
	return nil
}

func freePort() (int, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0") //nolint:noctx // it is closed at once
	if err != nil {
		return 0, err
	}
	return l.Addr().(*net.TCPAddr).Port, l.Close()
}

// playScenes starts the panel, plays the scenes, and stops panel and hub.
func playScenes(ctx context.Context, exe, home string, env []string, folder string, scenes []scene) (err error) {
	x, err := openTerminal(ctx, home, env, exe)
	if err != nil {
		return err
	}
	defer func() {
		x.close()
		stop := exec.CommandContext(context.WithoutCancel(ctx), exe, "hub", "stop")
		stop.Env = env
		if out, stopErr := stop.CombinedOutput(); stopErr != nil {
			err = errors.Join(err, fmt.Errorf("stop hub: %w: %s", stopErr, out))
		}
	}()
	var film []frame
	for _, s := range scenes {
		if err := x.playScene(ctx, s); err != nil {
			return fmt.Errorf("%s: %w", s.title, err)
		}
		if s.caption != "" {
			screen, err := x.capture(ctx, "-e")
			if err != nil {
				return fmt.Errorf("%s: %w", s.title, err)
			}
			film = append(film, frame{screen, s.caption})
		}
		if s.name == "" {
			continue
		}
		p := darkPalette
		if s.palette != nil {
			p = *s.palette
		}
		if err := x.saveSVG(ctx, folder, s.name, s.title, p); err != nil {
			return fmt.Errorf("%s: %w", s.title, err)
		}
	}
	if len(film) == 0 {
		return nil
	}
	text := drawFilm(film, stillFrameIndex, "An agent reads notes, asks before it writes, and what it wrote is undone", screenColumns,
		screenRows, darkPalette)
	return os.WriteFile(filepath.Join(folder, "film.svg"), []byte(text), 0o644) //nolint:gosec // a document, which git keeps
}

// playScene presses the keys of a scene and waits for its texts. If they do not
// appear, it presses the last key once more.
func (x terminal) playScene(ctx context.Context, s scene) error {
	if s.before != nil {
		if err := s.before(); err != nil {
			return err
		}
	}
	for _, key := range s.keys {
		if err := x.press(ctx, key); err != nil {
			return err
		}
	}
	if len(s.keys) > 0 && x.waitFor(ctx, retryAfter, s.shows) != nil {
		if err := x.press(ctx, s.keys[len(s.keys)-1]); err != nil {
			return err
		}
	}
	return x.waitFor(ctx, showTimeout, s.shows)
}
