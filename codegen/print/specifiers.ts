/** How generated modules import each other, the kernel and the client, inside orch and in a user's project. */
import { posix } from 'node:path'
import type { Specifiers } from '../emit/artefact.ts'

/** Where the output stands, and what it consists of. */
export interface OutputLayout {
  /** True for orch's own tree, beside `runtime/`: every import is a relative path. */
  readonly inside: boolean
  /** What relative imports end in: `.ts`, or `.js` for compilers that do not rewrite extensions. */
  readonly extension: '.ts' | '.js'
  /** Each published document also gets a module of path types; false by default. */
  readonly pathTypes?: boolean
}

/** The specifiers of a tree with this layout. */
export function specifiersOf({ inside, extension, pathTypes = false }: OutputLayout): Specifiers {
  const relative = (to: string, from: string): string => {
    const path = posix.relative(posix.dirname(from), to).replace(/\.ts$/, extension)
    return path.startsWith('.') ? path : `./${path}`
  }
  return {
    pathTypes,
    kernel: (file, from) =>
      inside ? relative(`../runtime/kernel/${file}.ts`, from) : `orch/kernel/${file}`,
    client: (from) => (inside ? relative('../runtime/client/client.ts', from) : 'orch'),
    local: relative,
  }
}
