package sqlstore

// A Version stands for everything that is committed in a SQLite file: of two equal ones,
// nothing was committed between them, by no process.
//
// It is the head of SQLite's index of its log, which each commit writes twice, one after the
// other (https://www.sqlite.org/walformat.html). It counts the commits, and has the length
// of the log and a sum over it.
type Version [6]uint64

// Version returns the present version, without a lock and without asking the system. It is
// known of stores that were opened with Versions. It is not known of PostgreSQL, on systems
// other than Linux and macOS, and for a moment while somebody commits.
func (s *Store) Version() (v Version, known bool) {
	if s.commits == nil {
		return v, false
	}
	return s.commits.version()
}
