/** Whether there are definitions at all: a server without them does not load what makes kinds of them. */

import { type Clock, pause } from '../kernel/async/clock.ts'
import type { AnyKind } from '../kernel/descriptors/kind.ts'
import type { Scheme } from '../kernel/descriptors/scheme.ts'
import type { Log } from '../observe/observe.ts'
import type { Registry } from '../registry/registry.ts'

/** The kind of definitions, if a tree shows it. */
export function definitionKind({ routes, platform }: Scheme): AnyKind | undefined {
  const path = `apis/apiextensions.${platform.api}/v1/customresourcedefinitions`
  return Object.hasOwn(routes, path) ? routes[path] : undefined
}

interface DefinitionSource {
  readonly registry: Registry
  readonly kind: AnyKind
  readonly clock: Clock
  readonly log: Log
}

/** Settles with true when there is an object of the kind, with false when `signal` aborts before. */
export async function waitForDefinition(
  { registry, kind, clock, log }: DefinitionSource,
  signal: AbortSignal,
): Promise<boolean> {
  while (!signal.aborted) {
    try {
      for await (const batch of registry.watch({ kind }, { bookmarks: false }, signal)) {
        if (batch.length > 0) return true
      }
    } catch (error) {
      if (signal.aborted) return false
      log.warn('definitions not followed', { reason: String(error) })
    }
    await pause(clock, 200, signal)
  }
  return false
}
