/**
 * The configuration of a program from its command line, its environment, its configuration file and the fragments of a
 * drop-in directory, by a table of options and a configuration type.
 *
 *  1. A command line is read by the rules of the Kubernetes daemons: `--flag=value`, `--flag value`, bare switches, `-v4`,
 *     `-v=4`, `--` ends the flags, and `_` counts as `-` in a name.
 *  2. Every mistake is reported, not only the first, and an unknown flag names the nearest known one.
 *  3. Every value keeps its location, and one order of precedence holds: flag, environment, fragments from the last to
 *     the first, file, default.
 *  4. Every text is checked on its own before anything is merged; findings have the line and column of what is wrong.
 *  5. Nothing here prints or exits; the caller does.
 *  6. Files that are followed are read again when they change; what cannot be used is told, and changes nothing.
 *  7. A program without a configuration file does not load the code that reads one: `configFiles` imports it.
 *
 * Tables are generated from `schemas/flags`, or written by hand for a command of the toolbox.
 */

export { configFiles } from './config-files.ts'
export type { ConfigKinds, DeclaredValue } from './files/by-declared-kind.ts'
export type { ConfigFilesRead } from './files/config-files.ts'
export type { ConfigSource } from './files/config-source.ts'
export { type FollowOptions, followFiles } from './files/follow-files.ts'
export { type CommandLine, Options } from './flags/options.ts'
export { type Environment, parseOptions } from './flags/parse-flags.ts'
export { type FeatureGateChange, FeatureGates, parseGateSwitches } from './gates/feature-gates.ts'
export { gateHelp } from './gates/gate-help.ts'
export { helpJson, helpRequested, versionRequested } from './help/help-and-version.ts'
export { helpText } from './help/help-text.ts'
export type { Shell } from './help/shell-completion.ts'
export type { Explained, Locate } from './load/explain.ts'
export type { ConfigInput, Configuration } from './load/load-configuration.ts'
export type { ConfigFinding } from './value/finding.ts'
export type { OptionOrigin } from './value/located-value.ts'
