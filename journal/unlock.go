package journal

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"time"
)

// getKeys finds the keys of the journal in dir, makes one where there is none
// to seal with, and moves them to where they are wanted. A keyring that does not
// give a key keeps the journal from opening what was sealed with it; only
// InKeyring lets it keep agents from writing.
func getKeys(dir string, want Place, r *ring, log *slog.Logger) (*keys, error) {
	b, err := openBox(dir)
	if err != nil {
		return nil, err
	}
	var inRing, inFile []*key
	var lost []string
	var why error
	for _, kept := range slices.Clone(b.kept) {
		var k *key
		if kept.Place == InKeyring {
			if k, err = r.get(kept.ID, false); err != nil {
				why = err
				k = b.inFile(kept.ID) // a crash left it there
			} else if err := b.unfile(kept.ID); err != nil {
				return nil, err
			}
			if k == nil {
				lost = append(lost, kept.ID)
				continue
			}
			inRing = append(inRing, k)
			continue
		}
		inFile = append(inFile, b.inFile(kept.ID))
	}
	p := placing{b, r, log, why}
	switch want {
	case InFile:
		inFile, err = p.intoFile(inFile, inRing)
		inRing = nil
	case InKeyring:
		inFile, inRing, err = p.intoKeyring(inFile, inRing)
	default:
		inFile, inRing, err = p.auto(inFile, inRing, len(lost) > 0)
	}
	if err != nil {
		return nil, err
	}
	if err := b.writeRecord(); err != nil {
		return nil, err
	}
	slices.Reverse(inRing) // the newest seals
	slices.Reverse(inFile)
	return &keys{append(inRing, inFile...), lost}, nil
}

// A placing puts keys where they are wanted.
type placing struct {
	*box
	ring *ring
	log  *slog.Logger
	why  error // the keyring did not give a key; nil: it gave all
}

func (p placing) intoFile(inFile, inRing []*key) ([]*key, error) {
	for _, k := range inRing {
		if err := p.toFile(k); err != nil {
			return nil, err
		}
		inFile = append(inFile, k)
		if err := p.ring.drop(k.id); err != nil {
			p.log.Warn("the journal's key is in its file now, and in the keyring as well", "part", "journal", "err", err)
		}
	}
	if len(inFile) > 0 {
		return inFile, nil
	}
	k, err := newKey()
	if err != nil {
		return nil, err
	}
	return []*key{k}, p.toFile(k)
}

func (p placing) intoKeyring(inFile, inRing []*key) (stay, moved []*key, err error) {
	inFile, inRing = p.move(inFile, inRing)
	if len(inFile)+len(inRing) > 0 {
		return inFile, inRing, nil
	}
	err = p.why
	if err == nil {
		var k *key
		if k, err = newKey(); err != nil {
			return nil, nil, err
		}
		if err = p.toKeyring(k, p.ring); err == nil {
			return nil, []*key{k}, nil
		}
	}
	return nil, nil, &Locked{err}
}

// move moves keys from the file into the keyring, as far as that works.
func (p placing) move(inFile, inRing []*key) (stay, moved []*key) {
	for i, k := range inFile {
		if err := p.toKeyring(k, p.ring); err != nil {
			p.log.Warn("the journal's key stays in its file, as the keyring does not take it", "part", "journal", "err", err)
			return inFile[i:], inRing
		}
		inRing = append(inRing, k)
	}
	return nil, inRing
}

func (p placing) auto(inFile, inRing []*key, lost bool) (stay, moved []*key, err error) {
	switch {
	case len(inRing) > 0: // what the file has was made while the keyring did not answer
		inFile, inRing = p.move(inFile, inRing)
		return inFile, inRing, nil
	case len(inFile) > 0:
		return inFile, nil, nil
	}
	k, err := newKey()
	if err != nil {
		return nil, nil, err
	}
	if !lost {
		if err = p.toKeyring(k, p.ring); err == nil {
			return nil, []*key{k}, nil
		}
		if !errors.Is(err, errNoKeyring) {
			p.log.Warn("the journal's key is made in a file, as the keyring does not take it", "part", "journal", "err", err)
		}
	}
	return []*key{k}, nil, p.toFile(k)
}

// Locked says that a key is in the keyring, which does not give it.
type Locked struct{ Err error }

// Error implements error.
func (l *Locked) Error() string {
	return "its key belongs in the keyring ([journal] key), which cannot be used: " + l.Err.Error()
}

// Unwrap is what the keyring said.
func (l *Locked) Unwrap() error { return l.Err }

// askEvery is how often the keyring is asked, without a window, for keys that
// it did not give.
const askEvery = time.Minute

// Lost says whether there are Changes that cannot be shown or undone because
// the keyring does not give their key, or none can be written for that reason.
func (j *Journal) Lost() bool {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.lookAgain()
	return j.locked || j.db != nil && len(j.keys.lost) > 0
}

// lookAgain asks for lost keys if that was long enough ago. With the lock.
func (j *Journal) lookAgain() {
	if j.db == nil || len(j.keys.lost) == 0 || j.opts.Now().Sub(j.asked) < askEvery {
		return
	}
	j.askAll()
}

// askAll gets the keys anew. What was had before is had still. With the lock.
func (j *Journal) askAll() {
	j.asked = j.opts.Now()
	k, err := j.getKeys()
	if err != nil {
		j.opts.Log.Warn("look for the journal's keys", "part", "journal", "err", err)
		return
	}
	j.keys = k
}

func (j *Journal) getKeys() (*keys, error) {
	return getKeys(j.opts.Dir, j.opts.Key, &j.ring, j.opts.Log)
}

// Unlock asks the keyring for the keys that it did not give, with a window if it
// wants one, for a person who sits there. It waits for them.
func (j *Journal) Unlock(ctx context.Context) error {
	kept, err := Keys(j.opts.Dir)
	if err != nil {
		return err
	}
	for _, k := range kept {
		if k.Place != InKeyring {
			continue
		}
		if _, err := j.ring.get(k.ID, true); err != nil {
			return fmt.Errorf("unlock journal: %w", err)
		}
		if err := ctx.Err(); err != nil {
			return err
		}
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.db == nil {
		return j.openUnless()
	}
	j.askAll()
	return nil
}

// ForgetKeys removes keys from the keyring, for when a person deletes the
// journal: the keyring may ask them.
func ForgetKeys(kept []Kept, k Keyring) error {
	r := ring{keyring: k}
	var all error
	for _, one := range kept {
		if one.Place == InKeyring {
			all = errors.Join(all, r.ask(windowWithin, func() error { return k.Delete(one.ID) }))
		}
	}
	return all
}
