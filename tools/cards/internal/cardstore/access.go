package cardstore

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/lectern-mcp/lectern/internal/sqlstore"
	"github.com/lectern-mcp/lectern/tools/cards/internal/cardname"
	"github.com/lectern-mcp/lectern/tools/cards/internal/cardtext"
)

// Who may read a card is worked out when it or a rule is written, and kept with it
// as a class, so that a query has one condition for it. A card is read by those who
// may read its left side, who are let past every rule about its name, and whom its
// most specific rule names.

// A setting is what a rule decides.
type setting string

const (
	mayRead   setting = "*read"
	mayCreate setting = "*create"
	mayUpdate setting = "*update"
	mayDelete setting = "*delete"
)

// A clause is a set of groups, of which a caller must be in one. Nobody is in one of none.
type clause []string

// clauses are what a caller must fulfil, all of them; none: everybody.
type clauses []clause

// admit reports whether somebody in these groups may. Administrators always may: a rule
// that names nobody who is there would otherwise lock its card for ever.
func (all clauses) admit(groups map[string]bool) bool {
	if groups[groupAdmin] {
		return true
	}
	for _, one := range all {
		if !slices.ContainsFunc(one, func(g string) bool { return groups[g] }) {
			return false
		}
	}
	return true
}

// String is the same for clauses that mean the same. It names everybody: an empty text is
// a clause of no groups.
func (all clauses) String() string {
	var texts []string
	for _, one := range all {
		if slices.Contains(one, groupAnyone) {
			continue
		}
		one = slices.Clone(one)
		slices.Sort(one)
		texts = append(texts, strings.Join(slices.Compact(one), "|"))
	}
	if len(texts) == 0 {
		return groupAnyone
	}
	slices.Sort(texts)
	return strings.Join(slices.Compact(texts), "&")
}

func parseClauses(text string) (all clauses) {
	for one := range strings.SplitSeq(text, "&") {
		all = append(all, strings.Split(one, "|"))
	}
	return all
}

// leastRole is the least role that is let in; Admin if none is.
func (all clauses) leastRole() Role {
	for _, r := range Roles() {
		if all.admit(Caller{Role: r}.groups()) {
			return r
		}
	}
	return Admin
}

// access evaluates rules in one transaction.
type access struct {
	q     *sqlstore.Conn
	rules map[string]*clause // by the rule's key; nil: there is none
}

func newAccess(q *sqlstore.Conn) *access { return &access{q, map[string]*clause{}} }

// defaultRules hold where no card says otherwise.
var defaultRules = map[string]clause{
	"*all+*read": {groupAnyone}, "*all+*create": {groupSignedIn}, "*all+*update": {groupSignedIn}, "*all+*delete": {groupSignedIn},
	"*all_plus+*read": {itsLeft}, "*all_plus+*create": {itsLeft}, "*all_plus+*update": {itsLeft}, "*all_plus+*delete": {itsLeft},
	"*star+*create": {groupAdmin}, "*star+*update": {groupAdmin}, "*star+*delete": {groupAdmin},
	"*rstar+*create": {groupShark}, "*rstar+*update": {groupShark}, "*rstar+*delete": {groupShark},
	"html+*type+*create": {groupShark}, "html+*type+*update": {groupShark},
}

// privateParts are right sides that only game masters read and write, whatever
// other rules say.
var privateParts = []string{"gm", "ai"}

// messageFields are right sides with a star that decide nothing: they are the parts of an
// email.
var messageFields = []string{"*from", "*to", "*cc", "*bcc", "*subject", "*html_message", "*text_message", "*attach"}

// rule is whom a rule names, or nil if there is no such rule.
func (a *access) rule(ctx context.Context, set cardname.Name, s setting) (*clause, error) {
	key := cardname.Join(set, cardname.Name(s)).Key()
	if known, ok := a.rules[key]; ok {
		return known, nil
	}
	var content string
	err := a.q.QueryRow(ctx, "SELECT content FROM card WHERE key = ? AND trash = 0", key).Scan(&content)
	var found *clause
	switch {
	case errors.Is(err, sql.ErrNoRows):
		if d, ok := defaultRules[key]; ok {
			found = &d
		}
	case err != nil:
		return nil, err
	default:
		found = &clause{}
		for _, name := range cardtext.Items(content) {
			if strings.EqualFold(string(name), itsLeft) {
				*found = append(*found, itsLeft)
				continue
			}
			*found = append(*found, name.Key())
		}
	}
	a.rules[key] = found
	return found, nil
}

// barrier is what rules about names alone ask for: rules of *right, *star and *rstar
// of this name and of every name that it is below, and the private parts. It holds
// whether or not a card has the name.
func (a *access) barrier(ctx context.Context, n cardname.Name, s setting) (all clauses, err error) {
	parts := n.Parts()
	for i, part := range parts {
		key := part.Key()
		var sets []cardname.Name
		switch {
		case i > 0:
			if slices.Contains(privateParts, key) {
				all = append(all, clause{groupGM})
			}
			sets = append(sets, cardname.Join(part, "*right"))
			if strings.HasPrefix(key, "*") {
				sets = append(sets, "*rstar")
			}
		case strings.HasPrefix(key, "*"):
			sets = append(sets, "*star")
		}
		for _, set := range sets {
			one, err := a.rule(ctx, set, s)
			if err != nil {
				return nil, err
			}
			if one != nil && !slices.Contains(*one, itsLeft) && !isUsualOfMessage(set, key, s, *one) {
				all = append(all, *one)
			}
		}
	}
	return all, nil
}

