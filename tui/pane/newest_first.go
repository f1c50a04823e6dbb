package pane

// newestFirst are numbers of calls, the newest first. One is added at either end in a constant
// time, however many there are.
type newestFirst struct {
	room  []uint64 // the numbers, behind room for newer ones
	begin int      // of the numbers
}

// all returns the numbers; they must not be changed.
func (l *newestFirst) all() []uint64 { return l.room[l.begin:] }

func (l *newestFirst) addNewer(n uint64) {
	if l.begin == 0 {
		l.begin = max(64, len(l.room))
		l.room = append(make([]uint64, l.begin, 2*l.begin+len(l.room)), l.room...)
	}
	l.begin--
	l.room[l.begin] = n
}

func (l *newestFirst) addOlder(n uint64) { l.room = append(l.room, n) }

func (l *newestFirst) dropOldest() { l.room = l.room[:len(l.room)-1] }
