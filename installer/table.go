package installer

import "github.com/lectern-mcp/lectern/installer/internal/entry"

// The rows come from the clients' documentation and source, as of November 2026.
// table_test.go compares them with testdata/facts.tsv.

// The shapes that most clients share.
var (
	servers = []string{"mcpServers"}

	plainStdio = fields("command", "$BIN", "args", "$ARGS")
	typedStdio = fields("type", "stdio", "command", "$BIN", "args", "$ARGS")
	bearer     = entry.Field{Key: "headers", Value: fields("Authorization", "Bearer $TOKEN")}
	plainHTTP  = fields("url", "$URL", bearer)
	typedHTTP  = fields("type", "http", "url", "$URL", bearer)
)

// fields makes the fields of an entry from keys and values, and from whole fields.
func fields(parts ...any) entry.Fields {
	var list entry.Fields
	for i := 0; i < len(parts); i++ {
		if f, ok := parts[i].(entry.Field); ok {
			list = append(list, f)
			continue
		}
		list = append(list, entry.Field{Key: parts[i].(string), Value: parts[i+1]}) //nolint:forcetypeassert // every row is tested
		i++
	}
	return list
}

// TokenVariable is the environment variable from which clients get the token.
// The token itself is never written into their files.
const TokenVariable = "LECTERN_TOKEN"

const restartHint = "quit it completely and start it again"

// assistants are the most common clients.
func assistants() []Client {
	return []Client{
		{
			ID: "claude-code", Title: "Claude Code", format: entry.JSON, parents: servers,
			paths: everyOS("{CLAUDE_CONFIG_DIR|~}/.claude.json"), project: ".mcp.json",
			stdio: typedStdio, http: typedHTTP, tokenRef: "${" + TokenVariable + "}",
			program: "claude", prefersCommand: true,
			add: []string{"claude", "mcp", "add", "--scope", "user", "$NAME", "$ENV", "--", "$BIN", "$ARGS"},
			addHTTP: []string{
				"claude", "mcp", "add", "--scope", "user", "--transport", "http", "$NAME", "$URL", "--header",
				"Authorization: Bearer $TOKEN",
			},
			remove: []string{"claude", "mcp", "remove", "--scope", "user", "$NAME"},
			report: []string{"claude", "mcp", "get", "$NAME"},
			skills: []string{"{CLAUDE_CONFIG_DIR|~/.claude}/skills"},
		},
		{
			ID: "claude-desktop", Title: "Claude Desktop", format: entry.JSON, parents: servers,
			// The packaged application on Windows reads only its own folder.
			paths: alsoOn(alsoOn(byOS(xdg+"/Claude/claude_desktop_config.json", library+"/Claude/claude_desktop_config.json",
				local+"/Packages/Claude_*/LocalCache/Roaming/Claude/claude_desktop_config.json"),
				"windows", appData+"/Claude/claude_desktop_config.json"), "linux", xdg+"/claude/claude_desktop_config.json"),
			stdio: plainStdio, nextStep: restartHint,
		},
		{
			ID: "codex", Title: "Codex", format: entry.TOML, parents: []string{"mcp_servers"},
			paths: everyOS("{CODEX_HOME|~/.codex}/config.toml"), project: ".codex/config.toml",
			stdio: plainStdio, program: "codex",
			// It refuses a literal token.
			http:     fields("url", "$URL", "bearer_token_env_var", TokenVariable),
			tokenRef: TokenVariable,
			add:      []string{"codex", "mcp", "add", "$NAME", "$ENV", "--", "$BIN", "$ARGS"},
			addHTTP:  []string{"codex", "mcp", "add", "$NAME", "--url", "$URL", "--bearer-token-env-var", TokenVariable},
			remove:   []string{"codex", "mcp", "remove", "$NAME"},
			report:   []string{"codex", "mcp", "get", "$NAME"},
			skills:   []string{"{CODEX_HOME|~/.codex}/skills"},
		},
		{
			ID: "gemini-cli", Title: "Gemini CLI", format: entry.JSON, parents: servers,
			paths: everyOS("~/.gemini/settings.json"), project: ".gemini/settings.json",
			stdio: plainStdio, program: "gemini", tokenRef: "${" + TokenVariable + "}",
			http:    fields("httpUrl", "$URL", bearer),
			add:     []string{"gemini", "mcp", "add", "--scope", "user", "$NAME", "$BIN", "$ARGS", "$ENV"},
			addHTTP: []string{"gemini", "mcp", "add", "--scope", "user", "--transport", "http", "$NAME", "$URL"},
			remove:  []string{"gemini", "mcp", "remove", "--scope", "user", "$NAME"},
			report:  []string{"gemini", "mcp", "list"}, trusted: "~/.gemini/trustedFolders.json",
			skills: []string{"~/.gemini/skills"},
		},
		{
			ID: "copilot-cli", Title: "GitHub Copilot CLI", format: entry.JSON, parents: servers,
			paths: everyOS("{XDG_CONFIG_HOME|~/.copilot}/mcp-config.json"), project: ".mcp.json",
			stdio:   append(typedStdio[:3:3], entry.Field{Key: "tools", Value: []string{"*"}}),
			http:    append(typedHTTP[:3:3], entry.Field{Key: "tools", Value: []string{"*"}}),
			program: "copilot", skills: []string{"~/.copilot/skills"},
		},
	}
}

