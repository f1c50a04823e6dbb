// Package house holds the rules of the house: tests that read the whole repository.
package house

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
)

// TestMain runs the tests in the root of the module, where the files are that they name.
func TestMain(m *testing.M) {
	if err := os.Chdir(filepath.Join("..", "..")); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	m.Run()
}
