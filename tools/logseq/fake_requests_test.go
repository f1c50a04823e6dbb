package logseq_test

import "slices"

// requests are those that wait in the fake's plugin: about two blocks, about a
// page, and about what has gone.
func (f *fakePeer) requests() []map[string]any {
	all := []map[string]any{
		{"id": requestID(1), "at": 1764054000000, "blocks": []string{id(1), id(5)}},
		{"id": requestID(2), "at": 1764054060000, "page": id(102), "blocks": []string{}},
		{"id": requestID(3), "at": 1764054120000, "blocks": []string{id(99)}},
	}
	return slices.DeleteFunc(all, func(r map[string]any) bool { return slices.Contains(f.answered, r["id"].(string)) })
}

func requestID(n int) string { return "6540a1b2-0000-4000-8000-000000000a0" + string(rune('0'+n)) }
