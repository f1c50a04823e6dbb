package org

import (
	"context"
	"fmt"
	"strings"

	"github.com/lectern-mcp/lectern/status"
	"github.com/lectern-mcp/lectern/tools"
)

// fileChecks are what `lectern doctor org` looks at, for each source.
func fileChecks() []tools.Check[*Source] {
	return []tools.Check[*Source]{
		{Name: "files", Title: "Org files can be read", Look: (*Source).checkFiles},
		{Name: "duplicates", Title: "Every ID is used once", Look: (*Source).checkDuplicates},
		{Name: "roam", Title: "org-roam's database is up to date", Look: (*Source).checkRoam},
	}
}

func (s *Source) checkFiles(ctx context.Context, _ tools.Doctor) status.Check {
	names, err := s.fileNames(ctx)
	if err != nil {
		return status.Check{Result: status.CheckSkipped, Detail: "the files cannot be listed: " + tools.AsError(err).Message}
	}
	bad, headlines := []string{}, 0
	for _, name := range names {
		f, err := s.file(name)
		if err != nil {
			bad = append(bad, name)
			continue
		}
		headlines += len(f.Headlines)
	}
	if len(bad) > 0 {
		return status.Check{
			Result: status.CheckWarn, Detail: fmt.Sprintf("%d of %d files cannot be read, such as %s", len(bad), len(names), bad[0]),
			Fix: "Check the permissions of the file.",
		}
	}
	if missing := s.config.missingFiles(); len(missing) > 0 {
		return status.Check{
			Result: status.CheckWarn, Detail: "files names what is not there: " + strings.Join(missing, ", "), Fix: missingFiles.Fix,
		}
	}
	if len(names) == 0 {
		return status.Check{
			Result: status.CheckWarn, Detail: "the source has no Org files", Fix: "Correct path or files of the source in the configuration file.",
		}
	}
	return status.Check{Result: status.CheckOK, Detail: fmt.Sprintf("%d files with %d headlines", len(names), headlines)}
}

func (s *Source) checkDuplicates(ctx context.Context, _ tools.Doctor) status.Check {
	names, err := s.fileNames(ctx)
	if err != nil {
		return status.Check{Result: status.CheckSkipped, Detail: "the files cannot be listed: " + tools.AsError(err).Message}
	}
	for _, name := range names {
		if f, err := s.file(name); err == nil {
			s.ids.add(f)
		}
	}
	if all := s.ids.duplicates(); len(all) > 0 {
		var twice []string
		for _, d := range all[:min(3, len(all))] {
			if f, err := s.file(d.copy); err == nil {
				twice = append(twice, s.ids.describe(d, f))
			}
		}
		return status.Check{
			Result: status.CheckWarn, Detail: fmt.Sprintf("%d IDs are used twice: %s", len(all), strings.Join(twice, "; ")),
			Fix: "Remove the ID property of the copy.",
		}
	}
	return status.Check{Result: status.CheckOK, Detail: fmt.Sprintf("%d IDs", s.ids.count())}
}
