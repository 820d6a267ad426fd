import type { Definition } from '../../apiextensions/apiextensions.ts'
import type { Client } from '../../client/client.ts'
import { objectKey } from '../../informer/informer.ts'
import type { Clock } from '../../kernel/async/clock.ts'
import { yieldToEventLoop } from '../../kernel/async/slices.ts'
import type { AnyKind } from '../../kernel/descriptors/kind.ts'
import type { Stored } from '../../kernel/meta/object.ts'
import { deepEqual } from '../../kernel/values/deep-equal.ts'
import { done, type KeyController, watching } from '../../reconcile/reconcile.ts'
import { ignoreLostRace } from '../contract/lost-race.ts'
import type { DefinedKinds } from './defined-kinds.ts'

/** Whose kinds are served. */
export interface DefinitionControllerOptions {
  /** The kind of definitions. */
  readonly kind: AnyKind
  readonly kinds: DefinedKinds
}

/**
 * Serves the kinds that definitions make, then says so in their status. A definition that gives up names wakes those of
 * its group that wait for them.
 *
 *   reads    CustomResourceDefinition
 *   writes   CustomResourceDefinition: status
 *   wakes    when a definition changes, or another of its group while it waits
 *   settles  when the kinds are served and the status names them
 */
export function definitionController({ kind, kinds }: DefinitionControllerOptions): KeyController {
  return {
    name: 'custom-resource-definition',
    watches: [
      watching<Definition>(
        kind,
        (definition) => [
          objectKey(definition),
          ...kinds.waiting(definition.spec.group).map((name) => ({ name })),
        ],
        { transform: kinds.shared },
      ),
    ],
    concurrency: 1,
    async reconcile(key, { client, cached, clock }) {
      const definition = cached<Definition>(kind).get(key)
      if (definition === undefined) {
        if (await kinds.delete(key.name)) kinds.serve()
        return done
      }
      await yieldToEventLoop()
      if (await kinds.set(definition, clock.now())) kinds.serve()
      await writeStatus(client, { kind, kinds }, definition, clock.now())
      return done
    },
  }
}

/** Serves what the stored definitions make, and says so in their status. */
export async function syncDefinitions(
  { kind, kinds }: DefinitionControllerOptions,
  client: Client,
  clock: Clock,
): Promise<void> {
  const { items } = await client.resource<Definition>(kind).listAll()
  kinds.takeNames(items)
  for (const definition of items) await kinds.set(definition, clock.now())
  kinds.serve()
  for (const definition of items) {
    await writeStatus(client, { kind, kinds }, definition, clock.now())
  }
}

/** Writes the status that a definition should have, if it has another. Of two that want one name the first to write has it. */
async function writeStatus(
  client: Client,
  { kind, kinds }: DefinitionControllerOptions,
  stored: Stored<Definition>,
  now: number,
): Promise<void> {
  if (deepEqual(stored.status, (await kinds.settled(stored, now)).status)) return
  const resource = client.resource<Definition>(kind)
  const current = await resource.find(objectKey(stored))
  if (current === undefined) return
  const { status = {} } = await kinds.settled(current, now)
  if (deepEqual(current.status, status)) return
  await ignoreLostRace(resource.updateStatus({ ...current, status }))
}
