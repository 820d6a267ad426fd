/**
 * The inner door of the room: configuration files, and what commands about options need. Programs without a file never
 * load it; those with one get it from `configFiles`.
 */
export { completionScript, shells } from './completion.ts'
export { explain, printExplained } from './explain.ts'
export { readConfigFile, readConfigFiles } from './files.ts'
export { printFindings } from './finding.ts'
export { checkHeld } from './held.ts'
export { loadConfiguration } from './load.ts'
export { checkNamed, kindNamed, readNamed } from './named.ts'
export { follow } from './place.ts'
export { checkSource, openSource, readSource } from './source.ts'
export { configTemplate } from './template.ts'
export { readValue } from './value.ts'
