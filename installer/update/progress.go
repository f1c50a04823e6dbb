package update

import "fmt"

// A Step must succeed before the next one begins.
type Step string

// The steps, in their order.
const (
	Signature Step = "signature" // the list of checksums is signed by a key we trust
	Version   Step = "version"   // and is of the version that was asked for
	Download  Step = "download"  // the archive is here
	Checksum  Step = "checksum"  // and is the one in the list
	Extract   Step = "extract"   // it holds the binary, and nothing suspicious
	Platform  Step = "platform"  // the binary is signed for this system
	Run       Step = "run"       // it starts and prints its version
	Swap      Step = "swap"      // it is installed
	Restart   Step = "restart"   // its hub serves
)

// Progress is one line for a person. Download is reported repeatedly while bytes
// arrive, every other step once, when it is done.
type Progress struct {
	Step        Step
	Note        string  // what was found: "signed by key 1A2B"
	Done, Total int64   // bytes, for Download; Total 0: not known
	Rate        float64 // bytes per second, for Download
}

// A StepError says which step failed. In every case a working binary is
// installed: the old one, unless the error says that Swap was not undone.
type StepError struct {
	Step   Step
	Manual string // where a person can download the release
	Cause  error
}

func (e *StepError) Error() string { return fmt.Sprintf("update lectern: %s: %v", e.Step, e.Cause) }

func (e *StepError) Unwrap() error { return e.Cause }

func (u *Updater) report(step Step, format string, args ...any) {
	u.Progress(Progress{Step: step, Note: fmt.Sprintf(format, args...)})
}

func (u *Updater) stepError(step Step, version string, err error) error {
	return &StepError{Step: step, Manual: u.source.pageURL(version), Cause: err}
}
