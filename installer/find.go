package installer

import (
	"cmp"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// A Condition says whether Lectern is installed in a client, as a skill or as a
// service.
type Condition string

// The conditions.
const (
	Absent     Condition = "-"          // nothing of ours is there
	Configured Condition = "configured" // the client has the entry that we would write
	Installed  Condition = "installed"  // the skill or the service is as we would write it
	Outdated   Condition = "outdated"   // the entry leads to another Lectern or to a missing one; the skill or service is of another version
	Foreign    Condition = "foreign"    // something with our name that is not ours
	Elsewhere  Condition = "elsewhere"  // the entry belongs to a Lectern with another LECTERN_HOME
	Broken     Condition = "broken"     // the file cannot be read
)

// A Finding is what was found of a client, a skill or the service.
type Finding struct {
	Client    Client
	Detected  bool
	File      string // that the client reads; empty: Lectern cannot edit it
	Condition Condition
	Note      string   // what is wrong, and what to do; empty: nothing is
	Sources   []string // that the entry asks for; none: all
	// Difference says of an entry that is Elsewhere how its folders and ours differ, where
	// nothing says that two Lecterns are meant; empty: nothing to say.
	Difference string

	realPath string // where symbolic links lead from File
}

// Find reads what entry for a server a client has in its file.
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
	file, err := m.readClientFile(c, server.Name, ConnectOptions{})
	if err != nil {
		f.Condition, f.Note = Broken, err.Error()
		return f
	}
	if f.realPath = file.realPath; file.entry == nil {
		return f
	}
	t := m.parseEntryTarget(file.entry)
	f.Sources = t.sources()
	recorded, err := m.receipts().hasEntry(c, server, file)
	switch {
	case err != nil:
		f.Condition, f.Note = Broken, err.Error()
	case t.isLectern(server) && !t.belongsTo(server, recorded):
		f.Condition, f.Note, f.Difference = Elsewhere, "its entry belongs to "+t.owner(), t.differences(server)
	default:
		if f.Condition, f.Note = compareEntry(c, server, t); f.Note == "" {
			f.Note = cmp.Or(m.untrustedNote(c), t.unprovenNote(c))
		}
	}
	return f
}

func compareEntry(c Client, server Server, t entryTarget) (Condition, string) {
	switch {
	case !t.isLectern(server):
		return Foreign, "its entry " + server.Name + " leads to " + t.String()
	case t.url != "":
		return Configured, ""
	case c.retired != "":
		return Outdated, c.retired
	}
	bin := t.argv[0]
	if filepath.IsAbs(bin) {
		if _, err := os.Stat(bin); errors.Is(err, fs.ErrNotExist) {
			return Outdated, bin + " does not exist; run `lectern client install " + c.ID + "`"
		}
	}
	if bin != server.Bin {
		return Outdated, "it runs " + bin + ", not " + server.Bin + "; to change that, run `lectern client install " + c.ID + "`"
	}
	if missing := t.missingVariables(server); len(missing) > 0 {
		return Outdated, "it does not pass " + strings.Join(missing, " ") + ", so its agents may get another hub, with other sources; " +
			"to change that, run `lectern client install " + c.ID + "`"
	}
	return Configured, ""
}

// FindSkill reads what version of the skill a client has.
func (m Machine) FindSkill(c Client, skill Skill) Finding {
	f := Finding{Client: c, Detected: c.Detected(m), Condition: Absent}
	for _, f.File = range c.skillFiles(m, skill.Name) {
		text, err := readFile(f.File)
		switch {
		case err != nil:
			f.Condition, f.Note = Broken, err.Error()
		case text == nil:
			continue
		case !isOurSkill(text, skill.Name):
			f.Condition, f.Note = Foreign, f.File+" does not belong to Lectern"
		case string(text) != string(skill.Text):
			f.Condition, f.Note = Outdated, "it is of another version of Lectern, or the kinds of sources have changed; to update it, run "+
				"`lectern skill install`"
		default:
			f.Condition = Installed
			continue
		}
		return f // the first problem is enough
	}
	return f
}

// FindService reads how the service is defined. It runs no program, so it does
// not know whether the service runs; on Windows it goes by the receipt.
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
		if _, recorded, err := m.receipts().find(receipt{Kind: serviceReceipt}); err == nil && recorded {
			f.Condition = Installed
		}
		return f
	}
	switch text, err := readServiceFile(d.path); {
	case err != nil:
		f.Condition, f.Note = Foreign, err.Error()
	case text == nil:
	case string(text) != d.text:
		f.Condition, f.Note = Outdated, "it runs another binary, or is of another version of Lectern"
	default:
		f.Condition = Installed
	}
	return f
}
