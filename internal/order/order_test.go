package order

import (
	"cmp"
	"math/rand/v2"
	"slices"
	"testing"
)

type row struct{ key, place int }

func byKey(a, b row) int { return cmp.Compare(a.key, b.key) }

// The order is that of package slices, to the last element where it is stable.
func TestSort(t *testing.T) {
	for seed := range uint64(200) {
		r := rand.New(rand.NewPCG(seed, 1))
		list := make([]row, r.IntN(200))
		for i := range list {
			list[i] = row{r.IntN(20), i}
		}
		want, sorted := slices.Clone(list), slices.Clone(list)
		slices.SortStableFunc(want, byKey)
		SortStable(sorted, byKey)
		if !slices.Equal(sorted, want) {
			t.Fatalf("seed %d: %v, want %v", seed, sorted, want)
		}
		Sort(list, byKey)
		if !slices.IsSortedFunc(list, byKey) {
			t.Fatalf("seed %d: %v is not sorted", seed, list)
		}
		slices.SortFunc(list, func(a, b row) int { return cmp.Compare(a.place, b.place) })
		slices.SortFunc(want, func(a, b row) int { return cmp.Compare(a.place, b.place) })
		if !slices.Equal(list, want) {
			t.Fatalf("seed %d: elements were lost", seed)
		}
	}
}