// editors are editors with an agent inside.
func editors() []Client {
	return []Client{
		{
			ID: "vscode", Title: "VS Code", format: entry.JSON, parents: []string{"servers"},
			paths:   byOS(xdg+"/Code/User/mcp.json", library+"/Code/User/mcp.json", appData+"/Code/User/mcp.json"),
			project: ".vscode/mcp.json", stdio: typedStdio, http: typedHTTP,
			program: "code", add: []string{"code", "--add-mcp", "$JSON"}, prefersCommand: true,
			link: "vscode:mcp/install?$JSON",
		},
		{
			ID: "cursor", Title: "Cursor", format: entry.JSON, parents: servers,
			paths: everyOS("~/.cursor/mcp.json"), project: ".cursor/mcp.json",
			stdio: plainStdio, http: plainHTTP, tokenRef: "${env:" + TokenVariable + "}", program: "cursor",
			link:   "cursor://anysphere.cursor-deeplink/mcp/install?name=$NAME&config=$CONFIG",
			skills: []string{"~/.cursor/skills"},
		},
		{
			ID: "windsurf", Title: "Windsurf", format: entry.JSON, parents: servers,
			paths: everyOS("~/.codeium/windsurf/mcp_config.json"), stdio: plainStdio,
			http: fields("serverUrl", "$URL", bearer), program: "windsurf",
			skills: []string{"~/.codeium/windsurf/skills"},
		},
		{
			ID: "zed", Title: "Zed", format: entry.JSON, parents: []string{"context_servers"},
			paths: alsoOn(byOS(xdg+"/zed/settings.json", "~/.config/zed/settings.json", appData+"/Zed/settings.json"),
				"darwin", library+"/Zed/settings.json"),
			project: ".zed/settings.json", http: plainHTTP, program: "zed",
			stdio: append(fields("source", "custom"), plainStdio...),
		},
		{
			ID: "cline", Title: "Cline", format: entry.JSON, parents: servers,
			paths: byOS(xdg+"/Code/User/globalStorage/saoudrizwan.claude-dev/settings/cline_mcp_settings.json",
				library+"/Code/User/globalStorage/saoudrizwan.claude-dev/settings/cline_mcp_settings.json",
				appData+"/Code/User/globalStorage/saoudrizwan.claude-dev/settings/cline_mcp_settings.json"),
			stdio: append(plainStdio[:2:2], entry.Field{Key: "disabled", Value: false}),
			// Any other spelling of the type means a transport that no longer exists.
			http:   fields("type", "streamableHttp", "url", "$URL", bearer, "disabled", false),
			skills: []string{"~/.agents/skills"},
		},
		{
			ID: "continue", Title: "Continue", format: entry.YAML, parents: servers, list: true,
			paths:  everyOS("~/.continue/config.yaml"),
			stdio:  append(fields("name", "$NAME"), typedStdio...),
			http:   fields("name", "$NAME", "type", "streamable-http", "url", "$URL", "requestOptions", fields(bearer)),
			skills: []string{"~/.continue/skills"},
		},
		{
			ID: "kiro", Title: "Kiro", format: entry.JSON, parents: servers,
			paths: everyOS("~/.kiro/settings/mcp.json"), project: ".kiro/settings/mcp.json",
			stdio: append(plainStdio[:2:2], entry.Field{Key: "disabled", Value: false}, entry.Field{Key: "autoApprove", Value: []string{}}),
			http:  plainHTTP, tokenRef: "${" + TokenVariable + "}", program: "kiro", skills: []string{"~/.kiro/skills"},
		},
		{
			ID: "trae", Title: "Trae", format: entry.JSON, parents: servers,
			paths: byOS(xdg+"/Trae/User/mcp.json", library+"/Trae/User/mcp.json", appData+"/Trae/User/mcp.json"),
			stdio: plainStdio, http: plainHTTP, skills: []string{"~/.trae/skills"},
		},
		{
			ID: "antigravity", Title: "Antigravity", format: entry.JSON, parents: servers,
			paths: everyOS("~/.gemini/config/mcp_config.json", "~/.gemini/antigravity/mcp_config.json"),
			stdio: plainStdio, http: fields("serverUrl", "$URL", bearer),
			skills: []string{"~/.gemini/antigravity/skills"},
		},
		{
			ID: "qoder", Title: "Qoder", format: entry.JSON, parents: servers,
			paths: byOS("~/.qoder/mcp.json", "~/.qoder/mcp.json", appData+"/Qoder/SharedClientCache/mcp.json"),
			stdio: plainStdio, http: typedHTTP, skills: []string{"~/.qoder/skills"},
		},
		{
			ID: "junie", Title: "JetBrains Junie", format: entry.JSON, parents: servers,
			paths: everyOS("~/.junie/mcp/mcp.json"), project: ".junie/mcp/mcp.json",
			stdio: plainStdio, skills: []string{"~/.junie/skills"},
		},
		{
			ID: "jetbrains-ai-assistant", Title: "JetBrains AI Assistant", format: entry.JSON, parents: servers,
			pasteHint: "Settings | Tools | AI Assistant | Model Context Protocol (MCP)", stdio: plainStdio, http: plainHTTP,
		},
		{
			ID: "jetbrains-air", Title: "JetBrains Air", format: entry.JSON, parents: servers,
			pasteHint: "Settings > AI > MCP Servers", project: ".air/mcp.json", stdio: plainStdio, http: typedHTTP,
		},
		{
			ID: "copilot-jetbrains-eclipse-xcode", Title: "GitHub Copilot in JetBrains, Eclipse and Xcode",
			format: entry.JSON, parents: []string{"servers"}, pasteHint: "Copilot settings > Model Context Protocol > Configure", stdio: typedStdio,
			http: fields("url", "$URL", "requestInit", fields(bearer)),
		},
	}
}
