package audit

import (
	"context"
	"encoding/json"
	"strings"
	"time"

	"github.com/lectern-mcp/lectern/internal/sqlstore"
)

const columns = `id, client, proven, session, transport, role, source, tool, effect, outcome, code, message,
	waited, worked, request, response, digest, parent, targets, changes, detail, approval`

// insert writes records in one transaction.
func insert(ctx context.Context, store *sqlstore.Store, records []Record) error {
	return store.Write(ctx, func(c *sqlstore.Conn) error {
		c = c.Short()
		query := "INSERT INTO calls (" + columns + ") VALUES (" + strings.Repeat("?, ", strings.Count(columns, ",")) + "?) ON CONFLICT DO NOTHING"
		for _, r := range records {
			targets := boundTargets(r.Targets)
			_, err := c.Exec(ctx, query, r.ID, r.Client, r.Proven, r.Session, r.Transport, r.Role, r.Source, r.Tool, r.Effect, string(r.Outcome),
				r.Code, r.Message, r.Waited.Microseconds(), r.Worked.Microseconds(), r.Request, r.Response, r.Digest, r.Parent,
				encodeList(targets), encodeList(r.Changes), boundDetail(r.Detail), r.Approval)
			if err != nil {
				return err
			}
			for _, name := range targets {
				if _, err := c.Exec(ctx, "INSERT INTO call_targets (name, call) VALUES (?, ?) ON CONFLICT DO NOTHING", name, r.ID); err != nil {
					return err
				}
			}
		}
		return insertSearchValues(ctx, c, records)
	})
}

// insertSearchValues adds what targets and sessions are named.
func insertSearchValues(ctx context.Context, c *sqlstore.Conn, records []Record) error {
	added := map[[2]string]bool{{"session", ""}: true}
	for _, r := range records {
		values := [][2]string{{"session", r.Session}}
		for _, name := range boundTargets(r.Targets) {
			values = append(values, [2]string{"targets", name})
		}
		for _, v := range values {
			if added[v] {
				continue
			}
			added[v] = true
			if _, err := c.Exec(ctx, "INSERT INTO search_values (field, value) VALUES (?, ?) ON CONFLICT DO NOTHING", v[0], v[1]); err != nil {
				return err
			}
		}
	}
	return nil
}

func boundTargets(names []string) []string {
	bounded := make([]string, min(len(names), MaxTargets))
	for i := range bounded {
		bounded[i] = boundTarget(names[i])
	}
	return bounded
}

// boundTarget is at most [MaxTarget] bytes of name, and whole characters.
func boundTarget(name string) string {
	if len(name) <= MaxTarget {
		return name
	}
	return strings.ToValidUTF8(name[:MaxTarget], "")
}

// boundDetail leaves out what is too long: half of JSON is none.
func boundDetail(detail json.RawMessage) string {
	if len(detail) > MaxDetail {
		return ""
	}
	return string(detail)
}

func encodeList(names []string) string {
	if len(names) == 0 {
		return ""
	}
	text, _ := json.Marshal(names) // texts can be encoded
	return string(text)
}

func scanRecord(row sqlstore.Row) (r Record, err error) {
	var targets, changes, detail string
	var waited, worked int64
	err = row.Scan(&r.ID, &r.Client, &r.Proven, &r.Session, &r.Transport, &r.Role, &r.Source, &r.Tool, &r.Effect, &r.Outcome,
		&r.Code, &r.Message, &waited, &worked, &r.Request, &r.Response, &r.Digest, &r.Parent, &targets, &changes, &detail, &r.Approval)
	if err != nil {
		return r, err
	}
	r.Time = idTime(r.ID)
	r.Waited, r.Worked = time.Duration(waited)*time.Microsecond, time.Duration(worked)*time.Microsecond
	if detail != "" {
		r.Detail = json.RawMessage(detail)
	}
	if err := decodeList(targets, &r.Targets); err != nil {
		return r, err
	}
	return r, decodeList(changes, &r.Changes)
}

func decodeList(text string, names *[]string) error {
	if text == "" {
		return nil
	}
	return json.Unmarshal([]byte(text), names)
}
