/**
 * The part of the module that is imported on demand, by `configFiles`: configuration files, and what commands about options
 * need. Programs without a configuration file never load it.
 */

export { checkDeclaredKind, declaredKindOf, readOfKind } from './files/by-declared-kind.ts'
export { readConfigFile, readConfigFiles } from './files/config-files.ts'
export { checkSource, parseSource, readSource } from './files/config-source.ts'
export { readConfigValue } from './files/read-value.ts'
export { checkReferencedFiles } from './files/referenced-files.ts'
export { readSharedFile, type SharedFile } from './files/shared-file.ts'
export { configTemplate } from './help/config-template.ts'
export { completionScript, shells } from './help/shell-completion.ts'
export { explain, printExplained } from './load/explain.ts'
export { loadConfiguration } from './load/load-configuration.ts'
export { formatFindings } from './value/finding.ts'
export { followPath } from './value/located-value.ts'
