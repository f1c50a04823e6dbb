package cards_test

import (
	"bytes"
	"context"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	mathrand "math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v5"

	"github.com/lectern-mcp/lectern/internal/runtest"
	"github.com/lectern-mcp/lectern/internal/sqlstore/pgtest"
	"github.com/lectern-mcp/lectern/tools"
	"github.com/lectern-mcp/lectern/tools/cards"
	"github.com/lectern-mcp/lectern/tools/cards/internal/cardauth"
	"github.com/lectern-mcp/lectern/tools/cards/internal/cardstore"
)

var postgres pgtest.Server

// The databases of these tests need not survive a power cut: they are in memory where
// there is a file system for that.
func TestMain(m *testing.M) {
	const memory = "/dev/shm"
	if info, err := os.Stat(memory); err == nil && info.IsDir() && os.Getenv("TMPDIR") == "" {
		if err := os.Setenv("TMPDIR", memory); err != nil {
			panic(err)
		}
	}
	code := m.Run()
	postgres.Stop()
	_, _ = os.RemoveAll(emptyWiki.folder), os.RemoveAll(usedWiki.folder) // temporary folders
	os.Exit(code)
}

// A contractCase is a request that was sent to the real server, and its answer.
type contractCase struct {
	ID, Group, Method, Path string
	Role                    *string
	Body                    json.RawMessage
	RawBody                 *string
	Headers                 map[string]string
	Token, Scheme           string
	Save                    map[string]string
	Real                    expectation
	Ours                    *expectation
}

type expectation struct {
	Status      int
	Keys        []string
	ErrorCode   string `json:"error_code"`
	Values      map[string]any
	Has         []string
	Contains    []string
	NotContains []string
	Note        string
}

// expected is what our server answers: where ours says something else it counts, and
// where it only describes a difference the values of the real server do not.
//
// Eight differences that the table only describes have another status: the same key
// for another request is a conflict; children may begin with a plus; the results
// of a scan are absent for players; what would be ignored is refused; and no new name has a
// slash, so that another which would have its key is free;
// and both names and contents are searched for the words.
func (c contractCase) expected() expectation {
	status := map[string]int{
		"upd-idem-2": 409, "batch-13": 200, "sp-player-read": 404, "create-fields-ignored": 400, "upd-name-ignored": 400,
		"create-slash": 400, "create-slash-collide": 201, "search-02-user": 200,
	}[c.ID]
	if status != 0 {
		return expectation{Status: status}
	}
	out := c.Real
	if c.Ours != nil {
		out = *c.Ours
	}
	if out.Status == 0 {
		out.Status, out.Keys, out.ErrorCode, out.Has = c.Real.Status, c.Real.Keys, c.Real.ErrorCode, c.Real.Has
	}
	if slices.Contains(out.Keys, "results") && strings.HasSuffix(c.Path, "/run_query") {
		out.Keys = sorted(append(slices.Clone(out.Keys), "items")) // as the specification names them
	}
	return out
}

func readCases(t *testing.T) []contractCase {
	t.Helper()
	file := os.Getenv("CARDS_CASES")
	if file == "" {
		file = filepath.Join("..", "..", "..", "shared", "data", "decko_contract_cases.json")
	}
	text, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) && os.Getenv("CARDS_CASES") == "" {
		t.Skip("the recorded cases are not beside the checkout")
	}
	if err != nil {
		t.Fatal(err)
	}
	var table struct{ Cases []contractCase }
	if err := json.Unmarshal(text, &table); err != nil {
		t.Fatal(err)
	}
	return table.Cases
}

// A wiki is an open source with its accounts, as the cases need it.
type wiki struct {
	source    *tools.OpenedSource
	auth      *cardauth.Auth
	store     *cardstore.Store
	key       string
	otherKey  string // of another wiki, from which cards are imported
	passwords map[string]string
	saved     map[string]any
}

func keyOf(name string) cardauth.APIKey {
	return cardauth.APIKey{Name: name, Roles: cardstore.Roles(), RateLimit: 1 << 40}
}

