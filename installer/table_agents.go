package installer

import "github.com/lectern-mcp/lectern/installer/internal/entry"

// agents are mostly programs for the terminal.
func agents() []Client {
	return []Client{
		{
			ID: "opencode", Title: "opencode", format: entry.JSON, parents: []string{"mcp"},
			paths: everyOS(xdg+"/opencode/opencode.jsonc", xdg+"/opencode/opencode.json"), project: "opencode.json",
			envKey: "environment", stdio: localStdio, http: remoteHTTP, tokenRef: "{env:" + TokenVariable + "}", program: "opencode",
			newLayout: &entryLayout{parents: []string{"mcp", "servers"}, stdio: localStdio[:2:2], http: remoteHTTP[:3:3]},
			report:    []string{"opencode", "mcp", "list"}, skills: []string{xdg + "/opencode/skills"},
		},
		{
			ID: "goose", Title: "Goose", format: entry.YAML, parents: []string{"extensions"},
			paths: byOS(xdg+"/goose/config.yaml", "~/.config/goose/config.yaml", appData+"/Block/goose/config/config.yaml"),
			stdio: fields("name", "$NAME", "type", "stdio", "cmd", "$BIN", "args", "$ARGS", "envs", entry.Fields{}, "env_keys", []string{},
				"enabled", true, "timeout", 300, "description", "Knowledge bases", "bundled", nil),
			http: fields("name", "$NAME", "type", "streamable_http", "uri", "$URL", bearer,
				"enabled", true, "timeout", 300, "description", "Knowledge bases"),
			envKey: "envs", program: "goose", link: "goose://extension?cmd=$BIN&$ARGS&id=$NAME&name=$NAME&description=Knowledge%20bases",
			skills: []string{xdg + "/goose/skills"},
		},
		{
			ID: "lm-studio", Title: "LM Studio", format: entry.JSON, parents: servers,
			paths: everyOS("~/.lmstudio/mcp.json", "~/.cache/lm-studio/mcp.json"), stdio: plainStdio, http: plainHTTP,
			program: "lms", link: "lmstudio://add_mcp?name=$NAME&config=$CONFIG",
		},
		{
			ID: "warp", Title: "Warp", format: entry.JSON, parents: servers,
			paths: everyOS("~/.warp/.mcp.json"), project: ".warp/.mcp.json", stdio: plainStdio, http: plainHTTP,
		},
		{
			ID: "crush", Title: "Crush", format: entry.JSON, parents: []string{"mcp"},
			paths: everyOS("~/.config/crush/crush.json"), project: ".crush.json",
			stdio: typedStdio, http: typedHTTP, tokenRef: "$" + TokenVariable, program: "crush", // values are expanded as a shell does
			skills: []string{"~/.config/crush/skills"},
		},
		{
			ID: "amp", Title: "Amp", format: entry.JSON, parents: []string{"amp.mcpServers"},
			paths: byOS(xdg+"/amp/settings.json", "~/.config/amp/settings.json", appData+"/amp/settings.json"),
			stdio: plainStdio, http: plainHTTP, program: "amp", skills: []string{xdg + "/agents/skills"},
		},
		{
			ID: "qwen-code", Title: "Qwen Code", format: entry.JSON, parents: servers,
			paths: everyOS("~/.qwen/settings.json"), stdio: plainStdio,
			http: fields("httpUrl", "$URL", bearer), program: "qwen", skills: []string{"~/.qwen/skills"},
		},
		{
			ID: "kimi-code", Title: "Kimi Code", format: entry.JSON, parents: servers,
			paths: everyOS("{KIMI_CODE_HOME|~/.kimi-code}/mcp.json", "~/.kimi/mcp.json"), project: ".kimi-code/mcp.json",
			stdio: append(fields("transport", "stdio"), plainStdio...),
			http:  append(fields("transport", "http"), plainHTTP...), program: "kimi", skills: []string{"~/.agents/skills"},
		},
		{
			ID: "kilo-code", Title: "Kilo Code", format: entry.JSON, parents: []string{"mcp"},
			paths: everyOS(xdg+"/kilo/kilo.jsonc", xdg+"/kilo/kilo.json"), project: ".kilo/kilo.jsonc",
			envKey: "environment", stdio: localStdio, http: remoteHTTP, program: "kilo", skills: []string{"~/.kilo/skills"},
		},
		{
			ID: "grok-build", Title: "Grok Build", format: entry.TOML, parents: []string{"mcp_servers"},
			paths: everyOS("{GROK_HOME|~/.grok}/config.toml"), project: ".grok/config.toml",
			stdio: plainStdio, http: plainHTTP, program: "grok", skills: []string{"{GROK_HOME|~/.grok}/skills"},
		},
		{
			ID: "factory-droid", Title: "Factory Droid", format: entry.JSON, parents: servers,
			paths: everyOS("~/.factory/mcp.json"), project: ".factory/mcp.json", stdio: typedStdio, http: typedHTTP,
			program: "droid", skills: []string{"~/.factory/skills"},
		},
		{
			ID: "mistral-vibe", Title: "Mistral Vibe", format: entry.TOML, parents: []string{"mcp_servers"}, list: true,
			paths:   everyOS("{VIBE_HOME|~/.vibe}/config.toml"),
			stdio:   append(fields("name", "$NAME", "transport", "stdio"), plainStdio...),
			http:    fields("name", "$NAME", "transport", "streamable-http", "url", "$URL", bearer),
			program: "vibe", skills: []string{"{VIBE_HOME|~/.vibe}/skills"},
		},
		{
			ID: "pi", Title: "Pi", format: entry.JSON, parents: servers,
			paths: everyOS("{PI_CODING_AGENT_DIR|~/.pi/agent}/mcp.json"), project: ".pi/mcp.json", stdio: plainStdio, http: plainHTTP,
			program: "pi", skills: []string{"{PI_CODING_AGENT_DIR|~/.pi/agent}/skills"},
		},
		{
			ID: "mcporter", Title: "MCPorter", format: entry.JSON, parents: servers,
			paths: everyOS("~/.mcporter/mcporter.json", "~/.mcporter/mcporter.jsonc"), project: "config/mcporter.json",
			stdio: plainStdio, http: typedHTTP, program: "mcporter",
		},
	}
}

