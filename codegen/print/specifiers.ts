import { posix } from 'node:path'
import type { Specifiers } from '../emit/artefact.ts'

/** How the modules of a tree name what they import. */
export interface OutputLayout {
  /** The tree is orch's own, beside `runtime`: everything is a relative path. */
  readonly inside: boolean
  /** What relative imports end in: `.ts`, or `.js` for compilers that do not rewrite extensions. */
  readonly extension: '.ts' | '.js'
  /** Each published document gets a module of path types. */
  readonly pathTypes?: boolean
}

/** The specifiers of a tree that is laid out so. */
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
