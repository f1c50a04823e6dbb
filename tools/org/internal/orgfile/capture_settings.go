package orgfile

// A CaptureTemplate is one of Emacs's org-capture-templates.
type CaptureTemplate struct {
	Key, Name  string
	Type       string   // entry, item, checkitem or table-line
	File       string   // as Emacs's user writes it; "" is the inbox
	Headline   string   // title of the headline of any level that it goes below, "" for none
	Path       []string // or its titles from the top down
	ID         string   // or its ID, of any file
	DateTree   bool     // below today in a date tree
	Text       string   // with % escapes
	Prepend    bool
	EmptyLines int
	Unusable   string // why nothing can be captured by it without Lisp, "" if it can
}

// DefaultCapture is what Settings have while no templates are set: a task in the inbox.
func DefaultCapture() []CaptureTemplate {
	return []CaptureTemplate{{Key: "t", Name: "Task", Type: "entry", Text: "* TODO %?\n%U\n%i"}}
}
