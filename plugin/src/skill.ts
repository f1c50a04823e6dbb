/** The version of the tool contract, SKILL.md, that this plugin was written for. */
export const skill = '2.5.0'
