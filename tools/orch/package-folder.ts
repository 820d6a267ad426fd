import { fileURLToPath } from 'node:url'

/** The folder of this package, with its schemas, also for code that was joined into other files. */
export const packageFolder = fileURLToPath(new URL('.', import.meta.resolve('orch/package.json')))
