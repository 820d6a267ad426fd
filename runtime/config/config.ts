/**
 * The configuration of a program: what its command line, its configuration file and the fragments of a drop-in directory
 * say, by a table of options and a configuration type.
 *
 *  1. A command line is read by the rules of the Kubernetes daemons: `--flag=value`, `--flag value`, bare switches, `-v4`,
 *     `-v=4`, `--` ends the flags, and `_` counts as `-` in a name.
 *  2. Every mistake is reported, not only the first, and an unknown flag names the nearest known one.
 *  3. Every value remembers where it came from, and one order holds: flag, environment, fragments from the last to the
 *     first, file, default.
 *  4. Every text is checked on its own before anything is merged; findings have the line and column of what is wrong.
 *  5. Nothing here prints or exits: that is the caller's business.
 *  6. A program that has no configuration file does not pay for reading one: `configFiles` loads that part.
 *
 * Tables are generated from `schemas/flags`, or written by hand for a command of the toolbox.
 */
export { helpAnswer, helpJson, optionsIn, versionAnswer } from './answer.ts'
export type { Shell } from './completion.ts'
export type { Explained, Locate } from './explain.ts'
export { FeatureGates, type GateChange, switchesOf } from './features.ts'
export type { ReadFiles } from './files.ts'
export type { ConfigFinding } from './finding.ts'
export { gateHelp } from './gate-help.ts'
export { helpText } from './help.ts'
export type { ConfigInput, Configuration } from './load.ts'
export type { ConfigKinds, Named } from './named.ts'
export { type CommandLine, Options, type Origin } from './options.ts'
export { type Environment, parseOptions } from './parse.ts'
export type { ConfigSource } from './source.ts'

/** Everything about configuration files, loaded on first use. */
export function configFiles(): Promise<typeof import('./configuration.ts')> {
  return import('./configuration.ts')
}