func jsonOf(t testing.TB, v any) string {
	t.Helper()
	text, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func sorted(list []string) []string { return slices.Sorted(slices.Values(list)) }

// openWiki opens a source. A database that is no URL is a folder.
func openWiki(t testing.TB, database string, now func() time.Time) *wiki {
	t.Helper()
	return openWith(t, database, cards.Config{}, now)
}

// openConfigured is openWiki with keys of the configuration, as JSON.
func openConfigured(t testing.TB, database, keys string) *wiki {
	t.Helper()
	var config cards.Config
	if err := json.Unmarshal([]byte("{"+keys+"}"), &config); err != nil {
		t.Fatal(err)
	}
	return openWith(t, database, config, time.Now)
}

func openWith(t testing.TB, database string, config cards.Config, now func() time.Time) *wiki {
	t.Helper()
	file := database
	env := tools.Env{Name: "wiki", Now: now, Data: database}
	if strings.Contains(database, "://") {
		secret, err := tools.ParseSecret("env:DSN")
		if err != nil {
			t.Fatal(err)
		}
		config.DSN, env.Data = secret, t.TempDir()
	} else {
		file = filepath.Join(database, "cards.db")
		emptyWiki.copyTo(t, database)
	}
	w := &wiki{passwords: map[string]string{}, saved: map[string]any{}}
	env.Reveal = func(_ context.Context, s tools.Secret) (string, error) {
		switch s.String() {
		case "":
			return "", nil
		case "env:OTHER_KEY":
			return w.otherKey, nil
		}
		return database, nil
	}
	options, err := json.Marshal(config)
	if err != nil {
		t.Fatal(err)
	}
	source, err := testSystem().Open(t.Context(), options, env)
	if err != nil {
		t.Fatal(err)
	}
	store, err := cardstore.Open(t.Context(), cardstore.Options{Database: file, Now: now})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = errors.Join(store.Close(), source.Close()) })
	w.source, w.store, w.auth = source, store, cardauth.New(cardauth.Options{DB: store.DB(), Now: now})
	return w
}

// ServeHTTP stands for the hub: its guard asks the source whose token it is, and the
// source's handler writes by the source's tools.
func (w *wiki) ServeHTTP(to http.ResponseWriter, r *http.Request) {
	c := tools.CallContext{Identity: tools.Identity{Via: tools.ViaRoute}}
	open := slices.Contains([]string{"/auth", "/health", "/health/ping", "/.well-known/jwks.json"}, r.URL.Path)
	handler, _ := tools.As[interface {
		http.Handler
		tools.Authenticator
		ServeUnauthorized(w http.ResponseWriter, r *http.Request)
	}](w.source)
	if !open {
		scheme, bearer, _ := strings.Cut(r.Header.Get("Authorization"), " ")
		who, err := handler.Authenticate(r.Context(), bearer)
		if !strings.EqualFold(scheme, "Bearer") || err != nil {
			handler.ServeUnauthorized(to, r)
			return
		}
		c.Identity = who
		c.Identity.Client, c.Identity.Via = "key:"+who.Client, tools.ViaRoute
	}
	c.Sources = &ownTools{w: w, c: c}
	r = r.Clone(tools.WithCallContext(r.Context(), c))
	r.Header.Del("Authorization")
	handler.ServeHTTP(to, r)
}

// ownTools calls tools of the source, as the hub does for a handler.
type ownTools struct {
	w *wiki
	c tools.CallContext
}

func (o *ownTools) Call(ctx context.Context, _, tool string, args tools.Arguments) (tools.Result, error) {
	c := o.c
	c.Seed = mathrand.Uint64()
	return o.w.source.CallWithArguments(ctx, c, tool, args)
}

func (o *ownTools) Sources() []tools.SourceInfo { return nil }

// newWiki opens a wiki that was used already.
func newWiki(t testing.TB, database string) *wiki {
	t.Helper()
	if strings.Contains(database, "://") {
		w := openWiki(t, database, time.Now)
		useWiki(t, w)
		return w
	}
	usedWiki.copyTo(t, database)
	w := openWiki(t, database, time.Now)
	w.key, w.passwords = usedWiki.key, maps.Clone(usedWiki.passwords)
	return w
}

func (w *wiki) roleToken(t testing.TB, role string) string {
	t.Helper()
	who, err := w.auth.Authenticate(t.Context(), cardauth.Login{Key: w.key, Role: role})
	if err != nil {
		t.Fatal(err)
	}
	token, err := w.auth.Issue(t.Context(), who)
	if err != nil {
		t.Fatal(err)
	}
	return token.Text
}

