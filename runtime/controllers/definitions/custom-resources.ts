/** The controllers of definitions: loaded when there is a definition, together with what makes kinds of them. */
export { DefinedKinds } from './defined-kinds.ts'
export { definitionCleanupController } from './definition-cleanup.ts'
export { definitionController, syncDefinitions } from './definitions.ts'
export { NameClaims } from './name-claims.ts'
