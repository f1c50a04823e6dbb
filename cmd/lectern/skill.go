package main

import (
	"context"
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
	return doc.Skill(systems, tools.OwnChangesKind().Manifest())
}

func skillInstallCommand(w *world) *cobra.Command {
	var ids []string
	c := w.planned(&cobra.Command{
		Use:   "install",
		Short: "Put the skill where agents look for skills",
		Args:  noArguments,
	}, func(context.Context, []string) (*installer.Proposal, error) { return w.installSkill(ids) })
	c.Flags().StringSliceVar(&ids, "client", nil, "for these clients; without it for all that are on this machine")
	return c
}

// installSkill proposes to put the skill where the clients of these names look
// for it; without names, those on this machine.
func (w *world) installSkill(ids []string) (*installer.Proposal, error) {
	m := w.machine()
	clients, err := skilled(ids, func(cl installer.Client) bool { return cl.Detected(m) })
	if err != nil {
		return nil, err
	}
	text, err := w.skillText()
	if err != nil {
		return nil, err
	}
	return m.InstallSkill(clients, installer.Skill{Name: skillName, Text: text})
}

func skillRemoveCommand(w *world) *cobra.Command {
	var ids []string
	c := w.planned(&cobra.Command{
		Use:   "remove",
		Short: "Remove the skill from where agents look for skills",
		Args:  noArguments,
	}, func(context.Context, []string) (*installer.Proposal, error) { return w.removeSkill(ids) })
	c.Flags().StringSliceVar(&ids, "client", nil, "for these clients; without it for all")
	return c
}

func (w *world) removeSkill(ids []string) (*installer.Proposal, error) {
	clients, err := skilled(ids, func(installer.Client) bool { return true })
	if err != nil {
		return nil, err
	}
	return w.machine().RemoveSkill(clients, skillName)
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
