package mcp_test

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	lectern "github.com/lectern-mcp/lectern/hub/mcp"
	"github.com/lectern-mcp/lectern/tools"
)

// This file is the System that the official MCP suite asks servers to carry:
// names, texts and behaviour are the suite's. What a System of ours cannot
// declare, because no tool of ours asks the client back, is at the end and
// goes onto mcp-go's server directly.

type (
	fixture struct{}
	none    struct{}
)

func (fixture) Close() error                { return nil }
func (fixture) Check(context.Context) error { return nil }

// shown is an output that consists of its content blocks.
type shown struct {
	blocks []tools.Content
}

func (s shown) Blocks() []tools.Content { return s.blocks }

func text(s string) tools.Content { return tools.Content{Kind: tools.Text, Text: s} }

func redPixel() []byte {
	b, _ := base64.StdEncoding.DecodeString("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==")
	return b
}

func pixel() tools.Content {
	return tools.Content{Kind: tools.Image, MIME: "image/png", Data: redPixel()}
}

func embedded(uri, mime, body string) tools.Content {
	return tools.Content{Kind: tools.Embedded, URI: uri, MIME: mime, Text: body}
}

func fixtureKind() tools.Kind {
	show := func(name string, blocks ...tools.Content) tools.Tool[fixture] {
		return tools.Define(tools.Spec[none, shown]{Name: name, Title: name, Doc: "A fixture of the suite.", Effect: tools.Reads},
			func(fixture, context.Context, none) (shown, error) { return shown{blocks}, nil })
	}
	live := func(name string, f func(context.Context, tools.CallContext)) tools.Tool[fixture] {
		return tools.DefineWithContext(tools.Spec[none, shown]{Name: name, Title: name, Doc: "A fixture of the suite.", Effect: tools.Reads},
			func(_ fixture, ctx context.Context, c tools.CallContext, _ none) (shown, error) {
				f(ctx, c)
				return shown{[]tools.Content{text("done")}}, nil
			})
	}
	return tools.Erase(tools.System[fixture, struct{}]{
		Name: "fixture", Title: "Fixture", Doc: "What the suite asks for.",
		Open: func(context.Context, struct{}, tools.Env) (fixture, error) { return fixture{}, nil },
		Tools: []tools.Tool[fixture]{
			show("test_simple_text", text("This is a simple text response for testing.")),
			show("test_image_content", pixel()),
			show("test_audio_content", tools.Content{Kind: tools.Audio, MIME: "audio/wav", Data: []byte("RIFF&\x00\x00\x00WAVEfmt \x10\x00\x00\x00\x01\x00\x01\x00@\x1f\x00\x00\x80>\x00\x00\x02\x00\x10\x00data\x02\x00\x00\x00\x00\x00")}),
			show("test_embedded_resource", embedded("test://embedded-resource", "text/plain", "This is an embedded resource content.")),
			show("test_multiple_content_types", text("Multiple content types test:"), pixel(),
				embedded("test://mixed-content-resource", "application/json", `{"test":"data","value":123}`)),
			tools.Define(tools.Spec[none, none]{Name: "test_error_handling", Title: "Error", Doc: "Fails.", Effect: tools.Reads},
				func(fixture, context.Context, none) (none, error) {
					return none{}, tools.Errorf(tools.Conflict, "This tool intentionally returns an error for testing")
				}),
			live("test_tool_with_progress", func(ctx context.Context, c tools.CallContext) {
				for _, done := range []float64{0, 50, 100} {
					c.Progress(done, 100, "")
					pause(ctx)
				}
			}),
			live("test_tool_with_logging", func(ctx context.Context, c tools.CallContext) {
				for _, line := range []string{"Tool execution started", "Tool processing data", "Tool execution completed"} {
					c.Log(slog.LevelInfo, line)
					pause(ctx)
				}
			}),
			live("test_logging_tool", func(_ context.Context, c tools.CallContext) { c.Log(slog.LevelError, "only where asked for") }),
			live("test_streaming_elicitation", func(ctx context.Context, c tools.CallContext) {
				c.Progress(1, 2, "")
				pause(ctx)
			}),
		},
		Resources: []tools.Resource[fixture]{
			static("test://static-text", "text/plain", tools.Content{Text: "This is the content of the static text resource."}),
			static("test://static-binary", "image/png", tools.Content{Data: redPixel()}),
			static("test://watched-resource", "text/plain", tools.Content{Text: "watch me"}),
			static("test://example-resource", "text/plain", tools.Content{Text: "an example"}),
			{
				Name: "template", Title: "Template", Doc: "A template of the suite.", URI: "test://template/{id}/data", MIME: "application/json",
				Read: func(_ fixture, _ context.Context, _ string, vars map[string]string) (tools.Content, error) {
					return tools.Content{Text: fmt.Sprintf(`{"id":%q,"templateTest":true,"data":"Data for ID: %s"}`, vars["id"], vars["id"])}, nil
				},
			},
		},
		Prompts: []tools.Prompt[fixture]{
			say("test_simple_prompt", nil, func(map[string]string) []tools.Content {
				return []tools.Content{text("This is a simple prompt for testing.")}
			}),
			say("test_prompt_with_arguments", []string{"arg1", "arg2"}, func(a map[string]string) []tools.Content {
				return []tools.Content{text(fmt.Sprintf("Prompt with arguments: arg1='%s', arg2='%s'", a["arg1"], a["arg2"]))}
			}),
			say("test_prompt_with_embedded_resource", []string{"resourceUri"}, func(a map[string]string) []tools.Content {
				return []tools.Content{embedded(a["resourceUri"], "text/plain", "Embedded resource content for testing."), text("Please process the embedded resource above.")}
			}),
			say("test_prompt_with_image", nil, func(map[string]string) []tools.Content {
				return []tools.Content{pixel(), text("Please analyze the image above.")}
			}),
		},
	})
}

