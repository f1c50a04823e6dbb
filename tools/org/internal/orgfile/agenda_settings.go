package orgfile

// AgendaSettings are the Emacs variables that decide what an agenda shows.
type AgendaSettings struct {
	WarningDays          int  // before a deadline without a period of its own
	DeadlineOverdueDays  int  // how long an overdue deadline is shown
	ScheduledOverdueDays int  // how long what was scheduled is shown
	StartWeekday         int  // of a week's agenda, 0 for Sunday; -1 starts on the day asked for
	SkipScheduledDone    bool // do not show what is done on its day
	SkipDeadlineDone     bool
	SkipTimestampDone    bool
	SkipRepeat           bool // do not show repetitions after today
	Habits               bool // org-habit is loaded
}

// defaultAgenda is what Emacs has by default.
func defaultAgenda() AgendaSettings {
	return AgendaSettings{WarningDays: 14, DeadlineOverdueDays: 10000, ScheduledOverdueDays: 10000, StartWeekday: 1}
}
