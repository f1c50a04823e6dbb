// Command goorg parses an Org file with go-org and prints the median time of five
// runs in seconds. It is built with .ci/dev.mod, by BenchmarkParsers.
package main

import (
	"bytes"
	"fmt"
	"io"
	"log"
	"os"
	"slices"
	"time"

	"github.com/niklasfasching/go-org/org"
)

func main() {
	text, err := os.ReadFile(os.Args[1])
	if err != nil {
		log.Fatal(err)
	}
	var took []float64
	for range 5 {
		config := org.New()
		config.Log = log.New(io.Discard, "", 0)
		began := time.Now()
		if d := config.Parse(bytes.NewReader(text), os.Args[1]); d.Error != nil {
			log.Fatal(d.Error)
		}
		took = append(took, time.Since(began).Seconds())
	}
	slices.Sort(took)
	fmt.Println("go-org", took[2])
}