func static(uri, mime string, c tools.Content) tools.Resource[fixture] {
	return tools.Resource[fixture]{
		Name: uri, Title: uri, Doc: "A resource of the suite.", URI: uri, MIME: mime,
		Read: func(fixture, context.Context, string, map[string]string) (tools.Content, error) { return c, nil },
	}
}

func say(name string, args []string, f func(map[string]string) []tools.Content) tools.Prompt[fixture] {
	p := tools.Prompt[fixture]{Name: name, Title: name, Doc: "A prompt of the suite."}
	for _, a := range args {
		p.Arguments = append(p.Arguments, tools.PromptArgument{Name: a, Doc: "an argument", Required: true})
	}
	p.Get = func(_ fixture, _ context.Context, args map[string]string) ([]tools.Message, error) {
		var out []tools.Message
		for _, c := range f(args) {
			out = append(out, tools.Message{Content: c})
		}
		return out, nil
	}
	if len(args) > 1 {
		p.Complete = func(fixture, context.Context, string, string) ([]string, error) {
			return []string{"paris", "park", "party"}, nil
		}
	}
	return p
}

// pause is the delay that the suite wants between notifications.
func pause(ctx context.Context) {
	t := time.NewTimer(50 * time.Millisecond)
	defer t.Stop()
	select {
	case <-t.C:
	case <-ctx.Done():
	}
}

