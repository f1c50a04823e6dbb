// Package order sorts slices of structs by one copy of the code. The compiler makes a
// copy of slices.SortFunc for each type of element, 14 KB each: where a list is short, or
// sorted seldom, this package takes half a megabyte less. Long lists that calls wait for
// are sorted by package slices, which is faster, and so are slices of pointers and of
// strings, for which there is one copy anyway.
//
// It knows no other package. Systems and the rooms around the hub import it.
package order

import "sort"

// Sort sorts list by compare, as slices.SortFunc does.
func Sort[E any](list []E, compare func(a, b E) int) {
	sort.Slice(list, func(i, j int) bool { return compare(list[i], list[j]) < 0 })
}

// SortStable sorts list by compare and leaves what is equal in its order, as
// slices.SortStableFunc does.
func SortStable[E any](list []E, compare func(a, b E) int) {
	sort.SliceStable(list, func(i, j int) bool { return compare(list[i], list[j]) < 0 })
}
