package orgelement

import (
	"html"
	"strings"
	"sync"
)

// An EntityForm is what an entity, "\alpha", becomes.
type EntityForm struct {
	HTML  string // with ampersand, or plain text
	Latex string
	Math  bool   // LaTeX only reads it in math mode
	Plain string // as Unicode
}

// LookUpEntity returns what the entity of a name becomes. The name "_" followed by
// spaces is that many blanks.
func LookUpEntity(name string) (EntityForm, bool) {
	if n := len(name) - 1; n > 0 && name == "_"+strings.Repeat(" ", n) {
		space := strings.Repeat("\u2002", n)
		return EntityForm{strings.Repeat("&ensp;", n), `\hspace*{` + halfEms(n) + "em}", false, space}, true
	}
	e, ok := entities()[name]
	return e, ok
}

func halfEms(n int) string {
	s := string(rune('0' + n/2))
	if n/2 >= 10 {
		s = "10"
	}
	if n%2 == 1 {
		s += ".5"
	}
	if n == 1 {
		s = ".5"
	}
	return s
}

// The tables below list names. A name without more is one in HTML, and a command
// in LaTeX; what differs follows it.
const (
	accented = `Agrave agrave Aacute aacute Acirc acirc Atilde atilde Auml auml Ccedil ccedil Egrave egrave Eacute eacute Ecirc
 ecirc Euml euml Igrave igrave Iacute iacute Icirc icirc Iuml iuml Ntilde ntilde Ograve ograve Oacute oacute Ocirc ocirc
 Otilde otilde Ouml ouml Scaron scaron Ugrave ugrave Uacute uacute Ucirc ucirc Uuml uuml Yacute yacute Yuml yuml`
	functions = `arccos arcsin arctan arg cos cosh cot coth csc det dim exp gcd hom inf ker lg lim liminf limsup ln log max min Pr
 sec sin sinh tan tanh`
	// name[:HTML[:LaTeX[:Unicode]]], in math mode
	symbols = `real::Re image::Im weierp::wp ell imath jmath alpha beta Gamma gamma Delta delta epsilon varepsilon:epsilon zeta
 eta Theta theta thetasym::vartheta vartheta:thetasym iota kappa Lambda lambda mu nu Xi xi Pi pi rho Sigma sigma
 sigmaf::varsigma varsigma:sigmaf Upsilon upsih::Upsilon upsilon Phi phi::phi:ɸ varphi:varphi:varphi:φ chi Psi psi tau Omega omega
 piv::varpi varpi:piv partial:part alefsym::aleph aleph gimel beth:beth:beth:ב dalet:daleth:daleth:ד cdots:ctdot:cdots{}
 minus::minus sum prod prime Prime::prime{}\prime infin::infty infty:infin prop::propto propto:prop
 neg:not:neg{} land:and wedge:and lor:or vee:or cap cup smile frown int therefore:there4 there4::therefore because
 sim cong simeq:cong asymp approx:asymp ne neq:ne equiv triangleq le leq:le:le ge geq:ge:ge lessgtr lesseqgtr
 ll:Lt::≪ Ll:Ll:lll lll:Ll gg:Gt::≫ Gg:Gg:ggg ggg:Gg prec:pr preceq:prcue preccurlyeq:prcue succ:sc succeq:sccue
 succcurlyeq:sccue sub::subset subset:sub sup::supset supset:sup nsub::not\subset sube::subseteq nsup::not\supset
 supe::supseteq setminus:::⧵ forall exist::exists exists:exist nexist:exist:nexists:∄ nexists:exist::∄ empty::emptyset
 emptyset:empty isin::in in:isin notin ni nabla ang::angle angle:ang perp parallel sdot::cdot cdot:sdot lceil rceil lfloor
 rfloor lang::langle rang::rangle langle:lang rangle:rang hbar mho larr::leftarrow leftarrow:larr gets:larr
 lArr::Leftarrow Leftarrow:lArr uarr::uparrow uparrow:uarr uArr::Uparrow Uparrow:uArr rarr::rightarrow to:rarr
 rightarrow:rarr rArr::Rightarrow Rightarrow:rArr darr::downarrow downarrow:darr dArr::Downarrow Downarrow:dArr
 harr::leftrightarrow leftrightarrow:harr hArr::Leftrightarrow Leftrightarrow:hArr crarr::hookleftarrow
 hookleftarrow:crarr:hookleftarrow:↵ lowast::ast ast:lowast::* oplus otimes check:checkmark:checkmark checkmark:check
 oline::overline{~} clubs::clubsuit clubsuit:clubs spades::spadesuit spadesuit:spades hearts::heartsuit
 heartsuit:heartsuit diams::diamondsuit:◆ diamondsuit:diams::◆ diamond:diamond:diamondsuit:◆ Diamond:diamond:diamondsuit:◆
 loz::lozenge:⧫ radic::sqrt{\,} vert::vert{} smiley:#9786:ddot\smile blacksmile:#9787:ddot\smile sad:#9785:ddot\frown
 frowny:#9785:ddot\frown acutex:acute;x:acute|x:𝑥́`
	// the same, outside of math mode
	signs = `AA:Aring:AA{} Aring::AA{} aring::aa{} AElig::AE{} aelig::ae{} Amacr:Amacr:bar{A}:Ã amacr:amacr:bar{a}:ã
 inodot:inodot:i:ı Idot:idot:.{I}:İ Oslash::O oslash::o{} OElig::OE{} oelig::oe{} szlig::ss{} fnof::textit{f} omicron::textit{o}
 ETH::DH{} eth::dh{} THORN::TH{} thorn::th{} dots:hellip:dots{} hellip::dots{} middot::textperiodcentered{} shy::-
 quot::textquotedbl{} acute::textasciiacute{} ldquo::textquotedblleft{} rdquo::textquotedblright{} bdquo::quotedblbase{}
 lsquo::textquoteleft{} rsquo::textquoteright{} sbquo::quotesinglbase{} laquo::guillemotleft{} raquo::guillemotright{}
 lsaquo::guilsinglleft{} rsaquo::guilsinglright{} circ::^{}:∘ brvbar::textbrokenbar{} S:sect:S sect::S amp::&
 lt::textless{} gt::textgreater{} dag:dagger:dag{} Dagger::textdaggerdbl{} ddag:Dagger:ddag{}
 ensp::hspace*{.5em} emsp::hspace*{1em} thinsp::hspace*{.2em} curren::textcurrency{} cent::textcent{} pound::pounds{}
 yen::textyen{} euro::texteuro{} EUR:euro:texteuro{} copy::textcopyright{} reg::textregistered{} trade::texttrademark{}
 pm:plusmn:textpm{} plusmn::textpm{} times::texttimes{} div:divide:textdiv{} frac12::textonehalf{} frac14::textonequarter{}
 frac34::textthreequarters{} permil::textperthousand{} sup1::textonesuperior{} sup2::texttwosuperior{}
 sup3::textthreesuperior{} micro::textmu{} macr::textasciimacron{} deg::textdegree{} not::textlnot{} bull::textbullet{}
 bullet:bull:textbullet{} para::P{} ordf::textordfeminine{} ordm::textordmasculine{} cedil::c{}
 uml::textasciidieresis{} zwnj::/{}`
	// capitals that LaTeX has no command for
	capitals = `Alpha:A Beta:B Epsilon:E Zeta:Z Eta:H Iota:I Kappa:K Mu:M Nu:N Omicron:O Rho:P Tau:T Chi:X`
)

