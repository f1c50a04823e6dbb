package status

// FirstQuestion is what a person can ask an agent that was just connected, so that it
// calls a tool. source is what the question is about; empty: whatever there is.
func FirstQuestion(source string) string {
	if source == "" {
		return "List the pages that lectern shows you, and tell me what they are about."
	}
	return "List the pages of " + source + " with lectern, and tell me what they are about."
}
