package status

// MaxPathNames bounds the names of one answer to a [CompletePathQuery].
const MaxPathNames = 200

// A PathPrefix is the beginning of a path on this machine, as a person types it.
type PathPrefix struct {
	Path  string `json:"path"`            // "~" and "~/…" are the home folder
	Files bool   `json:"files,omitempty"` // files complete it too, not only folders
}

// A PathCompletion is what completes a [PathPrefix].
type PathCompletion struct {
	Dir string `json:"dir"` // the beginning that stays: up to the last separator, or "~/"
	// Names complete Dir, in the order of the names, at most [MaxPathNames]. Those of
	// folders end with a separator.
	Names []string `json:"names"`
	More  int      `json:"more,omitempty"` // how many are left out
	// Folder reports that the path names a folder as it is.
	Folder bool `json:"folder,omitempty"`
}
