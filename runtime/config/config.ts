/**
 * The configuration of a program: what a command line says about a table of options.
 *
 *  1. A command line is read by the rules of the Kubernetes daemons: `--flag=value`, `--flag value`, bare switches, `-v4`,
 *     `-v=4`, `--` ends the flags, and `_` counts as `-` in a name.
 *  2. Every mistake is reported, not only the first, and an unknown flag names the nearest known one.
 *  3. Every value remembers where it came from.
 *  4. Nothing here prints or exits: that is the caller's business.
 *
 * Tables are generated from `schemas/flags`, or written by hand for a command of the toolbox.
 */
export { helpAnswer, helpJson, optionsIn, versionAnswer } from './answer.ts'
export { completionScript, type Shell, shells } from './completion.ts'
export { FeatureGates, type GateChange, switchesOf } from './features.ts'
export { helpText } from './help.ts'
export { type CommandLine, Options, type Origin } from './options.ts'
export { type Environment, parseOptions } from './parse.ts'
