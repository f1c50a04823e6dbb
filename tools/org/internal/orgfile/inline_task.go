package orgfile

// An InlineTask is a task in the text of an entry: a line with so many stars that
// it is no heading, where Settings.InlineTasks says so. What stands below it, down
// to a line of as many stars and END, is its text.
type InlineTask struct {
	Line   Span // without its line break
	Drawer Span // its properties
}

// InlineTasks returns the inline tasks in the text of headline i, or above the first
// headline for -1. Their END lines are among them.
func (f *File) InlineTasks(i int) []InlineTask {
	if f.Settings.InlineTasks == 0 {
		return nil
	}
	at, end := f.start, len(f.Source)
	if i >= 0 {
		at, end = f.nextLine(int(f.Headlines[i].LineEnd)), f.entryEnd(i)
	} else if len(f.Headlines) > 0 {
		end = int(f.Headlines[0].Begin)
	}
	var tasks []InlineTask
	for at < end {
		lineEnd, next := lineAt(f.Source, at, f.CRLF)
		if f.Source[at] == '*' && Stars(f.Source[at:lineEnd]) > 0 {
			meta := ParseMeta(f.Source[:end], next, f.CRLF, &f.Settings)
			tasks = append(tasks, InlineTask{Span{int32(at), int32(lineEnd)}, meta.Drawer})
		}
		at = next
	}
	return tasks
}
