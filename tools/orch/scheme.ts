import { resolve } from 'node:path'
import { mergeSchemes, type Scheme } from '../../runtime/kernel/descriptors/scheme.ts'

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
  const base = platform === '' ? await ownTree() : await generatedTree(names, complain)
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

async function generatedTree(
  request: { readonly platform?: string; readonly schemas?: string },
  complain: (line: string) => void,
): Promise<Scheme | undefined> {
  const { compiledScheme: compiledTree } = await import('./compiled-scheme.ts')
  return compiledTree(request, complain)
}
