import { resolve } from 'node:path'
import { mergeTrees, type Tree } from '../../runtime/kernel/tree.ts'

/** Which trees to serve; an empty platform means the package's own. */
export interface TreeRequest {
  readonly platform: string
  readonly schemas: readonly string[]
}

/**
 * The tree to serve: the package's own, or one generated for another platform, with the user's kinds added. Undefined if
 * the schema files are wrong; what is wrong goes to `complain`.
 */
export async function loadTree(
  { platform, schemas }: TreeRequest,
  complain: (line: string) => void,
): Promise<Tree | undefined> {
  const names = platform === '' ? {} : { platform: resolve(platform) }
  const base = platform === '' ? await ownTree() : await generatedTree(names, complain)
  if (base === undefined) return undefined
  const trees: Tree[] = []
  for (const folder of schemas) {
    const tree = await generatedTree({ ...names, schemas: resolve(folder) }, complain)
    if (tree === undefined) return undefined
    trees.push(tree)
  }
  return mergeTrees(base, ...trees)
}

async function ownTree(): Promise<Tree> {
  return (await import('../../generated/tree.ts')).tree
}

async function generatedTree(
  request: { readonly platform?: string; readonly schemas?: string },
  complain: (line: string) => void,
): Promise<Tree | undefined> {
  const { compiledTree } = await import('./compiled-tree.ts')
  return compiledTree(request, complain)
}
