package cards

import (
	"context"
	"encoding/base64"
	"net/http"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/lectern-mcp/lectern/tools"
	"github.com/lectern-mcp/lectern/tools/cards/internal/cardclient"
)

// FileType is the type of a card that is a file: File (the default) or Image.
type FileType string

// JSONSchema implements [tools.SchemaProvider].
func (FileType) JSONSchema() *jsonschema.Schema {
	return &jsonschema.Schema{Type: "string", Enum: []any{"File", "Image"}}
}

// UploadAttachmentIn are the arguments of upload_attachment.
type UploadAttachmentIn struct {
	Name     string   `json:"name" jsonschema:"card to make or replace"`
	Filename string   `json:"filename" jsonschema:"such as map.png"`
	Data     string   `json:"file_data" jsonschema:"base64, up to 10 MiB"`
	Type     FileType `json:"type,omitempty" jsonschema:"File when omitted"`
	DryRun   bool     `json:"dry_run,omitempty" jsonschema:"only say what would change"`
}

// UploadAttachmentOut is the answer of upload_attachment.
type UploadAttachmentOut struct {
	Name     string          `json:"name" jsonschema:"name of the card"`
	Type     string          `json:"type" jsonschema:"File or Image"`
	Filename string          `json:"original_filename" jsonschema:"name of the file"`
	URL      string          `json:"file_url,omitempty" jsonschema:"where the wiki serves it"`
	Size     int             `json:"size" jsonschema:"bytes"`
	DryRun   bool            `json:"dry_run,omitempty" jsonschema:"nothing was written"`
	Would    []PlannedChange `json:"would_change,omitempty" jsonschema:"what a call without dry_run would change"`
}

// maxUpload is the largest file, in bytes.
const maxUpload = 10 << 20

func uploadAttachment() tools.Tool[*Wiki] {
	return tools.WithTargets(tools.DefineWithContext(tools.Spec[UploadAttachmentIn, UploadAttachmentOut]{
		Name: "upload_attachment", Title: "Attach a file", Effect: tools.Writes,
		Selects: []string{"name", "filename"},
		Doc:     "Puts a file into a card of its own.",
		Errors:  []tools.Code{tools.NotFound, tools.Conflict},
		Examples: []tools.Example[UploadAttachmentIn, UploadAttachmentOut]{{
			Purpose: "attach a text", In: UploadAttachmentIn{Name: "Harbour+log", Filename: "log.txt", Data: "aGVsbG8="}, AnyAnswer: true,
			Want: UploadAttachmentOut{Name: "Harbour+log", Type: "File", Filename: "log.txt", Size: 5},
		}},
	}, (*Wiki).UploadAttachment), func(_ *Wiki, _ context.Context, in UploadAttachmentIn) ([]string, error) {
		return []string{in.Name}, nil
	})
}

// UploadAttachment implements upload_attachment.
func (w *Wiki) UploadAttachment(ctx context.Context, c tools.CallContext, in UploadAttachmentIn) (UploadAttachmentOut, error) {
	if err := checkReadable(in.Name); err != nil {
		return UploadAttachmentOut{}, err
	}
	data, err := base64.StdEncoding.DecodeString(in.Data)
	switch {
	case err != nil:
		return UploadAttachmentOut{}, tools.Errorf(tools.Invalid, "file_data: not base64")
	case len(data) > maxUpload:
		return UploadAttachmentOut{}, tools.Errorf(tools.Limited, "file_data: %d bytes, and at most %d are allowed", len(data), maxUpload)
	case in.Filename == "":
		return UploadAttachmentOut{}, tools.Errorf(tools.Invalid, "filename: must not be empty")
	}
	if err := w.checkNewName(ctx, in.Name); err != nil {
		return UploadAttachmentOut{}, err
	}
	if in.Type == "" {
		in.Type = "File"
	}
	body := map[string]any{"type": in.Type, "file_data": in.Data, "filename": in.Filename}
	var after struct {
		Name     string `json:"name"`
		Filename string `json:"original_filename"`
		URL      string `json:"file_url"`
	}
	_, changes, err := w.change(ctx, c, apiRequest{Method: http.MethodPost, Path: cardclient.Path("cards", in.Name, "upload"), Body: body},
		in.DryRun, &after)
	if err != nil {
		return UploadAttachmentOut{}, err
	}
	out := UploadAttachmentOut{
		Name: after.Name, Type: string(in.Type), Filename: after.Filename, URL: after.URL, Size: len(data), DryRun: in.DryRun,
	}
	if after.Name == "" {
		out.Name, out.Filename = in.Name, in.Filename
	}
	if in.DryRun {
		out.URL = ""
	}
	for _, change := range changes {
		out.Would = append(out.Would, plannedChange(change))
	}
	return out, nil
}
