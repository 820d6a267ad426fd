import { join, resolve } from 'node:path'
import { platform as ownNames } from '../../generated/platform.ts'
import { mergeSchemes, type Scheme } from '../../runtime/kernel/descriptors/scheme.ts'
import { packageFolder } from './package-folder.ts'

/** The file with the names of the public ecosystem. */
export const publicNames = join(packageFolder, `schemas/platform/${ownNames.publicBrand}.yaml`)

/** Which schemes to serve; an empty platform means the package's own. */
export interface SchemeRequest {
  readonly platform: string
  readonly schemas: readonly string[]
}

/**
 * The scheme to serve: the package's own, or one generated for another platform, with the user's kinds added. Undefined if
 * the schema files are wrong; what is wrong goes to `complain`.
 */
export async function loadScheme(
  { platform, schemas }: SchemeRequest,
  complain: (line: string) => void,
): Promise<Scheme | undefined> {
  const names = platform === '' ? {} : { platform: resolve(platform) }
  const base =
    platform === ''
      ? await ownTree()
      : names.platform === publicNames
        ? await publicTree()
        : await generatedTree(names, complain)
  if (base === undefined) return undefined
  const schemes: Scheme[] = []
  for (const folder of schemas) {
    const scheme = await generatedTree({ ...names, schemas: resolve(folder) }, complain)
    if (scheme === undefined) return undefined
    schemes.push(scheme)
  }
  return mergeSchemes(base, ...schemes)
}

/** The scheme of this package, which needs no compiler. */
async function ownTree(): Promise<Scheme> {
  return (await import('../../generated/scheme.ts')).scheme
}

/** The scheme of the public ecosystem's names, which the build makes (`tools/pack.ts`). */
async function publicTree(): Promise<Scheme> {
  const packed = '#public-scheme'
  return ((await import(packed)) as { readonly scheme: Scheme }).scheme
}

async function generatedTree(
  request: { readonly platform?: string; readonly schemas?: string },
  complain: (line: string) => void,
): Promise<Scheme | undefined> {
  const { compiledScheme: compiledTree } = await import('./compiled-scheme.ts')
  return compiledTree(request, complain)
}
