package cards

import "github.com/lectern-mcp/lectern/tools"

// ErrorObject is an error as the specification of the API writes it.
type ErrorObject struct {
	Error ErrorBody `json:"error" jsonschema:"what went wrong"`
}

// ErrorBody is what went wrong.
type ErrorBody struct {
	Code    string            `json:"code" jsonschema:"validation_error, permission_denied, rate_limited, conflict, not_found, unavailable, timeout or internal_error"`
	Message string            `json:"message" jsonschema:"one sentence"`
	Details any               `json:"details,omitempty" jsonschema:"further facts, such as required_role or retry_after in seconds"`
	Fields  []ValidationError `json:"validation_errors,omitempty" jsonschema:"what is wrong with which argument"`
	Hint    string            `json:"hint,omitempty" jsonschema:"what to do next"`
}

// ValidationError says what is wrong with one argument.
type ValidationError struct {
	Field string `json:"field" jsonschema:"the argument"`
	Error string `json:"error" jsonschema:"what is wrong with it"`
}

func errorFormat() tools.ErrorFormat {
	words := map[tools.Code]string{
		tools.Invalid: "validation_error", tools.NotFound: "not_found", tools.Conflict: "conflict", tools.Denied: "permission_denied",
		tools.Unavailable: "unavailable", tools.Limited: "rate_limited", tools.Timeout: "timeout", tools.Internal: "internal_error",
	}
	return tools.NewErrorFormat(words, func(code string, e *tools.Error) ErrorObject {
		body := ErrorBody{Code: code, Message: e.Message, Details: e.DataOrApplied(), Hint: e.Hint}
		if r, ok := e.Data.(refusal); ok {
			for _, f := range r.Fields {
				body.Fields = append(body.Fields, ValidationError{f.Field, f.Error})
			}
			if r.RequiredRole == "" && r.RetryAfter == 0 {
				body.Details = nil
			}
		}
		return ErrorObject{body}
	})
}