var entities = sync.OnceValue(buildEntities)

func buildEntities() map[string]EntityForm {
	m := map[string]EntityForm{
		"nbsp": {"&nbsp;", "~", false, "\u00a0"}, "ndash": {"&ndash;", "--", false, "–"}, "mdash": {"&mdash;", "---", false, "—"},
		"iexcl": {"&iexcl;", "!`", false, "¡"}, "iquest": {"&iquest;", "?`", false, "¿"}, "frasl": {"&frasl;", "/", false, "⁄"},
		"vbar": {"|", "|", false, "|"}, "tilde": {"~", `\textasciitilde{}`, false, "~"}, "slash": {"/", "/", false, "/"},
		"plus": {"+", "+", false, "+"}, "under": {"_", `\_`, false, "_"}, "equal": {"=", "=", false, "="},
		"asciicirc": {"^", `\textasciicircum{}`, false, "^"}, "dollar": {"$", `\$`, false, "$"}, "USD": {"$", `\$`, false, "$"},
		"colon": {":", `\colon`, true, ":"}, "star": {"*", `\star`, true, "⋆"}, "odot": {"o", `\odot`, true, "ʘ"},
		"lrm": {"&lrm;", "", false, "\u200e"},
		"rlm": {"&rlm;", "", false, "\u200f"}, "zwj": {"&zwj;", "", false, "\u200d"}, "dagger": {"&dagger;", `\textdagger{}`, false, "†"},
	}
	for name := range strings.FieldsSeq(functions) {
		m[name] = EntityForm{name, `\` + name, true, name}
	}
	accents := map[string]string{"grave": "`", "acute": "'", "circ": "^", "tilde": "~", "uml": `"`, "cedil": "c", "caron": "v"}
	for name := range strings.FieldsSeq(accented) {
		m[name] = EntityForm{"&" + name + ";", `\` + accents[name[1:]] + "{" + name[:1] + "}", false, html.UnescapeString("&" + name + ";")}
	}
	for pair := range strings.FieldsSeq(capitals) {
		name, letter, _ := strings.Cut(pair, ":")
		m[name] = EntityForm{"&" + name + ";", letter, false, html.UnescapeString("&" + name + ";")}
	}
	add := func(table string, math bool) {
		for entry := range strings.FieldsSeq(table) {
			part := append(strings.SplitN(entry, ":", 4), "", "", "")
			name, code, command, plain := part[0], part[1], part[2], part[3]
			if _, ok := m[name]; ok {
				continue
			}
			if code == "" {
				code = name
			}
			if command == "" {
				command = name
			}
			form := EntityForm{"&" + code + ";", `\` + strings.ReplaceAll(command, "|", " "), math, plain}
			if first, rest, ok := strings.Cut(code, ";"); ok {
				form.HTML = "&" + first + ";" + rest
			}
			if plain == "" {
				form.Plain = html.UnescapeString(form.HTML)
			}
			m[name] = form
		}
	}
	add(symbols, true)
	add(signs, false)
	return m
}
