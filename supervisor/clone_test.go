package supervisor

import (
	"encoding/json"
	"reflect"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/lectern-mcp/lectern/status"
)

// Whatever a Snapshot comes to hold, a later Update changes none that was handed
// out, and who got one changes nothing for others.
func TestSnapshotsShareNothing(t *testing.T) {
	s := NewSnapshotStore(time.Now)
	s.Update(func(snap *status.Snapshot) { visitValues(reflect.ValueOf(snap), fill) })
	handed, taken := s.Snapshot(), s.Snapshot()
	want := cloneOf(t, handed)
	visitValues(reflect.ValueOf(&taken), overwrite)
	if diff := cmp.Diff(want, s.Snapshot()); diff != "" {
		t.Errorf("who was handed a snapshot changed the state (-want +got):\n%s", diff)
	}
	s.Update(func(snap *status.Snapshot) { visitValues(reflect.ValueOf(snap), overwrite) })
	if diff := cmp.Diff(want, handed); diff != "" {
		t.Errorf("a later Update changed a snapshot (-want +got):\n%s", diff)
	}
}

// cloneOf is a copy by way of JSON, which shares nothing.
func cloneOf(t *testing.T, s status.Snapshot) (copied status.Snapshot) {
	t.Helper()
	b, err := json.Marshal(s)
	if err == nil {
		err = json.Unmarshal(b, &copied)
	}
	if err != nil {
		t.Fatal(err)
	}
	return copied
}

// visitValues changes all that v leads to: first what it points to or lists, and
// then each value in that.
func visitValues(v reflect.Value, change func(reflect.Value)) {
	change(v)
	switch {
	case v.Type() == reflect.TypeFor[time.Time]():
	case v.Kind() == reflect.Pointer:
		visitValues(v.Elem(), change)
	case v.Kind() == reflect.Struct:
		for _, field := range v.Fields() {
			visitValues(field, change)
		}
	case v.Kind() == reflect.Slice:
		for i := range v.Len() {
			visitValues(v.Index(i), change)
		}
	case v.Kind() == reflect.Map:
		for _, k := range v.MapKeys() {
			copied := reflect.New(v.Type().Elem()).Elem()
			copied.Set(v.MapIndex(k))
			visitValues(copied, change)
			v.SetMapIndex(k, copied)
		}
	case v.Kind() == reflect.Interface || v.Kind() == reflect.Chan:
		panic("a snapshot holds a " + v.Type().String() + ", which this test does not know to copy")
	}
}

func fill(v reflect.Value) {
	switch {
	case v.Type() == reflect.TypeFor[time.Time]():
		v.Set(reflect.ValueOf(time.Unix(1, 0).UTC()))
	case v.Kind() == reflect.Pointer && v.CanSet():
		v.Set(reflect.New(v.Type().Elem()))
	case v.Kind() == reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 1, 4)) // with room, so that an append would stay in it
	case v.Kind() == reflect.Map:
		v.Set(reflect.MakeMap(v.Type()))
		v.SetMapIndex(reflect.ValueOf("key"), reflect.Zero(v.Type().Elem()))
	default:
		scalar(v, "first", 1)
	}
}

func overwrite(v reflect.Value) {
	if v.Type() == reflect.TypeFor[time.Time]() {
		v.Set(reflect.ValueOf(time.Unix(2, 0).UTC()))
		return
	}
	scalar(v, "later", 2)
}

func scalar(v reflect.Value, text string, number int) {
	switch {
	case v.Kind() == reflect.String:
		v.SetString(text)
	case v.Kind() == reflect.Bool:
		v.SetBool(number == 1)
	case v.CanInt():
		v.SetInt(int64(number))
	case v.CanUint():
		v.SetUint(uint64(number))
	case v.CanFloat():
		v.SetFloat(float64(number))
	}
}
