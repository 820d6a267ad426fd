import type { Compiled } from './compile.ts'

/** True if one of the expressions checks rights, so that its evaluation may have to wait for answers. */
export function checksRights(expressions: readonly (Compiled | undefined)[]): boolean {
  return expressions.some((one) => {
    const read = one?.program?.variables
    return read !== undefined && names.some((name) => read.has(name))
  })
}

const names = ['authorizer', 'authorizer.requestResource']