// isUsualOfMessage reports whether a rule is the usual one of a part of a message: whoever may
// write the message writes that.
func isUsualOfMessage(set cardname.Name, key string, s setting, rule clause) bool {
	return set == "*rstar" && slices.Contains(messageFields, key) &&
		slices.Equal(rule, defaultRules[cardname.Join("*rstar", cardname.Name(s)).Key()])
}

// own is what the most specific rule about a card itself asks for: of the card, of
// its type and right side, of its type, or of all cards. left is the type of its
// left side, empty if that does not exist.
func (a *access) own(ctx context.Context, n, typeName, left cardname.Name, s setting) (clause, error) {
	sets := []cardname.Name{cardname.Join(n, "*self")}
	if n.IsCompound() && left != "" {
		sets = append(sets, cardname.Join(left, n.Right(), "*type plus right"))
	}
	sets = append(sets, cardname.Join(typeName, "*type"))
	if n.IsCompound() {
		sets = append(sets, "*all plus")
	}
	for _, set := range append(sets, "*all") {
		one, err := a.rule(ctx, set, s)
		if err != nil {
			return nil, err
		}
		if one != nil {
			return *one, nil
		}
	}
	return clause{groupAdmin}, nil
}

// readers are those who may read a card of this name and type.
func (a *access) readers(ctx context.Context, n, typeName cardname.Name, left *Card) (clauses, error) {
	all, err := a.barrier(ctx, n, mayRead)
	if err != nil {
		return nil, err
	}
	var leftType cardname.Name
	if left != nil {
		leftType = left.Type
		above, err := a.classByID(ctx, left.class)
		if err != nil {
			return nil, err
		}
		all = append(all, above...)
	}
	one, err := a.own(ctx, n, typeName, leftType, mayRead)
	if err != nil {
		return nil, err
	}
	if !slices.Contains(one, itsLeft) {
		all = append(all, one)
	}
	return all, nil
}

// writers are those who may do s with a card, besides being its readers.
func (a *access) writers(ctx context.Context, n, typeName cardname.Name, s setting) (clauses, error) {
	all, err := a.barrier(ctx, n, s)
	if err != nil {
		return nil, err
	}
	for {
		var leftCard Card
		var leftType cardname.Name
		if n.IsCompound() {
			var found bool
			if leftCard, found, err = liveCard(ctx, a.q, n.Left().Key()); err != nil {
				return nil, err
			} else if found {
				leftType = leftCard.Type
			}
		}
		one, err := a.own(ctx, n, typeName, leftType, s)
		if err != nil {
			return nil, err
		}
		if !slices.Contains(one, itsLeft) || !n.IsCompound() {
			return append(all, one), nil
		}
		if n, typeName = n.Left(), leftType; typeName == "" {
			typeName = defaultType
		}
	}
}

func (a *access) classByID(ctx context.Context, id int64) (clauses, error) {
	var text string
	if err := a.q.QueryRow(ctx, "SELECT clauses FROM class WHERE id = ?", id).Scan(&text); err != nil {
		return nil, fmt.Errorf("read class %d: %w", id, err)
	}
	return parseClauses(text), nil
}

// classID is the id of a class, which is made if it is new.
func (a *access) classID(ctx context.Context, all clauses) (id int64, err error) {
	text := all.String()
	err = a.q.QueryRow(ctx, "SELECT id FROM class WHERE clauses = ?", text).Scan(&id)
	if !errors.Is(err, sql.ErrNoRows) {
		return id, err
	}
	id = newID()
	_, err = a.q.Exec(ctx, "INSERT INTO class (id, clauses) VALUES (?, ?)", id, text)
	return id, err
}

// A view is what a caller may read: cards of these classes, except those.
type view struct {
	classes map[int64]bool
	hidden  map[int64]bool
}

// visible is what the caller may read, for a list. For one card there is sees.
func visible(ctx context.Context, q *sqlstore.Conn, by Caller) (view, error) {
	classes, err := readClasses(ctx, q, by)
	if err != nil {
		return view{}, err
	}
	hidden, err := hiddenCards(ctx, q, by)
	return view{classes, hidden}, err
}

// readClasses are the classes whose cards the caller may read.
func readClasses(ctx context.Context, q *sqlstore.Conn, by Caller) (map[int64]bool, error) {
	type class struct {
		id   int64
		text string
	}
	all, err := sqlstore.Select(ctx, q, func(row sqlstore.Row) (c class, err error) {
		return c, row.Scan(&c.id, &c.text)
	}, "SELECT id, clauses FROM class")
	groups, in := by.groups(), map[int64]bool{}
	for _, c := range all {
		if parseClauses(c.text).admit(groups) {
			in[c.id] = true
		}
	}
	return in, err
}

// sees reports whether the caller may read one card.
func sees(ctx context.Context, q *sqlstore.Conn, by Caller, c Card) (bool, error) {
	readers, err := newAccess(q).classByID(ctx, c.class)
	if err != nil || !readers.admit(by.groups()) {
		return false, err
	}
	hidden, err := hidesCard(ctx, q, by, c.ID)
	return !hidden, err
}

// condition is that of every list: the cards that are seen, in a table of this name.
func (v view) condition(table string) string {
	condition := v.ofClasses(table)
	if len(v.hidden) > 0 {
		condition += " AND " + table + ".id NOT IN (" + numbers(v.hidden) + ")"
	}
	return condition
}

// ofClasses is the part of condition that revisions have too.
func (v view) ofClasses(table string) string {
	if len(v.classes) == 0 {
		return "1 = 0"
	}
	return table + ".class_id IN (" + numbers(v.classes) + ")"
}

func numbers(set map[int64]bool) string {
	texts := make([]string, 0, len(set))
	for n := range set {
		texts = append(texts, strconv.FormatInt(n, 10))
	}
	slices.Sort(texts)
	return strings.Join(texts, ", ")
}
