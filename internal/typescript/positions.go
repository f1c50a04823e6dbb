package typescript

import (
	"errors"
	"slices"
	"strings"
)

// positions are the lines of a source map: for each line of the code, where in
// the source its parts come from.
type positions [][]mapping

// mapping is one part of a line, which begins at a column of the code. All
// numbers are from 0.
type mapping struct{ column, sourceLine, sourceColumn int }

// Position maps a line and a column of the code, both from 1, to the source.
// Zeros mean that nothing of the source is there.
func (o Output) Position(line, column int) (sourceLine, sourceColumn int) {
	if line < 1 || line > len(o.positions) {
		return 0, 0
	}
	parts := o.positions[line-1]
	i, found := slices.BinarySearchFunc(parts, column-1, func(m mapping, column int) int { return m.column - column })
	if !found {
		i-- // the part that began before
	}
	if i < 0 {
		return 0, 0
	}
	sourceLine, sourceColumn = parts[i].sourceLine+1, parts[i].sourceColumn+1
	if sourceLine == 1 {
		sourceColumn = max(1, sourceColumn-o.prefix)
	}
	return sourceLine, sourceColumn
}

const base64 = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"

var errMappings = errors.New("the source map is invalid")

// parsePositions reads the mappings of a source map: lines are separated by
// semicolons, parts by commas, and each part has numbers in base 64, each the
// difference to the one before.
func parsePositions(mappings string) (positions, error) {
	var p positions
	var last [4]int // column, source, line, column
	for line := range strings.SplitSeq(mappings, ";") {
		var parts []mapping
		last[0] = 0
		for part := range strings.SplitSeq(line, ",") {
			if part == "" {
				continue
			}
			n := 0
			for part != "" {
				var difference int
				var err error
				if difference, part, err = nextNumber(part); err != nil {
					return nil, err
				}
				if n < len(last) {
					last[n] += difference
				}
				n++
			}
			if n >= len(last) {
				parts = append(parts, mapping{last[0], last[2], last[3]})
			}
		}
		p = append(p, parts)
	}
	return p, nil
}

// nextNumber reads a number: five bits a digit, the sign in the lowest bit.
func nextNumber(digits string) (number int, rest string, err error) {
	for shift := 0; digits != "" && shift < 35; shift += 5 {
		digit := strings.IndexByte(base64, digits[0])
		if digit < 0 {
			return 0, "", errMappings
		}
		digits = digits[1:]
		number |= digit & 31 << shift
		if digit&32 == 0 {
			if number&1 != 0 {
				return -(number >> 1), digits, nil
			}
			return number >> 1, digits, nil
		}
	}
	return 0, "", errMappings
}
