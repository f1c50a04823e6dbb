package cards_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/lectern-mcp/lectern/internal/runtest"
	"github.com/lectern-mcp/lectern/tools"
)

// TestRuleByPathIsNoOracle: a call with a name that a rule by path covers is answered the
// same whether or not a card has the name, a part of it, or what it is below.
func TestRuleByPathIsNoOracle(t *testing.T) {
	runtest.InOrder(t)
	rules := tools.Privacy{Exclude: []tools.PrivacyRule{{Path: "Harb*"}, {Path: "Town/t*"}}}
	for _, role := range []string{"user", "gm", "admin"} {
		b := ownBox(t, rules)
		for _, names := range [][2]string{ // of an existing card, and of one that does not exist
			{"Harbour", "Harbnone"},
			{"harbours", "harbnones"},
			{"Harbour+x", "Harbnone+x"},
			{"Harbour+x+y", "Harbnone+x+y"},
			{"Dr. Smith+Harbour", "Dr. Smith+Harbnone"},
			{"New+Harbour", "New+Harbnone"},
			{"Town+tags", "Town+tnone"},
			{"Town+tags+x", "Town+tnone+x"},
		} {
			for _, c := range [][2]string{
				{"create_card", `{"name":"NAME","type":"RichText","content":"x"}`},
				{"create_card", `{"name":"NAME","type":"Number","content":"none"}`},
				{"create_card", `{"name":"NAME","type":"No such type","content":"x"}`},
				{"batch_cards", `{"operations":[{"action":"create","name":"NAME","content":"x"}]}`},
				{"batch_cards", `{"operations":[{"action":"create","name":"Fine","content":"x"},{"action":"create","name":"NAME","content":"x"}]}`},
				{"batch_cards", `{"operations":[{"action":"create","name":"NAME","content":"x"}],"mode":"transactional"}`},
				{"rename_card", `{"name":"Dr. Smith","new_name":"NAME"}`},
				{"update_card", `{"name":"NAME","content":"x"}`},
				{"delete_card", `{"name":"NAME"}`},
				{"upload_attachment", `{"name":"NAME","filename":"a.txt","file_data":"eA=="}`},
			} {
				for _, dry := range []bool{true, false} {
					there, none := refusal(t, b, role, c, names[0], dry), refusal(t, b, role, c, names[1], dry)
					if there != none {
						t.Errorf("as %s, %s %s, dry %v:\n%s: %s\n%s: %s", role, c[0], c[1], dry, names[0], there, names[1], none)
					}
				}
			}
		}
	}
}

// refusal is all that a call says which is refused, without the name in it.
func refusal(t *testing.T, b toolbox, role string, c [2]string, name string, dry bool) string {
	t.Helper()
	var args map[string]any
	if err := json.Unmarshal([]byte(strings.ReplaceAll(c[1], "NAME", name)), &args); err != nil {
		t.Fatal(err)
	}
	args["dry_run"] = dry
	out, changes, err := b.call(t, role, c[0], args)
	if err == nil {
		t.Errorf("as %s, %s of %s is answered: %v", role, c[0], name, out)
		return ""
	}
	text := fmt.Sprintf("%s %s %s %s %v, hidden %v, %d changes", err.Code, err.SpecCode, err.Message, err.Hint, err.Data, tools.IsHidden(err), len(changes))
	return strings.ReplaceAll(text, name, "NAME")
}
