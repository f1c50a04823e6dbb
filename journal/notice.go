package journal

import (
	"database/sql"
	"encoding/json"
	"fmt"
	"slices"
	"time"
)

// A Notice is something that happened to the journal or to the Changes of a call
// and that a person has to be told. It is kept until a person acknowledges it.
type Notice struct {
	Time time.Time `json:"time"` // of the call; when it was noticed if there is none
	// Source is empty if the journal itself was lost: it was empty or missing, and a
	// new one has begun. The fields below are empty then.
	Source    string   `json:"source,omitempty"`
	Client    string   `json:"client,omitempty"`
	Tool      string   `json:"tool,omitempty"`
	Changes   []string `json:"changes,omitempty"`    // IDs, oldest first
	TakenBack []string `json:"taken_back,omitempty"` // targets that hold again what they held before the call
	Kept      []string `json:"kept,omitempty"`       // targets that were left as they are, because somebody has edited them since
}

// noticesSchema is what version 3 adds: what people have to be told.
const noticesSchema = `
CREATE TABLE notices (id INTEGER PRIMARY KEY AUTOINCREMENT, notice BLOB NOT NULL); -- sealed
`

// maxNoticeNames bounds each list of a Notice.
const maxNoticeNames = 20

func newNotice(rows []changeRow) *Notice {
	n := &Notice{Time: rows[0].time, Source: rows[0].origin.Source, Client: rows[0].origin.Client, Tool: rows[0].origin.Tool}
	for _, v := range slices.Backward(rows) { // they are newest first
		n.Changes = append(n.Changes, v.id)
	}
	return n
}

// insertNotice stores n; nil is nothing to store.
func insertNotice(d *database, tx *sql.Tx, n *Notice) error {
	if n == nil {
		return nil
	}
	for _, list := range []*[]string{&n.TakenBack, &n.Kept} {
		if more := len(*list) - maxNoticeNames; more > 0 {
			*list = append((*list)[:maxNoticeNames:maxNoticeNames], fmt.Sprintf("%d more", more))
		}
	}
	data, err := json.Marshal(n)
	if err != nil {
		return err
	}
	return exec(tx, "INSERT INTO notices (notice) VALUES (?)", d.key.encrypt(data, "notice"))
}

// Notices returns what was not acknowledged yet, oldest first.
func (j *Journal) Notices() ([]Notice, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.db == nil && !j.wasEverCreated() {
		return nil, nil
	}
	if err := j.ensureOpen(); err != nil {
		return nil, fmt.Errorf("read notices: %w", err)
	}
	found, err := queryAll(j.database, func(r *sql.Rows) (n Notice, err error) {
		var sealed []byte
		if err := r.Scan(&sealed); err != nil {
			return n, err
		}
		plain, err := j.key.decrypt(sealed, "notice")
		if err == nil {
			err = json.Unmarshal(plain, &n)
		}
		return n, err
	}, "SELECT notice FROM notices ORDER BY id")
	if err != nil {
		return nil, fmt.Errorf("read notices: %w", err)
	}
	return found, nil
}

// DismissNotices forgets those for which dismiss is true.
func (j *Journal) DismissNotices(dismiss func(Notice) bool) error {
	all, err := j.Notices()
	if err != nil || len(all) == 0 {
		return err
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	err = j.transact(func(tx *sql.Tx) error {
		// Those that came meanwhile are behind the ones that were read.
		if err := exec(tx, "DELETE FROM notices WHERE id IN (SELECT id FROM notices ORDER BY id LIMIT ?)", len(all)); err != nil {
			return err
		}
		for _, n := range all {
			if !dismiss(n) {
				if err := insertNotice(j.database, tx, &n); err != nil {
					return err
				}
			}
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("dismiss notices: %w", err)
	}
	return nil
}
