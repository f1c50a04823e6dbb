package status

// A SourceCheckRequest asks for one check of a source's System.
type SourceCheckRequest struct {
	Source string `json:"source"`
	Check  string `json:"check"` // without the System's name
	// Interactive means that questions for a person will be answered.
	Interactive bool `json:"interactive,omitempty"`
	// MayWrite lets the check write something and take it back.
	MayWrite bool `json:"may_write,omitempty"`
}

// A SourceCheckUpdate is one of the two.
type SourceCheckUpdate struct {
	Question *Question `json:"question,omitempty"`
	Check    *Check    `json:"check,omitempty"` // the last update
}

// A Question asks a person to do something in another program.
type Question struct {
	ID   string `json:"id"`
	Text string `json:"text"`
}

// A QuestionAnswer is what a person answers.
type QuestionAnswer struct {
	ID   string `json:"id"`
	Done bool   `json:"done"` // they did it
}
