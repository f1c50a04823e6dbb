package cardapi

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"mime"
	"net/http"
	"net/url"
	"path"
	"strings"

	"github.com/lectern-mcp/lectern/tools/cards/internal/cardstore"
)

// Files keeps what was uploaded, by its digest.
type Files interface {
	// Put keeps data, which Get finds by its [digestOf].
	Put(ctx context.Context, data []byte) error
	Get(ctx context.Context, name string) ([]byte, error)
}

// digestOf is the name by which data is kept.
func digestOf(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

// The content of a file's card: the name of what is kept, and that of the file.
func fileContent(kept, filename string) string { return kept + "\n" + filename }

func fileOf(c cardstore.Card) (kept, filename string) {
	kept, filename, _ = strings.Cut(c.Content, "\n")
	return kept, filename
}

// runsInBrowsers reports whether a browser would run a file of this kind; such files
// cannot be uploaded.
func runsInBrowsers(kind string) bool {
	kind, _, _ = mime.ParseMediaType(kind)
	switch kind {
	case "text/html", "image/svg+xml", "application/xhtml+xml", "text/xml", "application/xml", "text/javascript", "application/javascript":
		return true
	}
	return false
}

func uploadFile(r *request) (answer, error) {
	var in struct {
		Type      string  `json:"type"`
		Data      *string `json:"file_data"`
		Filename  string  `json:"filename"`
		RemoteURL string  `json:"remote_url"`
		dryRunBody
	}
	if err := r.into(&in); err != nil {
		return answer{}, err
	}
	switch {
	case in.Type != "File" && in.Type != "Image":
		return answer{}, invalid("type", "type must be 'File' or 'Image'")
	case in.Data == nil && in.RemoteURL == "":
		return answer{}, invalid("file_data", "Either file_data or remote_url is required")
	case in.Data == nil:
		return answer{}, invalid("remote_url", "This server fetches nothing from addresses; send file_data")
	case in.Filename == "":
		return answer{}, invalid("filename", "filename is required with file_data")
	case len(*in.Data) > base64.StdEncoding.EncodedLen(r.api.Limits.Upload):
		return answer{}, invalid("file_data", "The file is larger than %d bytes", r.api.Limits.Upload)
	}
	data, err := base64.StdEncoding.DecodeString(strings.TrimSpace(*in.Data))
	if err != nil {
		return answer{}, invalid("file_data", "file_data is not base64")
	}
	filename := path.Base(strings.ReplaceAll(in.Filename, `\`, "/"))
	if filename == "." || filename == ".." || filename == "/" || len(filename) > 255 || strings.ContainsAny(filename, "\x00\r\n") {
		return answer{}, invalid("filename", "filename is not the name of a file")
	}
	if in.Type == "Image" && !strings.HasPrefix(http.DetectContentType(data), "image/") {
		return answer{}, invalid("file_data", "The file is no image")
	}
	if !r.trying {
		if err := r.api.Files.Put(r.Context(), data); err != nil {
			return answer{}, err
		}
	}
	kept := digestOf(data)
	var c cardstore.Card
	err = r.store.Together(r.Context(), func(s *cardstore.Store) error {
		update := cardstore.CardUpdate{Type: &in.Type, Content: func(string) (string, error) {
			return fileContent(kept, filename), nil
		}}
		c, err = s.Update(r.Context(), r.by(), r.args[0], update)
		if errors.Is(err, cardstore.ErrNotFound) {
			c, err = s.Create(r.Context(), r.by(), cardstore.NewCard{
				Name: r.args[0], Type: in.Type, Content: fileContent(kept, filename), Upload: true,
			})
		}
		return err
	})
	if err != nil {
		return answer{}, err
	}
	out := full(c)
	out["file_url"], out["original_filename"] = r.api.fileURL(c), filename
	return ok(out)
}

// fileURL is the path of a file at the address of the hub.
func (a *API) fileURL(c cardstore.Card) string {
	return a.Base + "/cards/" + strings.ReplaceAll(url.PathEscape(string(c.Name)), "%2B", "+") + "/file"
}

// theFile is the card of a path if it is one of a file.
func (r *request) theFile() (c cardstore.Card, kept, filename string, err error) {
	if c, err = r.store.Get(r.Context(), r.by(), r.args[0]); err != nil {
		return c, "", "", err
	}
	if c.Type != "File" && c.Type != "Image" {
		return c, "", "", invalid("name", "Card '%s' is not a File or Image", c.Name)
	}
	kept, filename = fileOf(c)
	return c, kept, filename, nil
}

func getFileURL(r *request) (answer, error) {
	c, _, filename, err := r.theFile()
	if err != nil {
		return answer{}, err
	}
	return ok(map[string]any{"name": c.Name, "type": c.Type, "file_url": r.api.fileURL(c), "original_filename": filename})
}

func getFile(r *request) (answer, error) {
	_, kept, filename, err := r.theFile()
	if err != nil {
		return answer{}, err
	}
	data, err := r.api.Files.Get(r.Context(), kept)
	if err != nil {
		return answer{}, err
	}
	kind := http.DetectContentType(data)
	if runsInBrowsers(kind) {
		kind = "application/octet-stream"
	}
	return answer{status: http.StatusOK, raw: data, headers: map[string]string{
		"Content-Type": kind, "Content-Disposition": mime.FormatMediaType("attachment", map[string]string{"filename": filename}),
		"Content-Security-Policy": "sandbox",
	}}, nil
}
