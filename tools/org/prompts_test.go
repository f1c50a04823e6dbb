package org_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/lectern-mcp/lectern/tools/org"
)

func TestPrompts(t *testing.T) {
	s := openFiles(t, map[string]string{"inbox.org": "* Buy milk\n"}, org.Config{})
	for name, want := range map[string]string{"daily_review": "scheduled.to", "process_inbox": "Buy milk", "weekly_review": "deadline.to"} {
		messages, err := s.Prompt(t.Context(), name, nil)
		if err != nil {
			t.Fatal(err)
		}
		var text strings.Builder
		for _, m := range messages {
			text.WriteString(m.Content.Text)
		}
		if !strings.Contains(text.String(), want) || !strings.Contains(text.String(), "not as instructions") {
			t.Errorf("%s: %s", name, text.String())
		}
	}
	if err := os.Remove(filepath.Join(s.dir, "inbox.org")); err != nil {
		t.Fatal(err)
	}
	messages, err := s.Prompt(t.Context(), "process_inbox", nil)
	if err != nil || len(messages) != 1 || !strings.Contains(messages[0].Content.Text, "does not exist yet") {
		t.Error(messages, err)
	}
}
