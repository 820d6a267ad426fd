import { join, resolve } from 'node:path'
import { platform as ownNames } from '../../../generated/platform.ts'
import type { PlatformSource } from '../../../runtime/validate/validate.ts'
import { packageFolder } from '../package-folder.ts'
import { loadScheme, publicNames } from '../scheme.ts'

/** A file of platform names, and texts that only documents of that platform have. */
export interface PlatformFile {
  readonly marks: readonly string[]
  readonly file: string
}

/** Both platforms, unless one is named; the public ecosystem's documents are told by their keys. */
export function platformFiles(platform: string): readonly PlatformFile[] {
  if (platform !== '') return [{ marks: [], file: resolve(platform) }]
  const { api, domain, publicApi, publicDomain, brand } = ownNames
  return [
    { marks: [api, domain], file: join(packageFolder, `schemas/platform/${brand}.yaml`) },
    {
      marks: [publicApi, publicDomain].flatMap((one) => one ?? []),
      file: publicNames,
    },
  ]
}

/** The schema files that a flag names are wrong; what is wrong was told. */
export class WrongSchemas extends Error {}

/** The schemes of the platforms, each loaded when a document needs it. */
export function platformsOf(
  platform: string,
  schemas: readonly string[],
  complain: (line: string) => void,
): readonly PlatformSource[] {
  return platformFiles(platform).map(({ marks, file }, index) => ({
    marks,
    load: async () => {
      // The names of orch are built in: nothing has to be generated for them.
      const isOwn = platform === '' && index === 0
      const scheme = await loadScheme({ platform: isOwn ? '' : file, schemas }, complain)
      if (scheme === undefined) throw new WrongSchemas('the schema files are wrong')
      return scheme
    },
  }))
}