// craft makes a token that is wrong in one way.
func (w *wiki) craft(t *testing.T, kind string) string {
	t.Helper()
	good := w.roleToken(t, "user")
	parsed, _, err := jwt.NewParser().ParseUnverified(good, jwt.MapClaims{})
	if err != nil {
		t.Fatal(err)
	}
	c := parsed.Claims.(jwt.MapClaims)
	kid := parsed.Header["kid"].(string)
	var text string
	if err := w.store.DB().Reader().QueryRow(t.Context(), "SELECT private FROM signing_key WHERE kid = ?", kid).Scan(&text); err != nil {
		t.Fatal(err)
	}
	block, _ := pem.Decode([]byte(text))
	key, err := x509.ParsePKCS8PrivateKey(block.Bytes)
	if err != nil {
		t.Fatal(err)
	}
	now := time.Now().Unix()
	method, signer := jwt.SigningMethod(jwt.SigningMethodRS256), key
	switch kind {
	case "ok":
		return good
	case "garbage":
		return "not.a.token"
	case "expired":
		c["iat"], c["exp"] = now-7200, now-3600
	case "noexp":
		delete(c, "exp")
	case "wrongiss":
		c["iss"] = "somebody"
	case "futureiat":
		c["iat"] = now + 3600
	case "nbf":
		c["nbf"] = now + 3600
	case "wrongkid":
		kid = "key-other"
	case "norole":
		delete(c, "role")
	case "badrole":
		c["role"] = "emperor"
	case "none":
		method, signer = jwt.SigningMethodNone, jwt.UnsafeAllowNoneSignatureType
	case "hs":
		public, err := x509.MarshalPKIXPublicKey(&key.(*rsa.PrivateKey).PublicKey)
		if err != nil {
			t.Fatal(err)
		}
		method, signer = jwt.SigningMethodHS256, pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: public})
	case "otherkey":
		if signer, err = rsa.GenerateKey(rand.Reader, 2048); err != nil {
			t.Fatal(err)
		}
	default:
		t.Fatalf("unknown kind of token %q", kind)
	}
	token := jwt.NewWithClaims(method, c)
	token.Header["kid"] = kid
	signed, err := token.SignedString(signer)
	if err != nil {
		t.Fatal(err)
	}
	return signed
}

// fill puts what is only known now in the place of the placeholders.
func (w *wiki) fill(text string) string {
	text = strings.ReplaceAll(text, "{API_KEY}", w.key)
	for name, password := range w.passwords {
		text = strings.ReplaceAll(text, "{PW:"+name+"}", password)
	}
	for name, value := range w.saved {
		text = strings.ReplaceAll(text, `"{`+name+`:int}"`, fmt.Sprint(value))
		text = strings.ReplaceAll(text, "{"+name+"}", fmt.Sprint(value))
	}
	if strings.Contains(text, `"{101 create ops}"`) {
		var ops []string
		for i := range 101 {
			ops = append(ops, fmt.Sprintf(`{"action":"create","name":"many %d","type":"RichText"}`, i))
		}
		text = strings.ReplaceAll(text, `"{101 create ops}"`, "["+strings.Join(ops, ",")+"]")
	}
	return strings.ReplaceAll(text, "2026-11-21", time.Now().UTC().Format("2006-01-02"))
}

func (w *wiki) play(t *testing.T, c contractCase) { w.playOn(t, w, c, c.expected()) }