// askingBack adds the fixtures that send requests to the client, that change
// the lists, or that need a schema no struct of ours has.
func askingBack(s *server.MCPServer) {
	s.EnableSampling()
	answer := mcp.NewToolResultText
	add := func(name string, schema string, f server.ToolHandlerFunc) {
		s.AddTool(mcp.Tool{Name: name, Description: "A fixture of the suite.", RawInputSchema: json.RawMessage(schema), Annotations: lectern.Annotations(tools.ToolInfo{Effect: tools.Reads})}, f)
	}
	const nothing = `{"type":"object","properties":{}}`

	add("test_sampling", `{"type":"object","properties":{"prompt":{"type":"string"}},"required":["prompt"]}`,
		func(ctx context.Context, r mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			res, err := lectern.Ask(ctx, mcp.MethodSamplingCreateMessage, sample(r.GetString("prompt", ""), 100))
			if err != nil {
				return mcp.NewToolResultError(err.Error()), nil
			}
			return answer("LLM response: " + string(res)), nil
		})
	elicit := func(name, schema string, params func(mcp.CallToolRequest) mcp.ElicitationParams) {
		add(name, schema, func(ctx context.Context, r mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			b, err := lectern.Ask(ctx, mcp.MethodElicitationCreate, params(r))
			var res mcp.ElicitationResult
			if err == nil {
				err = json.Unmarshal(b, &res)
			}
			if err != nil {
				return mcp.NewToolResultError(err.Error()), nil
			}
			return answer(fmt.Sprintf("Elicitation completed: action=%s, content=%v", res.Action, res.Content)), nil
		})
	}
	elicit("test_elicitation", `{"type":"object","properties":{"message":{"type":"string"}},"required":["message"]}`,
		func(r mcp.CallToolRequest) mcp.ElicitationParams {
			return formOf(r.GetString("message", ""), `{"username":{"type":"string","description":"User's response"},"email":{"type":"string","description":"User's email address"}}`, "username", "email")
		})
	elicit("test_elicitation_sep1034_defaults", nothing, func(mcp.CallToolRequest) mcp.ElicitationParams {
		return formOf("Provide your information", `{"name":{"type":"string","default":"John Doe"},"age":{"type":"integer","default":30},"score":{"type":"number","default":95.5},`+
			`"status":{"type":"string","enum":["active","inactive","pending"],"default":"active"},"verified":{"type":"boolean","default":true}}`)
	})
	elicit("test_elicitation_sep1330_enums", nothing, func(mcp.CallToolRequest) mcp.ElicitationParams {
		return formOf("Select options", `{"untitledSingle":{"type":"string","enum":["option1","option2","option3"]},`+
			`"titledSingle":{"type":"string","oneOf":[{"const":"value1","title":"First Option"},{"const":"value2","title":"Second Option"}]},`+
			`"legacyEnum":{"type":"string","enum":["opt1","opt2","opt3"],"enumNames":["Option One","Option Two","Option Three"]},`+
			`"untitledMulti":{"type":"array","items":{"type":"string","enum":["option1","option2","option3"]}},`+
			`"titledMulti":{"type":"array","items":{"anyOf":[{"const":"value1","title":"First Choice"},{"const":"value2","title":"Second Choice"}]}}}`)
	})

	add("json_schema_2020_12_tool", `{"$schema":"https://json-schema.org/draft/2020-12/schema","type":"object","$defs":{"address":{"$anchor":"addressDef","type":"object",`+
		`"properties":{"street":{"type":"string"},"city":{"type":"string"}}}},"properties":{"name":{"type":"string"},"address":{"$ref":"#/$defs/address"},`+
		`"contactMethod":{"type":"string","enum":["phone","email"]},"phone":{"type":"string"},"email":{"type":"string"}},"allOf":[{"anyOf":[{"required":["phone"]},`+
		`{"required":["email"]}]}],"if":{"properties":{"contactMethod":{"const":"phone"}},"required":["contactMethod"]},"then":{"required":["phone"]},`+
		`"else":{"required":["email"]},"additionalProperties":false}`,
		func(context.Context, mcp.CallToolRequest) (*mcp.CallToolResult, error) { return answer("ok"), nil })
	add("test_headers", `{"type":"object","properties":{"region":{"type":"string","x-mcp-header":"Region"}},"required":["region"]}`,
		func(context.Context, mcp.CallToolRequest) (*mcp.CallToolResult, error) { return answer("ok"), nil })

	add("test_missing_capability", nothing, func(ctx context.Context, _ mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		if c := server.RequestProtocolInfoFromContext(ctx).ClientCapabilities; c == nil || c.Sampling == nil {
			lectern.Fail(ctx, mcp.MISSING_REQUIRED_CLIENT_CAPABILITY, map[string]any{"requiredCapabilities": map[string]any{"sampling": map[string]any{}}})
			return nil, mcp.MissingRequiredClientCapabilityError{Capability: "sampling"}
		}
		return answer("ok"), nil
	})
	add("test_trigger_tool_change", nothing, func(context.Context, mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		s.AddTool(mcp.NewTool("test_changed"), func(context.Context, mcp.CallToolRequest) (*mcp.CallToolResult, error) { return answer("ok"), nil })
		s.DeleteTools("test_changed")
		return answer("ok"), nil
	})
	add("test_trigger_prompt_change", nothing, func(context.Context, mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		s.AddPrompt(mcp.NewPrompt("test_changed"), func(context.Context, mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
			return &mcp.GetPromptResult{}, nil
		})
		s.DeletePrompts("test_changed")
		return answer("ok"), nil
	})
	roundTrips(s, add)
}

func sample(prompt string, most int) mcp.CreateMessageParams {
	return mcp.CreateMessageParams{MaxTokens: most, Messages: []mcp.SamplingMessage{{Role: mcp.RoleUser, Content: mcp.NewTextContent(prompt)}}}
}

func formOf(message, properties string, required ...string) mcp.ElicitationParams {
	schema := map[string]any{"type": "object", "properties": json.RawMessage(properties)}
	if len(required) > 0 {
		schema["required"] = required
	}
	return mcp.ElicitationParams{Message: message, RequestedSchema: schema}
}

// A trip answers one call of a fixture that asks the client for input; nil
// means that the state is not one it gave out.
type trip func(ctx context.Context, p mcp.CallToolParams) *mcp.CallToolResult

