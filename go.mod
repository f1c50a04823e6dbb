module github.com/lectern-mcp/lectern

go 1.26.0

require (
	github.com/google/jsonschema-go v0.4.3
	github.com/yosida95/uritemplate/v3 v3.0.2
)

require github.com/google/go-cmp v0.7.0

require golang.org/x/sys v0.49.0
