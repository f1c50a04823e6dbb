package installer

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

// A Condition is how a client, or another place for us, stands to Lectern.
type Condition string

// The conditions.
const (
	Absent    Condition = "-"         // it has nothing of ours
	Connected Condition = "connected" // it has the entry that we would write
	Placed    Condition = "installed" // the skill or the service is there as we would write it
	Outdated  Condition = "outdated"  // its entry leads to another Lectern, or to one that is gone; what is there is of another version
	Foreign   Condition = "foreign"   // what is there under our name is somebody else's
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
		f.Note = "paste the snippet in " + c.pasteHint
		return f
	}
	path, err := c.file(m)
	if err != nil {
		f.Condition, f.Note = Broken, err.Error()
		return f
	}
	f.File = path
	s, err := m.readClientFile(c, server.Name, Where{})
	if err != nil {
		f.Condition, f.Note = Broken, err.Error()
		return f
	}
	if f.path = s.realPath; s.entry == nil {
		return f
	}
	f.Condition, f.Note = m.compareEntry(c, server, parseTarget(s.entry))
	return f
}

func (m Machine) compareEntry(c Client, server Server, t target) (Condition, string) {
	switch {
	case !t.isLectern(server):
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

// FindSkill tells how a client has the skill. It reads files alone.
func (m Machine) FindSkill(c Client, skill Skill) Finding {
	f := Finding{Client: c, Detected: c.Detected(m), Condition: Absent}
	for _, template := range c.skills {
		f.File = filepath.Join(m.path(template), skill.Name, skillFile)
		text, err := readFile(f.File)
		switch {
		case err != nil:
			f.Condition, f.Note = Broken, err.Error()
		case text == nil:
			continue
		case !isOurSkill(text, skill.Name):
			f.Condition, f.Note = Foreign, f.File+" is not ours"
		case string(text) != string(skill.Text):
			f.Condition, f.Note = Outdated, "it is of another version of Lectern"
		default:
			f.Condition = Placed
			continue
		}
		return f // one that is not in order says it all
	}
	return f
}

// FindService tells how the service is defined. It reads files alone, so it
// does not know whether the service runs; on Windows it goes by the record.
func (m Machine) FindService(s Service) Finding {
	f := Finding{Condition: Absent}
	d, err := m.definition(s)
	if err != nil {
		f.Note = err.Error()
		return f
	}
	f.Detected, f.File = true, d.path
	if d.path == "" {
		f.File = runKey
		if old, err := m.findReceipt(serviceReceipt, "", ""); err == nil && old != nil {
			f.Condition = Placed
		}
		return f
	}
	switch text, err := m.serviceFile(d.path); {
	case err != nil:
		f.Condition, f.Note = Foreign, err.Error()
	case text == nil:
	case string(text) != d.text:
		f.Condition, f.Note = Outdated, "it runs another binary, or is of another version of Lectern"
	default:
		f.Condition = Placed
	}
	return f
}
