package main

import "github.com/lectern-mcp/lectern/status"

// keys are the keys of the configuration file as it is now.
func (w *world) keys() ([]status.Setting, error) {
	c, err := w.config()
	if err != nil {
		return nil, err
	}
	list := []status.Setting{}
	for _, s := range c.Settings() {
		list = append(list, status.Setting(s))
	}
	return list, nil
}
