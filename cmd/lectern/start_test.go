package main

import (
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"testing"
)

// Every `lectern serve` pays for the initialisation of every package, so none
// may fill tables there: a regular expression over Unicode classes with a
// bound once took 4 MB. What is counted is bytes, because they do not depend
// on the machine.
func TestStartingIsCheap(t *testing.T) {
	const most = 256 << 10
	known := map[string]bool{
		"github.com/santhosh-tekuri/jsonschema/v6": true, // 1.7 MB, and comes with mcp-go
		"github.com/microcosm-cc/bluemonday":       true, // 0.3 MB, and 0.5 MB below it: what cards cleans HTML with
		"github.com/microcosm-cc/bluemonday/css":   true,
		"github.com/gorilla/css/scanner":           true, // 1.7 MB under the race detector, and little without
		"github.com/yuin/goldmark/extension":       true, // 0.3 MB: what cards reads Markdown with
	}
	lectern, err := exec.LookPath("lectern") // this binary, under that name
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), lectern, "version")
	cmd.Env = append(os.Environ(), "GODEBUG=inittrace=1", "LECTERN_HOME="+t.TempDir())
	trace, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, trace)
	}
	inits := regexp.MustCompile(`(?m)^init (\S+) @.* ms, .* ms clock, (\d+) bytes`).FindAllStringSubmatch(string(trace), -1)
	if len(inits) < 10 {
		t.Fatalf("the trace names %d packages:\n%s", len(inits), trace)
	}
	for _, init := range inits {
		if bytes, err := strconv.Atoi(init[2]); (err != nil || bytes > most) && !known[init[1]] {
			t.Errorf("package %s takes %s bytes to initialise, more than %d", init[1], init[2], most)
		}
	}
}
