package audit

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"time"
)

// A line is a Record in the file. Prev is the hash of the line before, without
// its line end; that of the very first line is all zeros.
type line struct {
	Seq      uint64    `json:"seq"`
	Prev     string    `json:"prev"`
	Time     time.Time `json:"time"`
	Event    string    `json:"event,omitempty"`
	Count    int       `json:"count,omitempty"`
	Session  string    `json:"session,omitempty"`
	Client   string    `json:"client,omitempty"`
	Proven   bool      `json:"proven,omitempty"`
	Source   string    `json:"source,omitempty"`
	Tool     string    `json:"tool,omitempty"`
	Effect   string    `json:"effect,omitempty"`
	Micros   int64     `json:"us,omitempty"`
	Asked    int       `json:"asked,omitempty"`
	Answered int       `json:"answered,omitempty"`
	Args     string    `json:"args,omitempty"`
	Code     string    `json:"code,omitempty"`
}

// firstHash is the Prev of the first line.
const firstHash = "0000000000000000000000000000000000000000000000000000000000000000"

func hashLine(text []byte) string {
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}

// A chain is the end of a file, which the next line refers to.
type chain struct {
	seq  uint64
	hash string
}

// encode appends r as the next line of the chain.
func (c *chain) encode(b []byte, r Record) ([]byte, error) {
	text, err := json.Marshal(line{
		Seq: c.seq + 1, Prev: c.hash, Time: r.Time.UTC(), Event: r.Event, Count: r.Count,
		Session: r.Session, Client: r.Client, Proven: r.Proven, Source: r.Source, Tool: r.Tool, Effect: r.Effect,
		Micros: r.Duration.Microseconds(), Asked: r.Asked, Answered: r.Answered, Args: r.Args, Code: r.Code,
	})
	if err != nil {
		return b, err
	}
	c.seq++
	c.hash = hashLine(text)
	return append(append(b, text...), '\n'), nil
}
