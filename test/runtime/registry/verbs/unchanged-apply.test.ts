/** Who applies what is there already writes nothing, however much the server filled in and whenever it is. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { scheme } from '../../../../generated/scheme.ts'
import type { AnyKind } from '../../../../runtime/kernel/descriptors/kind.ts'
import { isStatus } from '../../../../runtime/kernel/errors/status-error.ts'
import { apiVersionOf } from '../../../../runtime/kernel/meta/object.ts'
import type { Item, Target } from '../../../../runtime/registry/registry.ts'
import { samplesOf as samplesC } from '../../../../tools/compare/samples/basics.ts'
import { samplesOf as samplesB } from '../../../../tools/compare/samples/policies.ts'
import { samplesOf as samplesA } from '../../../../tools/compare/samples/workloads.ts'
import { fakeClock } from '../../../support/clock.ts'
import {
  body,
  namespaces,
  type OpenRegistry,
  openRegistry,
  quiet,
} from '../../../support/registry.ts'
import { type SparseObject, sparseObjects } from '../../../support/sparse-objects.ts'

interface Context extends OpenRegistry {
  now: number
}

const applying = suite<Context>('runtime/registry/verbs: unchanged applies')

applying.before(async (context) => {
  context.now = Date.parse('2024-01-01T00:00:00Z')
  const clock = { ...fakeClock(), now: () => context.now }
  Object.assign(context, await openRegistry({ clock }))
  await context.registry.create({ kind: namespaces }, body({ metadata: { name: 'shop' } }), quiet)
})
applying.after(({ close }) => close())

const kinds = Object.values(scheme.routes)
const api = scheme.platform.api
const samples: readonly SparseObject[] = [
  ...sparseObjects(api),
  ...[samplesA, samplesB, samplesC].flatMap((samplesOf) => samplesOf(api)),
]

function kindOf(sample: SparseObject): AnyKind | undefined {
  return kinds.find((kind) => kind.kind === sample.kind && apiVersionOf(kind) === sample.apiVersion)
}

samples.forEach((sample, index) => {
  const kind = kindOf(sample)
  if (kind === undefined || !kind.verbs.includes('patch')) return
  const given = (sample.metadata ?? {}) as { readonly name?: string }
  const name = given.name ?? `sparse-${index}`
  const target: Target = {
    kind,
    name,
    ...(kind.scope === 'Namespaced' && { namespace: 'shop' }),
  }
  const config = { ...sample, metadata: { labels: { app: 'web' }, ...given, name } }
  const title = `${sample.kind} of ${sample.apiVersion}, ${name}`

  applying(`${title}: an apply is repeated in a later second`, async (context) => {
    const first = await apply(context, target, config, 'one')
    assert.is(await apply(context, target, config, 'one'), first)
  })

  applying(
    `${title}: a manifest that is put again in a later second writes nothing`,
    async (context) => {
      const first = await put(context, target, config)
      if (first !== undefined) assert.is(await put(context, target, config), first)
    },
  )

  applying(`${title}: what was exported is applied, replaced and patched`, async (context) => {
    const exported = exportedFrom(await context.registry.get(target, {}))
    const first = await apply(context, target, exported, 'two')
    assert.is(await apply(context, target, exported, 'two'), first)
    const { resourceVersion } = JSON.parse(first).metadata
    const versioned = { ...exported, metadata: { ...exported.metadata, resourceVersion } }
    const put = await context.registry.update(target, body(versioned), quiet)
    assert.is(text(put.item), first)
    assert.is(await apply(context, target, versioned, 'two'), first)
    for (const type of ['merge', 'strategic'] as const) {
      if (type === 'strategic' && kind.customResource) continue
      const { item } = await context.registry.patch(target, type, body(exported), quiet)
      assert.is(text(item), first)
    }
    await refusesOldVersion(context, target, versioned)
  })
})

/** An export whose version is not the latest any more is a conflict, however it is sent, and changes nothing. */
async function refusesOldVersion({ registry }: Context, target: Target, old: object) {
  const label = body({ metadata: { labels: { changed: 'since' } } })
  const { item } = await registry.patch(target, 'merge', label, quiet)
  const forced = { ...quiet, manager: 'two', force: true }
  for (const refused of [
    () => registry.patch(target, 'apply', body(old), forced),
    () => registry.patch(target, 'merge', body(old), quiet),
    () => registry.update(target, body(old), quiet),
  ]) {
    const error = await refused().then(
      () => undefined,
      (reason: unknown) => reason,
    )
    assert.ok(isStatus(error, 'Conflict'), String(error))
    assert.is(text(await registry.get(target, {})), text(item))
  }
}

/** The text of what an apply leaves, in a second of its own. */
async function apply(context: Context, target: Target, config: object, manager: string) {
  context.now += 5000
  const options = { ...quiet, manager, force: true }
  return text((await context.registry.patch(target, 'apply', body(config), options)).item)
}

/** The text of what a PUT leaves, in a second of its own; undefined where it may not leave out what the manifest does. */
async function put(context: Context, target: Target, config: { readonly metadata: object }) {
  context.now += 5000
  const { resourceVersion } = JSON.parse(text(await context.registry.get(target, {}))).metadata
  const versioned = { ...config, metadata: { ...config.metadata, resourceVersion } }
  try {
    return text((await context.registry.update(target, body(versioned), quiet)).item)
  } catch (error) {
    if (isStatus(error, 'Invalid')) return undefined
    throw error
  }
}

/** A manifest as tools export it: with its status, and here with the time of another cluster. */
function exportedFrom(item: Item): { readonly metadata: object } {
  const { metadata, ...rest } = JSON.parse(text(item))
  const { resourceVersion, uid, managedFields, ...kept } = metadata
  return { ...rest, metadata: { ...kept, creationTimestamp: '2020-01-01T00:00:00Z' } }
}

function text({ bytes }: Item): string {
  return Buffer.from(bytes).toString()
}

applying.run()
