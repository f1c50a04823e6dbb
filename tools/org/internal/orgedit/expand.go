package orgedit

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

// A CaptureInput is what stands for the % escapes of a template.
type CaptureInput struct {
	Title   string            // at %?
	Text    string            // at %i, and behind everything where the template has no %i
	Link    string            // at %a and the like
	Tags    []string          // at %^g
	Answers map[string]string // to %^{prompts}
}

// An Expansion is the text of a template without % escapes, and the properties that
// its %^{name}p ask for.
type Expansion struct {
	Text       string
	Properties map[string]string
}

var promptPattern = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^%\^(?:\{([^}]*)\})?([gGtTuUpCL]?)`) })

// Expand fills the % escapes of a template as org-capture does. What Emacs takes from
// its clipboard, clock and mail is empty. Text that is put in is not expanded.
func Expand(template string, in CaptureInput, now time.Time) (Expansion, error) {
	x := expander{in: in, now: now, properties: map[string]string{}}
	for rest := template; rest != ""; {
		var err error
		switch {
		case strings.HasPrefix(rest, `\%`):
			x.out.WriteByte('%')
			rest = rest[2:]
		case rest[0] != '%':
			end := strings.IndexAny(rest[1:], `%\`) + 1
			if end == 0 {
				end = len(rest)
			}
			x.out.WriteString(rest[:end])
			rest = rest[end:]
		case strings.HasPrefix(rest, "%^"):
			rest, err = x.prompt(rest)
		default:
			rest, err = x.escape(rest)
		}
		if err != nil {
			return Expansion{}, err
		}
	}
	return x.finish()
}

type expander struct {
	in             CaptureInput
	now            time.Time
	out            strings.Builder
	asked          []string // prompts
	given          []string // the answers to them
	properties     map[string]string
	titled, bodied bool
}

func (x *expander) finish() (Expansion, error) {
	for name := range x.in.Answers {
		if !slices.Contains(x.asked, name) {
			return Expansion{}, fmt.Errorf("answers: the template does not ask for %q; it asks for %q", name, x.asked)
		}
	}
	if x.in.Title != "" && !x.titled {
		return Expansion{}, fmt.Errorf("title: the template has no place for it (%%?)")
	}
	text := x.out.String()
	if x.in.Text != "" && !x.bodied {
		if !strings.HasPrefix(text, "*") {
			return Expansion{}, fmt.Errorf("text: the template has no place for it (%%i)")
		}
		text = strings.TrimRight(text, "\n") + "\n" + x.in.Text
	}
	return Expansion{text, x.properties}, nil
}

// escape fills the escape that rest starts with and returns what follows it.
func (x *expander) escape(rest string) (string, error) {
	if len(rest) < 2 {
		x.out.WriteString(rest)
		return "", nil
	}
	switch c := rest[1]; c {
	case '?':
		x.titled = true
		x.out.WriteString(x.in.Title)
	case 'i':
		return rest[2:], x.initial()
	case 't', 'T', 'u', 'U':
		x.out.WriteString(stampAt(x.now, c))
	case 'a', 'A', 'l', 'L':
		x.out.WriteString(x.in.Link)
	case 'c', 'x', 'f', 'F', 'k', 'K', 'n':
	case '<':
		format, after, closed := strings.Cut(rest[2:], ">")
		text, err := formatTime(format, x.now)
		if !closed || err != nil {
			return "", fmt.Errorf("the template has a time that is not understood: %.40q", rest)
		}
		x.out.WriteString(text)
		return after, nil
	case ':':
		return strings.TrimLeft(rest[2:], "-abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"), nil
	case '\\':
		return x.repeatAnswer(rest)
	default:
		x.out.WriteByte('%')
		return rest[1:], nil
	}
	return rest[2:], nil
}

// initial puts in the text. Each of its lines starts with what stands in front of %i.
func (x *expander) initial() error {
	x.bodied = true
	text := x.out.String()
	lead := text[strings.LastIndexByte(text, '\n')+1:]
	if strings.HasPrefix(lead, "*") && strings.Contains(x.in.Text, "\n") {
		return fmt.Errorf("text: the template puts it into a heading, which is one line")
	}
	x.out.WriteString(strings.ReplaceAll(x.in.Text, "\n", "\n"+lead))
	return nil
}

// prompt answers a question of the template.
func (x *expander) prompt(rest string) (string, error) {
	m := promptPattern().FindStringSubmatch(rest)
	after := rest[len(m[0]):]
	parts := strings.Split(m[1], "|")
	name, kind := parts[0], m[2]
	if name == "" {
		name = map[string]string{"g": "tags", "G": "tags", "t": "date", "T": "date", "u": "date", "U": "date"}[kind]
	}
	if kind == "C" || kind == "L" || name == "" {
		return after, nil // the clipboard
	}
	if kind == "g" || kind == "G" {
		if len(x.in.Tags) > 0 {
			x.out.WriteString(":" + strings.Join(x.in.Tags, ":") + ":")
		}
		return after, nil
	}
	x.asked = append(x.asked, name)
	value, ok := x.in.Answers[name]
	switch {
	case ok:
	case len(parts) > 1:
		value = parts[1]
	case kind == "" || kind == "p":
		return "", fmt.Errorf("answers: the template asks for %q", name)
	default:
		value = "today"
	}
	if kind == "p" {
		x.properties[name] = value
		return after, nil
	}
	if kind != "" {
		s, err := readDate(value, x.now, x.now)
		if err != nil {
			return "", fmt.Errorf("answers: %s: %w", name, err)
		}
		if kind == "T" || kind == "U" {
			if !s.hasTime {
				s.hasTime, s.hour, s.minute = true, x.now.Hour(), x.now.Minute()
			}
		}
		value = s.format(map[string]byte{"t": '<', "T": '<', "u": '[', "U": '['}[kind])
	}
	x.given = append(x.given, value)
	x.out.WriteString(value)
	return after, nil
}

// repeatAnswer puts in the n-th answer once more.
func (x *expander) repeatAnswer(rest string) (string, error) {
	digits := rest[2:]
	digits = digits[:len(digits)-len(strings.TrimLeft(digits, "0123456789"))]
	n, err := strconv.Atoi(digits)
	if err != nil || n < 1 || n > len(x.given) {
		return "", fmt.Errorf("the template repeats an answer that it has not asked for: %.20q", rest)
	}
	x.out.WriteString(x.given[n-1])
	return rest[2+len(digits):], nil
}

func stampAt(now time.Time, kind byte) string {
	return now.Format(map[byte]string{
		't': "<2006-01-02 Mon>", 'T': "<2006-01-02 Mon 15:04>", 'u': "[2006-01-02 Mon]", 'U': "[2006-01-02 Mon 15:04]",
	}[kind])
}

// formatTime is Emacs's format-time-string for what templates use.
func formatTime(format string, now time.Time) (string, error) {
	layouts := map[byte]string{
		'Y': "2006", 'y': "06", 'm': "01", 'd': "02", 'e': "_2", 'H': "15", 'I': "03", 'M': "04", 'S': "05", 'p': "PM",
		'a': "Mon", 'A': "Monday", 'b': "Jan", 'h': "Jan", 'B': "January", 'j': "002", 'F': "2006-01-02", 'T': "15:04:05", 'R': "15:04",
		'z': "-0700",
	}
	var b strings.Builder
	for i := 0; i < len(format); i++ {
		if format[i] != '%' || i+1 == len(format) {
			b.WriteByte(format[i])
			continue
		}
		i++
		switch layout, ok := layouts[format[i]]; {
		case ok:
			b.WriteString(now.Format(layout))
		case format[i] == '%':
			b.WriteByte('%')
		case format[i] == 'V':
			_, week := now.ISOWeek()
			fmt.Fprintf(&b, "%02d", week)
		default:
			return "", fmt.Errorf("%%%c is not known", format[i])
		}
	}
	return b.String(), nil
}
