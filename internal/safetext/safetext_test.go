package safetext

import (
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"
)

// hostile are payloads that change a terminal, or what a reader believes to
// read, when they are written as they are.
var hostile = []struct{ name, in, want string }{
	{"clear screen", "a\x1b[2Jb", "a␛[2Jb"},
	{"cursor home", "\x1b[H", "␛[H"},
	{"hidden text", "\x1b[8mrm -rf\x1b[0m", "␛[8mrm -rf␛[0m"},
	{"alternate screen off", "\x1b[?1049l", "␛[?1049l"},
	{"mouse reporting on", "\x1b[?1003h", "␛[?1003h"},
	{"bracketed paste off", "\x1b[?2004l", "␛[?2004l"},
	{"report the cursor", "\x1b[6n", "␛[6n"},
	{"report the device", "\x1b[c", "␛[c"},
	{"insert lines", "\x1b[99L", "␛[99L"},
	{"window title", "\x1b]0;owned\x07", "␛]0;owned␇"},
	{"clipboard", "\x1b]52;c;ZXZpbA==\x07", "␛]52;c;ZXZpbA==␇"},
	{"palette", "\x1b]4;1;rgb:00/00/00\x1b\\", `␛]4;1;rgb:00/00/00␛\`},
	{"link", "\x1b]8;;https://evil.example\x1b\\ok\x1b]8;;\x1b\\", `␛]8;;https://evil.example␛\ok␛]8;;␛\`},
	{"unterminated OSC", "\x1b]0;all that follows", "␛]0;all that follows"},
	{"DCS", "\x1bP+q544e\x1b\\", `␛P+q544e␛\`},
	{"APC", "\x1b_Gf=24;AAAA\x1b\\", `␛_Gf=24;AAAA␛\`},
	{"PM and SOS", "\x1b^x\x1bXy", "␛^x␛Xy"},
	{"reset", "\x1bc", "␛c"},
	{"CSI as C1", "\u009b31m", `\u{9b}31m`},
	{"OSC as C1", "\u009d0;owned\u009c", `\u{9d}0;owned\u{9c}`},
	{"next line as C1", "a\u0085b", `a\u{85}b`},
	{"CSI as a bare byte", "\x9b31m", `\x9b31m`},
	{"bell", "\a\a", "␇␇"},
	{"backspace", "safe\b\b\b\bevil", "safe␈␈␈␈evil"},
	{"carriage return", "evil\rsafe", "evil␍safe"},
	{"null, shift out, shift in", "\x00\x0e\x0f", "␀␎␏"},
	{"vertical tab and form feed", "\v\f", "␋␌"},
	{"delete", "a\x7f", "a␡"},
	{"right-to-left override", "photo\u202egnp.exe", `photo\u{202e}gnp.exe`},
	{"isolates", "\u2066a\u2069", `\u{2066}a\u{2069}`},
	{"zero width", "pay\u200bpal\u200d\u2060\ufeff", `pay\u{200b}pal\u{200d}\u{2060}\u{feff}`},
	{"tags", "hi\U000e0069\U000e0067", `hi\u{e0069}\u{e0067}`},
	{"separators", "a\u2028b\u2029c", `a\u{2028}b\u{2029}c`},
	{"private use", "\ue000\U000f0000", `\u{e000}\u{f0000}`},
	{"fillers", "a\u3164b\u115f", `a\u{3164}b\u{115f}`},
	{"cut rune", "caf\xc3", `caf\xc3`},
	{"overlong escape", "\xc0\x9b", `\xc0\x9b`},
	{"surrogate", "\xed\xa0\x80", `\xed\xa0\x80`},
}

func TestHostile(t *testing.T) {
	for _, c := range hostile {
		if got := Of(c.in); string(got) != c.want {
			t.Errorf("%s: Of(%q) = %q, want %q", c.name, c.in, got, c.want)
		}
	}
}

func TestLine(t *testing.T) {
	if got, want := Line("a\tb\nc\r\n"), Text("a␉b␊c␍␊"); got != want {
		t.Errorf("Line = %q, want %q", got, want)
	}
	if got, want := Of("a\tb\nc"), Text("a\tb\nc"); got != want {
		t.Errorf("Of = %q, want %q", got, want)
	}
}

func TestCleanTextIsFree(t *testing.T) {
	for _, s := range []string{"", "plain, with\nlines and\ttabs ~", "Größe 日本語 e\u0301 🎲 �"} {
		var got Text
		if n := testing.AllocsPerRun(10, func() { got = Of(s) }); n != 0 {
			t.Errorf("Of(%q) allocates %v times", s, n)
		}
		if string(got) != s {
			t.Errorf("Of(%q) = %q", s, got)
		}
	}
}

func FuzzOf(f *testing.F) {
	for _, c := range hostile {
		f.Add(c.in)
	}
	f.Add("clean\n\ttext")
	f.Fuzz(func(t *testing.T, s string) {
		safe, line := Of(s), Line(s)
		check(t, s, string(safe))
		check(t, s, string(line))
		if strings.ContainsAny(string(line), "\n\t") {
			t.Errorf("Line(%q) = %q is not one line", s, line)
		}
		if again := Of(string(safe)); again != safe {
			t.Errorf("Of(%q) = %q, and again %q", s, safe, again)
		}
		if again := Line(string(line)); again != line {
			t.Errorf("Line(%q) = %q, and again %q", s, line, again)
		}
		if len(safe) < len(s) {
			t.Errorf("Of(%q) = %q lost something", s, safe)
		}
	})
}

func check(t *testing.T, in, out string) {
	t.Helper()
	if !utf8.ValidString(out) {
		t.Errorf("%q became %q, which is not UTF-8", in, out)
	}
	for _, r := range out {
		if r < 0x20 && r != '\n' && r != '\t' || r >= 0x7f && r <= 0x9f || unicode.Is(unicode.Cf, r) {
			t.Errorf("%q became %q, which has %U", in, out, r)
		}
	}
}

func BenchmarkClean(b *testing.B) {
	s := strings.Repeat("one line of an ordinary log, nothing special ", 4)
	b.SetBytes(int64(len(s)))
	for b.Loop() {
		Of(s)
	}
}
