package markdown

import (
	"reflect"
	"slices"

	"github.com/lectern-mcp/lectern/tools"
)

// aliases is the [tools.Spec].Normalize of a tool with these arguments: it takes the
// names that models guess for them, unless the tool has an argument of that name.
func aliases(arguments ...string) func(args map[string]any) error {
	return func(args map[string]any) error {
		for _, name := range arguments {
			for _, guess := range guessedNames(name) {
				value, given := args[guess]
				if !given || slices.Contains(arguments, guess) {
					continue
				}
				if other, both := args[name]; both && !reflect.DeepEqual(other, value) {
					return tools.Errorf(tools.Invalid, "%s and %s: both are given and differ", name, guess).WithHint("Give %s alone.", name)
				}
				args[name] = value
				delete(args, guess)
			}
		}
		return nil
	}
}

// stepAliases is the same for the calls in a batch: their tools have their own.
func stepAliases(args map[string]any) error {
	if err := aliases("steps")(args); err != nil {
		return err
	}
	steps, _ := args["steps"].([]any)
	for _, step := range steps {
		if fields, ok := step.(map[string]any); ok {
			if err := aliases("tool", "arguments")(fields); err != nil {
				return err
			}
		}
	}
	return nil
}

// guessedNames are what models call an argument that they have not looked up.
func guessedNames(name string) []string {
	switch name {
	case "path", "pagePath":
		return []string{"path", "file", "name", "page", "filename", "file_path", "page_path"}
	case "sourcePath":
		return []string{"source_path", "source", "from", "old_path", "path"}
	case "destinationPath":
		return []string{"destination_path", "dest_path", "destination", "new_path", "to"}
	case "parentPath":
		return []string{"parent_path", "parent", "folder"}
	case "title":
		return []string{"name"}
	case "query":
		return []string{"q"}
	case "content":
		return []string{"text", "body", "new_content", "replacement", "replace_with"}
	case "text":
		return []string{"find_text", "find", "old_text", "old_content", "search"}
	case "heading", "part":
		return []string{"section", "section_heading", "heading"}
	case "paths":
		return []string{"files", "pages", "names"}
	case "steps":
		return []string{"calls", "operations", "commands"}
	case "tool":
		return []string{"name", "tool_name"}
	case "arguments":
		return []string{"args", "params", "parameters", "input"}
	case "tag":
		return []string{"old_tag", "from", "old", "name"}
	case "new_tag":
		return []string{"newTag", "to", "new", "new_name"}
	case "new_heading":
		return []string{"newHeading", "to", "new_text", "new_name"}
	case "period":
		return []string{"interval", "granularity"}
	case "date":
		return []string{"day"}
	case "limit":
		return []string{"max", "max_results"}
	}
	return nil
}
