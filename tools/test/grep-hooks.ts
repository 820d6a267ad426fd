/** Module hooks: an import of uvu gets the suite that leaves tests out. */
import type { ResolveHook } from 'node:module'

const filtering = new URL('./grep-suite.js', import.meta.url).href
const uvu = /\/node_modules\/uvu\/dist\/index\.mjs$/

/** Gives the filtering module in place of uvu, to every importer but that module itself. */
export const resolve: ResolveHook = async (specifier, context, next) => {
  const resolved = await next(specifier, context)
  const hooked = uvu.test(resolved.url) && context.parentURL !== filtering
  return hooked ? { ...resolved, url: filtering, shortCircuit: true } : resolved
}
