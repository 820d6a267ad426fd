import type { Awaitable } from '../kernel/async/awaitable.ts'

type Library = typeof import('@peculiar/x509')

let loaded: Library | undefined
let loading: Promise<Library> | undefined

/** The library for certificates: a promise of it until it is loaded for the first time. */
export function x509Library(): Awaitable<Library> {
  if (loaded !== undefined) return loaded
  loading ??= load().finally(() => {
    loading = undefined
  })
  return loading
}

/** The library keeps its algorithms by metadata of classes, which has to be there before it. */
async function load(): Promise<Library> {
  await import('reflect-metadata')
  loaded = await import('@peculiar/x509')
  return loaded
}
