import { resolve } from 'node:path'
import { platform as ownNames } from '../../../generated/platform.ts'
import type { PlatformSource } from '../../../runtime/validate/validate.ts'
import { loadScheme, publicNames } from '../scheme.ts'

/** Both platforms, unless one is named; the public ecosystem's documents are told by their keys. */
export function platformsOf(
  platform: string,
  schemas: readonly string[],
  complain: (line: string) => void,
): readonly PlatformSource[] {
  const load = (file: string) => async () => {
    const scheme = await loadScheme({ platform: file, schemas }, complain)
    if (scheme === undefined) throw new Error('the schema files are wrong')
    return scheme
  }
  if (platform !== '') return [{ marks: [], load: load(resolve(platform)) }]
  const { api, domain, publicApi, publicDomain } = ownNames
  return [
    { marks: [api, domain], load: load('') },
    { marks: [publicApi, publicDomain].flatMap((one) => one ?? []), load: load(publicNames) },
  ]
}
