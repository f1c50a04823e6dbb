package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/lectern-mcp/lectern/installer"
	"github.com/lectern-mcp/lectern/tools"
	"github.com/lectern-mcp/lectern/tools/doc"
)

// skillName is the skill's name, as the text itself says it.
const skillName = "lectern"

func skillCommand(w *world) *cobra.Command {
	c := &cobra.Command{
		Use:   "skill",
		Short: "Print SKILL.md, which tells agents how to use the tools, or install it",
		Args:  noArguments,
		RunE: func(*cobra.Command, []string) error {
			text, err := w.skillText()
			if err != nil {
				return err
			}
			_, err = w.out.Write(text)
			return err
		},
	}
	c.AddCommand(skillInstallCommand(w), skillRemoveCommand(w))
	return c
}

func (w *world) skillText() ([]byte, error) {
	var systems []*tools.Manifest
	for _, k := range w.kinds() {
		systems = append(systems, k.Manifest())
	}
	return doc.Skill(systems)
}

func skillInstallCommand(w *world) *cobra.Command {
	var ids []string
	var agreed agreement
	c := &cobra.Command{
		Use:   "install",
		Short: "Put the skill where agents look for skills",
		Args:  noArguments,
		RunE: func(c *cobra.Command, _ []string) error {
			m := w.machine()
			clients, err := skilled(ids, func(cl installer.Client) bool { return cl.Detected(m) })
			if err != nil {
				return err
			}
			text, err := w.skillText()
			if err != nil {
				return err
			}
			p, err := m.InstallSkill(clients, installer.Skill{Name: skillName, Text: text})
			if err != nil {
				return err
			}
			return w.carry(c.Context(), p, agreed)
		},
	}
	c.Flags().StringSliceVar(&ids, "client", nil, "for these clients; without it for all that are on this machine")
	agreed.flags(c)
	return c
}

func skillRemoveCommand(w *world) *cobra.Command {
	var ids []string
	var agreed agreement
	c := &cobra.Command{
		Use:   "remove",
		Short: "Remove the skill from where agents look for skills",
		Args:  noArguments,
		RunE: func(c *cobra.Command, _ []string) error {
			clients, err := skilled(ids, func(installer.Client) bool { return true })
			if err != nil {
				return err
			}
			p, err := w.machine().RemoveSkill(clients, skillName)
			if err != nil {
				return err
			}
			return w.carry(c.Context(), p, agreed)
		},
	}
	c.Flags().StringSliceVar(&ids, "client", nil, "for these clients; without it for all")
	agreed.flags(c)
	return c
}

// skilled are the clients that ids name; without any those that have skills and
// are wanted.
func skilled(ids []string, wanted func(installer.Client) bool) ([]installer.Client, error) {
	var list []installer.Client
	for _, id := range ids {
		cl, err := installer.Find(strings.TrimSpace(id))
		if err != nil {
			return nil, usagef("--client: %v", err)
		}
		if !cl.HasSkills() {
			return nil, fmt.Errorf("no folder is known where %s looks for skills", cl.Title)
		}
		list = append(list, cl)
	}
	if len(ids) > 0 {
		return list, nil
	}
	for _, cl := range installer.Clients() {
		if cl.HasSkills() && wanted(cl) {
			list = append(list, cl)
		}
	}
	return list, nil
}
