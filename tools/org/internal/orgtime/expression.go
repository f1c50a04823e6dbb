package orgtime

import (
	"time"

	"github.com/lectern-mcp/lectern/tools/org/internal/lispdata"
)

// expressionFalls says whether a diary expression falls on a day. Known are
// diary-date, diary-float, diary-block, diary-anniversary, diary-cyclic, their
// org- forms and org-class, with constant arguments.
func expressionFalls(v lispdata.Value, day Day) (yes, known bool) {
	if v.Kind != lispdata.List || len(v.Items) == 0 || v.Tail != nil {
		return false, false
	}
	args := v.Items[1:]
	switch name := v.Items[0].Text; name {
	case "diary-float":
		return floatFalls(args, day)
	case "org-class":
		return classFalls(args, day)
	case "diary-date", "org-date":
		return dateFalls(inIsoOrder(args, name == "org-date"), day)
	case "diary-anniversary", "org-anniversary":
		if len(args) == 2 && name == "diary-anniversary" {
			args = append(args[:2:2], lispdata.Value{Kind: lispdata.Integer, Int: -100000})
		}
		at, ok := dayOf(inIsoOrder(args, name == "org-anniversary"))
		return ok && anniversary(at, day), ok
	case "diary-block", "org-block":
		if len(args) != 6 {
			return false, false
		}
		iso := name == "org-block"
		from, ok := dayOf(inIsoOrder(args[:3], iso))
		to, ok2 := dayOf(inIsoOrder(args[3:], iso))
		return day >= from && day <= to, ok && ok2
	case "diary-cyclic", "org-cyclic":
		if len(args) != 4 || args[0].Kind != lispdata.Integer || args[0].Int <= 0 {
			return false, false
		}
		from, ok := dayOf(inIsoOrder(args[1:], name == "org-cyclic"))
		return day >= from && int(day-from)%args[0].Int == 0, ok
	}
	return false, false
}

// inIsoOrder brings month, day, year, the order of the diary's functions, into
// the order year, month, day of Org's.
func inIsoOrder(args []lispdata.Value, iso bool) []lispdata.Value {
	if iso || len(args) != 3 {
		return args
	}
	return []lispdata.Value{args[2], args[0], args[1]}
}

func dayOf(args []lispdata.Value) (Day, bool) {
	if len(args) != 3 {
		return 0, false
	}
	for _, a := range args {
		if a.Kind != lispdata.Integer {
			return 0, false
		}
	}
	return NewDay(args[0].Int, time.Month(args[1].Int), args[2].Int), true
}

// anniversary says whether day is one of at, in a later year. That of 29 February
// is on 1 March in other years.
func anniversary(at, day Day) bool {
	a, d := at.Date(), day.Date()
	return d.Year() > a.Year() && day == NewDay(d.Year(), a.Month(), a.Day())
}

// dateFalls handles lists of numbers and t for any in each place.
func dateFalls(args []lispdata.Value, day Day) (yes, known bool) {
	if len(args) != 3 {
		return false, false
	}
	date := day.Date()
	yes = true
	for i, n := range []int{date.Year(), int(date.Month()), date.Day()} {
		is, ok := oneOf(args[i], n)
		if !ok {
			return false, false
		}
		yes = yes && is
	}
	return yes, true
}

// oneOf says whether v is n, a list with n in it, or t.
func oneOf(v lispdata.Value, n int) (is, known bool) {
	switch v.Kind {
	case lispdata.Integer:
		return v.Int == n, true
	case lispdata.Symbol:
		return v.Text == "t", v.Text == "t"
	case lispdata.List:
		for _, item := range v.Items {
			if item.Kind != lispdata.Integer {
				return false, false
			}
			is = is || item.Int == n
		}
		return is, true
	default:
		return false, false
	}
}

// floatFalls is (diary-float MONTH DAYNAME N): the n-th day of a name in a month,
// counted from its end for a negative n.
func floatFalls(args []lispdata.Value, day Day) (yes, known bool) {
	if len(args) != 3 || args[1].Kind != lispdata.Integer || args[2].Kind != lispdata.Integer || args[2].Int == 0 {
		return false, false
	}
	date := day.Date()
	inMonth, known := oneOf(args[0], int(date.Month()))
	n := 1 + (date.Day()-1)/7
	if args[2].Int < 0 {
		last := time.Date(date.Year(), date.Month()+1, 0, 0, 0, 0, 0, time.UTC).Day()
		n = -1 - (last-date.Day())/7
	}
	return inMonth && int(date.Weekday()) == args[1].Int && n == args[2].Int, known
}

// classFalls is (org-class Y1 M1 D1 Y2 M2 D2 DAYNAME SKIP-WEEKS...): a day of the
// week between two dates, but for the ISO weeks that are skipped.
func classFalls(args []lispdata.Value, day Day) (yes, known bool) {
	if len(args) < 7 {
		return false, false
	}
	from, ok := dayOf(args[:3])
	to, ok2 := dayOf(args[3:6])
	if !ok || !ok2 || args[6].Kind != lispdata.Integer {
		return false, false
	}
	date := day.Date()
	_, week := date.ISOWeek()
	for _, skip := range args[7:] {
		if skip.Kind != lispdata.Integer {
			return false, false // a symbol asks for holidays, which need Lisp
		}
		if skip.Int == week {
			return false, true
		}
	}
	return day >= from && day <= to && int(date.Weekday()) == args[6].Int, true
}
