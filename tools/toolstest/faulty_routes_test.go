package toolstest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"

	"github.com/lectern-mcp/lectern/tools"
)

func faultyRoutes() *tools.Routes {
	return &tools.Routes{Mount: "/faulty", List: []tools.Route{
		{Path: "/things/", Methods: []string{"GET", "PUT"}, MaxBody: 64, Auth: tools.AuthSource, Purpose: "Read or write a thing"},
		{Path: "/events", Methods: []string{"GET"}, Stream: true, Auth: tools.AuthOpen, Purpose: "What happens"},
	}}
}

// Authenticate implements [tools.Authenticator].
func (s *faultySource) Authenticate(context.Context, string) (tools.Identity, error) {
	if s.fault == anyKey {
		return tools.Identity{Client: "somebody"}, nil
	}
	if s.fault == wrongKeyFails {
		return tools.Identity{}, errors.New("no such key")
	}
	return tools.Identity{}, tools.Errorf(tools.Denied, "this is not the key")
}

// ServeHTTP implements [http.Handler].
func (s *faultySource) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	key, isThing := strings.CutPrefix(r.URL.Path, "/things/")
	switch {
	case !isThing:
		<-r.Context().Done()
		return
	case s.fault == routePanics && strings.Contains(key, "\x00"):
		panic("NUL")
	case s.fault == routeFails && key == "":
		http.Error(w, "which?", http.StatusInternalServerError)
		return
	case s.fault == routeReports && r.Method == http.MethodPut:
		_ = tools.CallContextOf(r.Context()).BeforeWrite(r.Context(), tools.Change{Target: key})
	case s.fault == routeWrites && r.Method == http.MethodPut:
		value := "by hand"
		s.set(key, &value)
		return
	case r.Method != http.MethodPut && s.fault != getWrites:
		fmt.Fprintln(w, "a thing")
		return
	}
	body, err := io.ReadAll(r.Body)
	if err != nil {
		http.Error(w, "too large", http.StatusBadRequest)
		return
	}
	args, err := json.Marshal(putIn{Key: "b", Value: fmt.Sprint("put ", len(body))})
	if err != nil {
		http.Error(w, "odd", http.StatusBadRequest)
		return
	}
	if _, err := tools.CallContextOf(r.Context()).Call(r.Context(), "", "put", args); err != nil {
		http.Error(w, "not now", http.StatusForbidden)
	}
}