// others are clients whose configuration we cannot edit, and retired ones.
func others() []Client {
	return []Client{
		{
			ID: "mcp-inspector", unnamed: true, Title: "MCP Inspector", format: entry.JSON, parents: servers,
			pasteHint: "a file that you give it with --config",
			stdio:     plainStdio, http: typedHTTP, add: []string{"npx", "@modelcontextprotocol/inspector", "--tui", "--", "$BIN", "$ARGS"},
		},
		{
			ID: "generic", unnamed: true, Title: "Any other client", format: entry.JSON, parents: servers, pasteHint: "its list of MCP servers",
			stdio: plainStdio, http: typedHTTP,
		},
		{
			ID: "roo-code", Title: "Roo Code", format: entry.JSON, parents: servers,
			paths: byOS(xdg+"/Code/User/globalStorage/rooveterinaryinc.roo-cline/settings/mcp_settings.json",
				library+"/Code/User/globalStorage/rooveterinaryinc.roo-cline/settings/mcp_settings.json",
				appData+"/Code/User/globalStorage/rooveterinaryinc.roo-cline/settings/mcp_settings.json"),
			retired: "it was discontinued in May 2026",
		},
		{
			ID: "amazon-q-cli", Title: "Amazon Q CLI", format: entry.JSON, parents: servers, paths: everyOS("~/.aws/amazonq/mcp.json"),
			retired: "it is now called Kiro; use kiro instead",
		},
	}
}

// The shapes of opencode and its forks: the command is one list.
var (
	localStdio = fields("type", "local", "command", []string{"$BIN", "$ARGS"}, "enabled", true)
	remoteHTTP = fields("type", "remote", "url", "$URL", bearer, "enabled", true)
)
