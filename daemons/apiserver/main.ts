#!/usr/bin/env node
import { configKinds } from '../../generated/config.ts'
import { features } from '../../generated/features.ts'
import { options } from '../../generated/options/orch-apiserver.ts'
import { scheme } from '../../generated/scheme.ts'
import { run } from '../run.ts'
import { runApiServer } from './apiserver.ts'

await run((terminal, signal) =>
  runApiServer({ options, features, configKinds, scheme, keepCompiled }, terminal, signal),
)

/** Keeps what V8 has compiled for the next start, where this program is packed: see `tools/pack.ts`. */
async function keepCompiled(ended?: boolean): Promise<void> {
  const scripts = new URL('./compiled-scripts.js', import.meta.url).href
  const packed = (await import(scripts).catch(() => undefined)) as
    | { readonly keepCompiled: (ended?: boolean) => Promise<void> }
    | undefined
  await packed?.keepCompiled(ended)
}
