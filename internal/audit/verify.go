package audit

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
)

// A Report is the result of [Verify].
type Report struct {
	Files int
	Lines int
	First uint64 // number of the first line; above 1 if older ones were rotated away
	Last  uint64
	Hash  string // of the last line; stored elsewhere, it reveals a truncation
	Torn  int    // bytes of an incomplete last line
	Lost  int    // records that, as the trail itself says, could not be written
	Cuts  int    // lines that, as the trail itself says, a crash truncated
	Break *Break // the first line that does not match; nil if all do
}

// A Break is where a trail differs from what was written.
type Break struct {
	File    string
	Line    int    // in the file, from 1
	Reason  string // what does not match
	Meaning string // what that means
}

// Verify reads the trail at name, oldest file first. The error says why it
// cannot be read; what is wrong with it is in the Report.
func Verify(name string) (Report, error) {
	var names []string
	for i := 0; ; i++ {
		one := rotatedName(name, i)
		if _, err := os.Stat(one); errors.Is(err, fs.ErrNotExist) {
			if i > 0 {
				break
			}
			continue // no trail yet, or an interrupted rotation
		} else if err != nil {
			return Report{}, fmt.Errorf("read audit trail: %w", err)
		}
		names = append([]string{one}, names...)
	}
	v := &verifier{}
	for _, one := range names {
		v.current = one == names[len(names)-1]
		if err := v.read(one); err != nil {
			return Report{}, fmt.Errorf("read audit trail: %w", err)
		}
		if v.Break != nil {
			break
		}
	}
	return v.Report, nil
}

type verifier struct {
	Report

	current bool // the current file, the only one whose last line may be incomplete
}

func (v *verifier) read(name string) error {
	f, err := os.Open(name)
	if err != nil {
		return err
	}
	defer f.Close() //nolint:errcheck // only read
	v.Files++
	r := bufio.NewReader(f)
	for n := 1; ; n++ {
		text, err := r.ReadBytes('\n')
		switch {
		case errors.Is(err, io.EOF) && len(text) == 0:
			return nil
		case errors.Is(err, io.EOF) && v.current:
			v.Torn = len(text)
			return nil
		case err != nil && !errors.Is(err, io.EOF):
			return err
		}
		if v.Break = v.line(bytes.TrimSuffix(text, []byte("\n"))); v.Break != nil {
			v.Break.File, v.Break.Line = name, n
			return nil
		}
	}
}

// line checks one line against the one before.
func (v *verifier) line(text []byte) *Break {
	var l line
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(&l); err != nil || l.Seq == 0 || l.Prev == "" {
		return &Break{Reason: "it is not a line of an audit trail", Meaning: "It was changed after it was written, or the disk damaged it."}
	}
	switch {
	case v.Lines == 0 && l.Seq == 1 && l.Prev != firstHash:
		return &Break{Reason: "it is the first line and refers to another", Meaning: "Lines before it were removed and this one was changed."}
	case v.Lines == 0:
		v.First = l.Seq
	case l.Seq > v.Last+1:
		return &Break{
			Reason:  fmt.Sprintf("it has number %d and follows number %d", l.Seq, v.Last),
			Meaning: fmt.Sprintf("%d lines before it were removed.", l.Seq-v.Last-1),
		}
	case l.Seq <= v.Last:
		return &Break{
			Reason:  fmt.Sprintf("it has number %d and follows number %d", l.Seq, v.Last),
			Meaning: "Lines were inserted or moved, or the trail was restored from a copy.",
		}
	case l.Prev != v.Hash:
		return &Break{
			Reason:  "it does not have the hash of the line before it",
			Meaning: fmt.Sprintf("The line before it, number %d, was changed after it was written; or this one was.", v.Last),
		}
	}
	v.Lines++
	v.Last, v.Hash = l.Seq, hashLine(text)
	switch l.Event {
	case Torn:
		v.Cuts++
	case Lost:
		v.Lost += l.Count
	}
	return nil
}