// playOn sends a case to a handler and compares its answer.
func (w *wiki) playOn(t *testing.T, handler http.Handler, c contractCase, want expectation) {
	t.Helper()
	body := w.fill(string(c.Body))
	if c.RawBody != nil {
		body = *c.RawBody
	}
	r := httptest.NewRequestWithContext(t.Context(), c.Method, strings.TrimPrefix(w.fill(c.Path), "/api/mcp"), strings.NewReader(body))
	token := ""
	switch {
	case c.Token != "":
		token = w.craft(t, c.Token)
	case c.Role != nil:
		token = w.roleToken(t, *c.Role)
	}
	if token != "" {
		scheme := c.Scheme
		if scheme == "" {
			scheme = "Bearer"
		}
		r.Header.Set("Authorization", scheme+" "+token)
	}
	for name, value := range c.Headers {
		r.Header.Set(name, w.fill(value))
	}
	rec := httptest.NewRecorder()
	handler.ServeHTTP(rec, r)
	want.check(t, rec)
	if t.Failed() {
		t.Logf("%s %s %s\n%d %s", c.Method, c.Path, body, rec.Code, rec.Body)
	}
	var answer any
	_ = json.Unmarshal(rec.Body.Bytes(), &answer)
	for name, path := range c.Save {
		if values := at(answer, strings.Split(path, ".")); len(values) == 1 {
			w.saved[name] = number(values[0])
		}
	}
}

func number(v any) any {
	if f, ok := v.(float64); ok {
		return int64(f)
	}
	return v
}

func (want expectation) check(t *testing.T, rec *httptest.ResponseRecorder) {
	t.Helper()
	if want.Status != 0 && rec.Code != want.Status {
		t.Errorf("status %d, want %d", rec.Code, want.Status)
	}
	var answer any
	if err := json.Unmarshal(rec.Body.Bytes(), &answer); err != nil && len(want.Keys)+len(want.Values) > 0 {
		t.Errorf("the answer is not JSON: %v", err)
	}
	if want.Keys != nil {
		var keys []string
		object, _ := answer.(map[string]any)
		for key := range object {
			keys = append(keys, key)
		}
		slices.Sort(keys)
		if !slices.Equal(keys, want.Keys) {
			t.Errorf("keys %q, want %q", keys, want.Keys)
		}
	}
	if want.ErrorCode != "" {
		want.value(t, answer, "error.code", want.ErrorCode)
	}
	for path, value := range want.Values {
		want.value(t, answer, path, value)
	}
	for _, path := range want.Has {
		if len(at(answer, strings.Split(path, "."))) == 0 {
			t.Errorf("no %s", path)
		}
	}
	for _, part := range want.Contains {
		if !bytes.Contains(rec.Body.Bytes(), []byte(part)) {
			t.Errorf("the answer does not contain %q", part)
		}
	}
	for _, part := range want.NotContains {
		if bytes.Contains(rec.Body.Bytes(), []byte(part)) {
			t.Errorf("the answer contains %q", part)
		}
	}
}

func (want expectation) value(t *testing.T, answer any, path string, value any) {
	t.Helper()
	got := at(answer, strings.Split(path, "."))
	if strings.Contains(path, "*") {
		list, _ := value.([]any)
		if len(got) != len(list) || len(got) > 0 && !reflect.DeepEqual(got, list) {
			t.Errorf("%s: %v, want %v", path, got, value)
		}
		return
	}
	if len(got) != 1 || !reflect.DeepEqual(got[0], value) {
		t.Errorf("%s: %v, want %v", path, got, value)
	}
}

// at follows a dotted path; a star collects over a list.
func at(v any, path []string) []any {
	if len(path) == 0 {
		return []any{v}
	}
	switch v := v.(type) {
	case map[string]any:
		if inner, ok := v[path[0]]; ok {
			return at(inner, path[1:])
		}
	case []any:
		if path[0] == "*" {
			var all []any
			for _, one := range v {
				all = append(all, at(one, path[1:])...)
			}
			return all
		}
		if i, err := strconv.Atoi(path[0]); err == nil && i < len(v) {
			return at(v[i], path[1:])
		}
	}
	return nil
}

// TestContractCases plays what a real server was asked, in its order, and holds ours
// to its answers, or to what the table says that ours does better. CARDS_CASES names
// another table of the same form.
func TestContractCases(t *testing.T) {
	cases := readCases(t)
	play := func(t *testing.T, database string) {
		w := newWiki(t, database)
		for _, c := range cases {
			t.Run(c.ID, func(t *testing.T) { w.play(t, c) })
		}
	}
	t.Run("sqlite", func(t *testing.T) { play(t, t.TempDir()) })
	t.Run("postgres", func(t *testing.T) {
		if runtest.UnderRace {
			t.Skip("one request follows the other: the race detector sees no more than on the other database")
		}
		play(t, postgres.Database(t))
	})
}
