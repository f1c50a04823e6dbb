package sqlstore

import (
	"errors"
	"fmt"
	"testing"
	"time"
)

// A commit whose answer is lost may have been made or not: the error says that nobody knows.
func TestLostCommit(t *testing.T) {
	way := postgres.NewFaultConnection(t)
	for made, lose := range []func(){way.InterruptCommit, way.InterruptAnswer} {
		t.Run(fmt.Sprintf("made %d", made), func(t *testing.T) {
			s, err := Open(t.Context(), Options{Database: way.URL, Schema: tables, Now: time.Now})
			if err != nil {
				t.Fatal(err)
			}
			defer s.Close()
			lose()
			err = s.Write(t.Context(), func(c *Conn) error {
				_, err := c.Exec(t.Context(), "CREATE TABLE made (id INT)")
				return err
			})
			if !errors.Is(err, ErrCommitUnknown) {
				t.Errorf("got %v", err)
			}
			var tables int
			if err := s.Reader().QueryRow(t.Context(), "SELECT count(*) FROM pg_tables WHERE tablename = 'made'").Scan(&tables); err != nil || tables != made {
				t.Errorf("%d tables, want %d (%v)", tables, made, err)
			}
		})
	}
}