// roundTrips adds the fixtures that answer input_required.
func roundTrips(s *server.MCPServer, add func(string, string, server.ToolHandlerFunc)) {
	for name, f := range map[string]trip{
		"test_input_required_result_elicitation":     tripName,
		"test_input_required_result_sampling":        tripSampling,
		"test_input_required_result_list_roots":      tripRoots,
		"test_input_required_result_request_state":   tripState,
		"test_input_required_result_multiple_inputs": tripThree,
		"test_input_required_result_multi_round":     tripRounds,
		"test_input_required_result_tampered_state":  tripSealed,
		"test_input_required_result_capabilities":    tripCapabilities,
	} {
		add(name, `{"type":"object","properties":{}}`, func(ctx context.Context, r mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			res := f(ctx, r.Params)
			if res == nil {
				lectern.Fail(ctx, mcp.INVALID_PARAMS, nil)
				return nil, errors.New("requestState is not ours")
			}
			return res, nil
		})
	}
	s.AddPrompt(mcp.NewPrompt("test_input_required_result_prompt", mcp.WithPromptDescription("A fixture of the suite.")),
		func(_ context.Context, r mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
			if _, ok := server.InputResponse(r.Params.InputResponses, "user_context"); !ok {
				return ask("").Elicit("user_context", formOf("What context should the prompt use?", `{"context":{"type":"string"}}`, "context")).PromptResult(), nil
			}
			return &mcp.GetPromptResult{Messages: []mcp.PromptMessage{{Role: mcp.RoleUser, Content: mcp.NewTextContent("with your context")}}}, nil
		})
}

func ask(state string) *server.InputRequestBuilder { return server.NewInputRequestBuilder(state) }

func nameForm() mcp.ElicitationParams {
	return formOf("What is your name?", `{"name":{"type":"string"}}`, "name")
}

func okForm() mcp.ElicitationParams {
	return formOf("Please confirm", `{"ok":{"type":"boolean"}}`, "ok")
}

func has(p mcp.CallToolParams, ids ...string) bool {
	return !slices.ContainsFunc(ids, func(id string) bool { _, ok := server.InputResponse(p.InputResponses, id); return !ok })
}

func tripName(_ context.Context, p mcp.CallToolParams) *mcp.CallToolResult {
	if r := server.ElicitationResponse(p.InputResponses, "user_name"); r != nil && r.Content != nil {
		return mcp.NewToolResultText(fmt.Sprintf("Hello, %v!", r.Content))
	}
	return ask("").Elicit("user_name", nameForm()).ToolResult()
}

func tripSampling(_ context.Context, p mcp.CallToolParams) *mcp.CallToolResult {
	if r := server.SamplingResponse(p.InputResponses, "capital_question"); r != nil {
		return mcp.NewToolResultText(fmt.Sprint(r.Content))
	}
	return ask("").Sample("capital_question", sample("What is the capital of France?", 100)).ToolResult()
}

func tripRoots(_ context.Context, p mcp.CallToolParams) *mcp.CallToolResult {
	if r := server.RootsResponse(p.InputResponses, "client_roots"); r != nil {
		return mcp.NewToolResultText(fmt.Sprint(r.Roots))
	}
	return ask("").Roots("client_roots").ToolResult()
}

func tripState(_ context.Context, p mcp.CallToolParams) *mcp.CallToolResult {
	if has(p, "confirm") && p.RequestState == "state" {
		return mcp.NewToolResultText("state-ok")
	}
	return ask("state").Elicit("confirm", okForm()).ToolResult()
}

func tripThree(_ context.Context, p mcp.CallToolParams) *mcp.CallToolResult {
	if has(p, "user_name", "greeting", "client_roots") {
		return mcp.NewToolResultText("all there")
	}
	return ask("state").Elicit("user_name", nameForm()).Sample("greeting", sample("Generate a greeting", 50)).Roots("client_roots").ToolResult()
}

func tripRounds(_ context.Context, p mcp.CallToolParams) *mcp.CallToolResult {
	switch {
	case has(p, "step2") && p.RequestState == "two":
		return mcp.NewToolResultText("both steps done")
	case has(p, "step1") && p.RequestState == "one":
		return ask("two").Elicit("step2", formOf("Step 2: What is your favorite color?", `{"color":{"type":"string"}}`, "color")).ToolResult()
	default:
		return ask("one").Elicit("step1", formOf("Step 1: What is your name?", `{"name":{"type":"string"}}`, "name")).ToolResult()
	}
}

func tripSealed(_ context.Context, p mcp.CallToolParams) *mcp.CallToolResult {
	switch p.RequestState {
	case "":
		return ask("sealed").Elicit("confirm", okForm()).ToolResult()
	case "sealed":
		return mcp.NewToolResultText("state-ok")
	default:
		return nil
	}
}

func tripCapabilities(ctx context.Context, p mcp.CallToolParams) *mcp.CallToolResult {
	if len(p.InputResponses) > 0 {
		return mcp.NewToolResultText("ok")
	}
	b := ask("")
	caps := server.RequestProtocolInfoFromContext(ctx).ClientCapabilities
	if caps != nil && caps.Sampling != nil {
		b.Sample("greeting", sample("Generate a greeting", 50))
	}
	if caps != nil && caps.Elicitation != nil {
		b.Elicit("confirm", okForm())
	}
	return b.ToolResult()
}
