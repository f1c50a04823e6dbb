package logseq_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/lectern-mcp/lectern/tools"
)

func requestIDs(m map[string]any) (ids []string) {
	for _, r := range m["requests"].([]any) {
		ids = append(ids, r.(map[string]any)["id"].(string))
	}
	return ids
}

// What was asked about is read when it is listed, and a request about what has
// gone is gone with it.
func TestListRequests(t *testing.T) {
	d := openTestSource(t, fixtureGraph("file"))
	m := d.must("list_requests", `{}`)
	if diff := cmp.Diff([]string{requestID(1), requestID(2)}, requestIDs(m)); diff != "" || m["total"] != 2.0 {
		t.Errorf("requests (-want +got):\n%s\n%v", diff, m)
	}
	one := m["requests"].([]any)[0].(map[string]any)
	if one["at"] != "2025-11-25T07:00:00Z" || one["blocks"].([]any)[0].(map[string]any)["content"] != "Plant tomatoes beside [[Kitchen]]" {
		t.Errorf("the first request: %v", one)
	}
}

// The answer goes below the block, or to the end of the page, and the request
// is off the list afterwards; a dry run leaves it.
func TestAnswerRequest(t *testing.T) {
	for _, kind := range []string{"file", "db"} {
		f := fixtureGraph(kind)
		d := openTestSource(t, f)
		d.must("answer_request", `{"request_id":"`+requestID(1)+`","content":"no","dry_run":true}`)
		if len(f.answered) > 0 {
			t.Errorf("%s: a dry run answered %v", kind, f.answered)
		}
		m := d.must("answer_request", `{"request_id":"`+requestID(1)+`","content":"- Yes\n  - in May"}`)
		b := d.must("get_block", `{"block_uuid":"`+id(1)+`","include_children":true}`)["block"].(map[string]any)
		answer := b["children"].([]any)[0].(map[string]any)
		if m["verified"] != true || m["page_name"] != "Garden" || answer["content"] != "Yes" || answer["uuid"] != m["blocks"].([]any)[0] ||
			answer["children"].([]any)[0].(map[string]any)["content"] != "in May" {
			t.Errorf("%s: answered %v, written %v", kind, m, b)
		}
		m = d.must("answer_request", `{"request_id":"`+requestID(2)+`","content":"Done"}`)
		if text := d.must("get_page_content", `{"page_name":"Compost"}`)["text"].(string); m["page_name"] != "Compost" || !strings.HasSuffix(text, "- Done\n") {
			t.Errorf("%s: answered %v, the page is %q", kind, m, text)
		}
		if ids := requestIDs(d.must("list_requests", `{}`)); len(ids) > 0 || !slices.Equal(f.answered, []string{requestID(1), requestID(2)}) {
			t.Errorf("%s: still there: %v, answered %v", kind, ids, f.answered)
		}
		if _, err := d.call("answer_request", `{"request_id":"`+requestID(1)+`"}`); err == nil || errorCode(err) != "NOT_FOUND" {
			t.Errorf("%s: answered twice: %v", kind, err)
		}
	}
}

// Without content a request is only taken off the list; nothing is written.
func TestAnswerRequestWithoutContent(t *testing.T) {
	f := fixtureGraph("db")
	d, before := openTestSource(t, f), f.digest()
	if m := d.must("answer_request", `{"request_id":"`+requestID(2)+`"}`); m["success"] != true || f.digest() != before || len(f.answered) != 1 {
		t.Errorf("answered %v, %v", m, f.answered)
	}
}

// An answer that cannot be written leaves the request where it is.
func TestAnswerThatFailsLeavesTheRequest(t *testing.T) {
	f := fixtureGraph("db")
	d := openTestSource(t, f)
	f.fault = func(method string) fault {
		if method == "blocks.create" {
			return refuse
		}
		return fine
	}
	if _, err := d.call("answer_request", `{"request_id":"`+requestID(1)+`","content":"x"}`); err == nil || len(f.answered) > 0 {
		t.Errorf("error %v, answered %v", err, f.answered)
	}
}

// A request about what is hidden does not exist: not in the list, not as a
// resource, not for an answer and not as a notification.
func TestHiddenRequestDoesNotExist(t *testing.T) {
	f := fixtureGraph("db")
	d := openTestSource(t, f, func(e *tools.Env) { e.Privacy = tools.Privacy{Exclude: []tools.PrivacyRule{{Path: "Compost"}}} })
	m := d.must("list_requests", `{}`)
	if len(requestIDs(m)) != 1 || m["total"] != 1.0 || len(m["requests"].([]any)[0].(map[string]any)["blocks"].([]any)) != 1 {
		t.Errorf("requests: %v", m)
	}
	_, hidden := d.call("answer_request", `{"request_id":"`+requestID(2)+`"}`)
	_, missing := d.call("answer_request", `{"request_id":"`+requestID(9)+`"}`)
	if hidden == nil || errorCode(hidden) != "NOT_FOUND" || strings.ReplaceAll(missing.Error(), requestID(9), requestID(2)) != hidden.Error() {
		t.Errorf("answer to a hidden request: %v, to a missing one: %v", hidden, missing)
	}
	f.notify("request", map[string]any{"id": "x", "page": id(102)})
	f.notify("request", map[string]any{"id": "y", "blocks": []string{id(5)}})
	if len(d.changed) > 0 {
		t.Errorf("told of hidden requests: %v", d.changed)
	}
	f.notify("request", map[string]any{"id": "z", "blocks": []string{id(5), id(1)}})
	if diff := cmp.Diff([]string{"logseq://home/requests"}, d.changed); diff != "" {
		t.Errorf("told (-want +got):\n%s", diff)
	}
}
