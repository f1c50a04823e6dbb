package workspace

import (
	"cmp"
	"fmt"
	"net/http"
	"strings"

	"github.com/lectern-mcp/lectern/tools/workspace/internal/notesapi"
)

// inWorkspace begins the paths of the routes of one workspace. The functions of kb
// are about the script's own, and do not name it.
const inWorkspace = "/workspaces/{workspace_id}"

// A facadeCall is one function of kb, the typed facade over host.call.
type facadeCall struct {
	notesapi.Route
	group, function string
}

// facadeCalls is every function of kb, by group. Routes over all workspaces are
// not in it: host.call has them.
func facadeCalls() (calls []facadeCall) {
	for _, r := range notesapi.Routes() {
		if !strings.HasPrefix(r.Path, inWorkspace+"/") || r.Name == "workspaces.test" {
			continue
		}
		group, function, grouped := strings.Cut(r.Name, ".")
		if !grouped {
			group, function = "", r.Name
		}
		calls = append(calls, facadeCall{r, group, function})
	}
	return calls
}

// signature is the function in TypeScript: the names in its path, then its body or
// its query.
func (c facadeCall) signature() string {
	var parameters []string
	for part := range strings.SplitSeq(strings.TrimPrefix(c.Path, inWorkspace), "/") {
		if name, is := strings.CutPrefix(part, "{"); is {
			parameters = append(parameters, strings.TrimSuffix(name, "_id}")+": string")
		}
	}
	for i, p := range parameters {
		parameters[i] = strings.Replace(p, "}", "", 1)
	}
	switch {
	case c.Body != "":
		parameters = append(parameters, "body: "+c.Body)
	case strings.HasSuffix(c.Query, page):
		parameters = append(parameters, queryParameter(c.Query, strings.TrimSuffix(strings.TrimSuffix(c.Query, page), "; ")))
	case c.Query != "":
		parameters = append(parameters, queryParameter(c.Query, c.Query))
	}
	return fmt.Sprintf("%s(%s): %s;", c.function, strings.Join(parameters, ", "), cmp.Or(c.Answer, "null"))
}

// page is the query of every list.
const page = "limit?: number; cursor?: string"

func queryParameter(query, own string) string {
	kind := "{ " + own + " }"
	switch {
	case own == "":
		kind = "Page"
	case own != query:
		kind = "Page & " + kind
	}
	for member := range strings.SplitSeq(own, "; ") {
		if name, _, _ := strings.Cut(member, ":"); name != "" && !strings.HasSuffix(name, "?") {
			return "query: " + kind
		}
	}
	return "query?: " + kind
}

// facadeTypes are the types of what scripts find, as a .d.ts file.
func facadeTypes() string {
	return typesOfGlobals + "declare const kb: {\n" + facadeMembers() + typesOfSources + "};\n" + "interface Page { " + page + " }\n" +
		notesapi.TypeScript
}

// shortTypes is the beginning of facadeTypes, for the description of the tool.
func shortTypes() string {
	return "const kb: {\n" + facadeMembers() + "}\n"
}

func facadeMembers() string {
	var b strings.Builder
	group := ""
	for _, c := range facadeCalls() {
		if c.group != group {
			if group != "" {
				b.WriteString(" };\n")
			}
			if c.group != "" {
				b.WriteString(c.group + ": {\n")
			}
		}
		group = c.group
		if group != "" {
			b.WriteString(" ")
		}
		b.WriteString(c.signature() + "\n")
	}
	return b.String() + " };\n"
}

const typesOfGlobals = `// What scripts find besides the language. host.call is the whole REST API.
// Not there: timers (setTimeout), modules (import, require), network (fetch), files, Intl, a clock: Date stands still.
// The result is JSON: a Map is a list of pairs, a Set a list, an Error its name and message, a Date its time, undefined
// and functions are left out (null in lists), half of a surrogate pair is U+FFFD. A BigInt, a promise and what contains
// itself have no form: ExecutionError, and nothing is written. What is too long is cut.
declare function structuredClone<T>(value: T): T;
declare function queueMicrotask(run: () => void): void;
declare function atob(text: string): string;
declare function btoa(text: string): string;
declare class DOMException extends Error { readonly code: number }
declare const console: Record<"log" | "info" | "warn" | "error" | "debug" | "trace" | "dir" | "table", (...values: unknown[]) => void>;
declare const workspace_id: string;
declare const input: any;
declare const host: { call(method: string, path: string, body?: unknown): any };
declare class HostCallError extends Error { readonly status: number; readonly body: any }
`

// typesOfSources is the part of kb that is no route: tools of other sources.
const typesOfSources = `sources: {
 list(): { name: string; system: string; tools: { name: string; effect: string; title: string }[] }[];
 call(source: string, tool: string, args?: object): any;
 };
`

// facadeScript is the JavaScript behind the types. It keeps what it needs of the
// language, because scripts may replace any of it.
func facadeScript() string {
	var rows strings.Builder
	for _, c := range facadeCalls() {
		takes := "query"
		if c.Method != http.MethodGet && c.Method != http.MethodDelete {
			takes = "body"
		}
		fmt.Fprintf(&rows, "[%q,%q,%q,%q,%q],", c.group, c.function, c.Method, strings.TrimPrefix(c.Path, inWorkspace), takes)
	}
	return "(() => {\n  \"use strict\";\n  const rows = [" + rows.String() + "];" + facadeRuntime
}

const facadeRuntime = `
  const { call } = host, escape = encodeURIComponent, { freeze, keys } = Object, text = String, { apply } = Reflect;
  const { split } = text.prototype, global = globalThis;
  const query = (of) => {
    let written = "";
    const names = of === undefined || of === null ? [] : keys(of);
    for (let i = 0; i < names.length; i++) {
      const value = of[names[i]];
      if (value !== undefined && value !== null) written += (written ? "&" : "?") + escape(names[i]) + "=" + escape(text(value));
    }
    return written;
  };
  const make = (method, path, takes) => {
    const parts = apply(split, path, ["/"]);
    return freeze((...given) => {
      let at = 0, to = "/workspaces/" + escape(global.workspace_id);
      for (let i = 1; i < parts.length; i++) to += "/" + (parts[i][0] === "{" ? escape(text(given[at++])) : parts[i]);
      return takes === "body" ? call(method, to, given[at]) : call(method, to + query(given[at]));
    });
  };
  const kb = { __proto__: null };
  for (const [group, name, method, path, takes] of rows) {
    const into = group ? (kb[group] ??= { __proto__: null }) : kb;
    into[name] = make(method, path, takes);
  }
  kb.sources = {
    __proto__: null,
    list: freeze(() => call("GET", "/sources")),
    call: freeze((source, tool, args) => call("POST", "/sources/" + escape(text(source)) + "/tools/" + escape(text(tool)), args ?? {})),
  };
  for (const group of keys(kb)) freeze(kb[group]);
  Object.defineProperty(global, "kb", { __proto__: null, value: freeze(kb), enumerable: true });
})();`
