import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { scheme } from '../../../../generated/scheme.ts'
import type { Random } from '../../../../runtime/kernel/async/clock.ts'
import type { AnyKind } from '../../../../runtime/kernel/descriptors/kind.ts'
import { isStatus } from '../../../../runtime/kernel/errors/status-error.ts'
import type { Item, Registry, Target } from '../../../../runtime/registry/registry.ts'
import { type OddObjects, oddObjects } from '../../../support/odd-objects.ts'
import { body, type OpenRegistry, openRegistry, quiet } from '../../../support/registry.ts'

const odd = suite<OpenRegistry & { make: OddObjects }>('runtime/registry/verbs/odd-objects')

odd.before(async (context) => {
  Object.assign(context, await openRegistry(), { make: await oddObjects(scheme) })
})
odd.after(({ close }) => close())

/** A generator of numbers that gives the same ones for the same seed. */
function seeded(seed: number): Random {
  let state = seed
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return state / 2 ** 32
  }
}

const rounds = 30

/** A stored object, written once more as it is, stays the version that it was (W-05). */
async function rewrite(registry: Registry, target: Target): Promise<void> {
  const item = await registry.get(target, {}).catch(() => undefined)
  if (item === undefined) return
  const again = await registry.update(target, body(JSON.parse(textOf(item))), quiet)
  assert.is(textOf(again.item), textOf(item))
}

const textOf = ({ bytes }: Item) => Buffer.from(bytes).toString()

/** What was thrown that is no answer to a client, or nothing. */
async function bugOf(work: Promise<unknown>): Promise<string | undefined> {
  try {
    await work
    return undefined
  } catch (error) {
    if (isStatus(error) && error.reason !== 'InternalError') return undefined
    return error instanceof Error ? error.stack : String(error)
  }
}

for (const kind of Object.values<AnyKind>(scheme.routes)) {
  if (!kind.verbs.includes('create')) continue
  const called = `${kind.group || 'core'}/${kind.version} ${kind.kind}`
  odd(
    `whatever is written as ${called} is taken or refused, and then stays (W-05)`,
    async (context) => {
      const { registry, make } = context
      const random = seeded(7)
      const place = { kind, ...(kind.scope === 'Namespaced' && { namespace: 'default' }) }
      const target = { ...place, name: 'odd' }
      for (let round = 0; round < rounds; round++) {
        const value = {
          ...(make(kind.kind, random) as object),
          kind: kind.kind,
          apiVersion: undefined,
        }
        const named = { ...value, metadata: { name: 'odd' } }
        assert.is(await bugOf(registry.create(place, body(value), quiet)), undefined)
        assert.is(await bugOf(registry.create(place, body(named), quiet)), undefined)
        assert.is(await bugOf(registry.update(target, body(named), quiet)), undefined)
        assert.is(await bugOf(registry.patch(target, 'merge', body(value), quiet)), undefined)
        const status = { ...target, subresource: 'status' }
        assert.is(await bugOf(registry.patch(status, 'merge', body(value), quiet)), undefined)
        await rewrite(registry, target)
        if (round % 10 === 9)
          assert.is(await bugOf(registry.delete(target, { dryRun: false })), undefined)
      }
    },
  )
}

odd.run()
