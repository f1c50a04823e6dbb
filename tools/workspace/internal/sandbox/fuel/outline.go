package fuel

import "fmt"

// Outline returns module with bodies that only trap: its types, imports, globals,
// exports and data are the same, and so is the index of every function. It is for an
// engine that has the code of module already, compiled, and needs to know its outside
// only.
func Outline(module []byte) ([]byte, error) {
	p, err := parse(module)
	if err != nil {
		return nil, fmt.Errorf("outline module: %w", err)
	}
	if _, ok := p.sections[sectionCode]; ok {
		code := appendUint(nil, uint64(len(p.functions)))
		for range p.functions {
			code = append(appendUint(code, uint64(len(trap()))), trap()...)
		}
		p.sections[sectionCode] = code
	}
	return p.encode(), nil
}
