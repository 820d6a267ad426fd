import type { Scheme } from '../../runtime/kernel/descriptors/scheme.ts'
import { compiledScheme } from '../../tools/orch/compiled-scheme.ts'

/** The kinds under the names of a platform: undefined, which is the usual ones, for `orch`; those of `schemas/platform/<name>.yaml` else. */
export async function platformScheme(name: string): Promise<Scheme | undefined> {
  if (name === 'orch') return undefined
  return await compiledScheme({ platform: `schemas/platform/${name}.yaml` }, console.error)
}
