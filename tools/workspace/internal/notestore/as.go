package notestore

import "github.com/lectern-mcp/lectern/tools/workspace/internal/notetext"

// SetWriter has what is written to d from now on come from another writer: its author,
// run, times and ids. What is hidden stays so.
func SetWriter(d *Draft, v View) {
	if v.Began.IsZero() {
		v.Began = d.store.now()
	}
	v.Hides = d.view.Hides
	d.view, d.ids = v, newIDSource(v.Began, v.Seed)
}

// DescribeState is what lists say of a note that has this state, without the types
// of its class.
func DescribeState(id string, state []byte) (Record, error) {
	c, err := decodeNote(state)
	if err != nil {
		return Record{}, err
	}
	r := record(id, c, nil, notetext.Parse(c.Text))
	return r, nil
}
