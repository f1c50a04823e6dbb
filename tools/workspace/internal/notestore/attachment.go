package notestore

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"mime"
	"path"
	"time"
)

// An Attachment describes a file that is kept beside notes.
type Attachment struct {
	ID      string    `json:"id"`
	Name    string    `json:"name"`
	Path    string    `json:"path"` // by which texts name it, and where it is exported
	Type    string    `json:"type"`
	Size    int       `json:"size"`
	Digest  string    `json:"sha256"`
	Created time.Time `json:"created_at"`
}

// MaxAttachment is how many bytes an attachment may have.
const MaxAttachment = 8 << 20

// Attach keeps a file. It fills the size and the digest, and the type if it is empty.
func (d *Draft) Attach(ctx context.Context, workspace string, a Attachment, content []byte) (Attachment, error) {
	sum := sha256.Sum256(content)
	a.Size, a.Digest = len(content), hex.EncodeToString(sum[:])
	a.Type = cmp.Or(a.Type, mime.TypeByExtension(path.Ext(a.Name)), "application/octet-stream")
	body, err := json.Marshal(a)
	if err != nil {
		return a, err
	}
	return a, d.Put(ctx, Document{Workspace: workspace, Kind: AttachmentKind, ID: a.ID, Body: string(body), Content: content})
}
