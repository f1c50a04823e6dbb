package installer

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

// A Condition is how a client stands to Lectern.
type Condition string

// The conditions.
const (
	Absent    Condition = "-"         // it has no entry of ours
	Connected Condition = "connected" // it has the entry that we would write
	Outdated  Condition = "outdated"  // its entry leads to another Lectern, or to one that is gone
	Foreign   Condition = "foreign"   // its entry of that name is somebody else's
	Broken    Condition = "broken"    // its file cannot be read
)

// A Finding is what there is of a client on this machine.
type Finding struct {
	Client    Client
	Detected  bool
	File      string // that the client reads; empty: none that we can edit
	Condition Condition
	Note      string // what is wrong, and what to do; empty: nothing

	path string // where symbolic links lead from File
}

// Find tells how a client stands to a server, by its file.
func (m Machine) Find(c Client, server Server) Finding {
	f := Finding{Client: c, Detected: c.Detected(m), Condition: Absent}
	if !c.Editable(m) {
		f.Note = "paste the snippet in " + c.paste
		return f
	}
	path, err := c.file(m)
	if err != nil {
		f.Condition, f.Note = Broken, err.Error()
		return f
	}
	f.File = path
	s, err := m.spot(c, server.Name, Where{})
	if err != nil {
		f.Condition, f.Note = Broken, err.Error()
		return f
	}
	if f.path = s.path; s.entry == nil {
		return f
	}
	f.Condition, f.Note = m.judge(c, server, targetOf(s.entry))
	return f
}

func (m Machine) judge(c Client, server Server, t target) (Condition, string) {
	switch {
	case !t.ours(server):
		return Foreign, "its entry " + server.Name + " leads to " + t.String()
	case t.url != "":
		return Connected, ""
	case c.retired != "":
		return Outdated, c.retired
	}
	bin := t.argv[0]
	if filepath.IsAbs(bin) {
		if _, err := os.Stat(bin); errors.Is(err, fs.ErrNotExist) {
			return Outdated, bin + " is gone; run `lectern client install " + c.ID + "`"
		}
	}
	if bin != server.Bin {
		return Outdated, "it runs " + bin + ", not " + server.Bin + "; run `lectern client install " + c.ID + "` if that is not meant"
	}
	return Connected, ""
}
