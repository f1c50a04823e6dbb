/** The version of the Logseq tools, as SKILL.md has it, that this plugin was written for. */
export const skill = '2.5.0'
