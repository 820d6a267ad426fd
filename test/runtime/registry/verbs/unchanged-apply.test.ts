/** Who applies what is there already writes nothing, however much the server filled in and whenever it is. */
import { suite, type uvu } from 'uvu'
import * as assert from 'uvu/assert'
import { scheme as ownScheme } from '../../../../generated/scheme.ts'
import type { AnyKind } from '../../../../runtime/kernel/descriptors/kind.ts'
import type { ProtobufTables } from '../../../../runtime/kernel/descriptors/protobuf-tables.ts'
import { isStatus } from '../../../../runtime/kernel/errors/status-error.ts'
import { apiVersionOf } from '../../../../runtime/kernel/meta/object.ts'
import type { JsonObject } from '../../../../runtime/kernel/values/json.ts'
import type { Item, Target } from '../../../../runtime/registry/registry.ts'
import { samplesOf as samplesC } from '../../../../tools/compare/samples/basics.ts'
import { samplesOf as samplesB } from '../../../../tools/compare/samples/policies.ts'
import { samplesOf as samplesA } from '../../../../tools/compare/samples/workloads.ts'
import { fakeClock } from '../../../support/clock.ts'
import { everything, objectOf } from '../../../support/full-object.ts'
import { platformScheme } from '../../../support/platform-scheme.ts'
import { body, type OpenRegistry, openRegistry, quiet } from '../../../support/registry.ts'
import { type SparseObject, sparseObjects } from '../../../support/sparse-objects.ts'
import { threeWayPatch, withOwnText } from '../../../support/three-way-patch.ts'

interface Context extends OpenRegistry {
  now: number
}

interface Metadata {
  readonly name: string
  readonly [field: string]: unknown
}

interface Manifest {
  readonly metadata: Metadata
  readonly [field: string]: unknown
}

const apiService = (api: string): SparseObject => ({
  apiVersion: `apiregistration.${api}/v1`,
  kind: 'APIService',
  metadata: { name: 'v1.example.com' },
  spec: {
    group: 'example.com',
    version: 'v1',
    groupPriorityMinimum: 100,
    versionPriority: 10,
    service: { namespace: 'shop', name: 'web' },
  },
})

for (const platform of ['orch', 'kubernetes']) await describe(platform)

async function describe(platform: string): Promise<void> {
  const scheme = (await platformScheme(platform)) ?? ownScheme
  const applying = suite<Context>(`runtime/registry/verbs: unchanged applies, names of ${platform}`)

  applying.before(async (context) => {
    context.now = Date.parse('2024-01-01T00:00:00Z')
    const clock = { ...fakeClock(), now: () => context.now }
    Object.assign(context, await openRegistry({ clock, scheme }))
    const kind = scheme.routes['api/v1/namespaces'] as AnyKind
    await context.registry.create({ kind }, body({ metadata: { name: 'shop' } }), quiet)
  })
  applying.after(({ close }) => close())

  const api = scheme.platform.api
  const samples: readonly SparseObject[] = [
    apiService(api),
    ...sparseObjects(api),
    ...[samplesA, samplesB, samplesC].flatMap((samplesOf) => samplesOf(api)),
  ]
  const kinds = Object.values(scheme.routes).filter(
    ({ verbs }) => verbs.includes('create') && verbs.includes('patch'),
  )
  const tables = await scheme.protobuf?.()

  for (const kind of kinds) {
    const isOfKind = (sample: SparseObject) =>
      kind.kind === sample.kind && apiVersionOf(kind) === sample.apiVersion
    const all = samples.filter(isOfKind)
    const ofKind = platform === 'orch' ? all : all.filter((sample) => !isSmall(sample))
    applying(`${kind.kind} of ${apiVersionOf(kind)} has samples`, () => {
      assert.ok(ofKind.length > 0)
    })
    const status = tables && !hasStatusInAnnotations(kind) ? statusOf(kind, tables) : undefined
    ofKind.forEach((sample, index) => {
      const given = (sample.metadata ?? {}) as { readonly name?: string }
      const name = given.name ?? `sparse-${index}`
      const manifest = { ...sample, metadata: { labels: { app: 'web' }, ...given, name } }
      applyTwice(applying, kind, manifest, status)
    })
  }
  applying.run()
}

/** What another sample of the kind has as well. */
function isSmall({ metadata }: SparseObject): boolean {
  return (metadata as { readonly name?: string } | undefined)?.name === 'small'
}

/** A status that is sent then makes its writer the manager of annotations: the first time, and not again. */
function hasStatusInAnnotations({ kind, version }: AnyKind): boolean {
  return kind === 'HorizontalPodAutoscaler' && version === 'v1'
}

/** A status with a value in every field, as a cluster that works has; undefined for kinds whose status is no resource of its own. */
function statusOf(kind: AnyKind, tables: ProtobufTables): unknown {
  if (kind.proto === undefined || !kind.subresources.some(({ name }) => name === 'status')) return
  return objectOf(tables, kind.proto, everything).status
}

function applyTwice(
  applying: uvu.Test<Context>,
  kind: AnyKind,
  manifest: Manifest,
  status: unknown,
): void {
  const { name } = manifest.metadata
  const target: Target = {
    kind,
    name,
    ...(kind.scope === 'Namespaced' && { namespace: 'shop' }),
  }
  const title = `${kind.kind} of ${apiVersionOf(kind)}, ${name}`

  applying(`${title}: an apply is repeated in a later second`, async (context) => {
    const first = await apply(context, target, manifest, 'one')
    assert.is(await apply(context, target, manifest, 'one'), first)
  })

  applying(
    `${title}: a manifest that is put again in a later second writes nothing`,
    async (context) => {
      const first = await put(context, target, manifest)
      if (first !== undefined) assert.is(await put(context, target, manifest), first)
    },
  )

  applying(`${title}: what was exported is applied, replaced and patched`, async (context) => {
    const exported = withStatus(exportedFrom(await context.registry.get(target, {})), status)
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

  applying(`${title}: a client that patches by itself applies it again and again`, (context) =>
    unchangedFromClient(context, target, manifest),
  )

  applying(
    `${title}: a client that patches by itself applies what was exported`,
    async (context) => {
      const whole = JSON.parse(text(await context.registry.get(target, {}))) as Manifest
      const { resourceVersion, managedFields, ...kept } = whole.metadata
      const own = withStatus({ ...whole, metadata: kept as Metadata }, status)
      await unchangedFromClient(context, target, own)
      const foreign = withStatus(exportedFrom(await context.registry.get(target, {})), status)
      await unchangedFromClient(context, target, foreign)
    },
  )

  applying(`${title}: what was exported with its managed fields`, async (context) => {
    const item = await context.registry.get(target, {})
    const { managedFields } = JSON.parse(text(item)).metadata
    const exported = exportedFrom(item)
    const whole = { ...exported, metadata: { ...exported.metadata, managedFields } }
    await unchangedFromClient(context, target, whole)
    const forced = { ...quiet, manager: 'two', force: true }
    const error = await context.registry.patch(target, 'apply', body(whole), forced).then(
      () => undefined,
      (reason: unknown) => reason,
    )
    assert.ok(isStatus(error, 'BadRequest'), String(error))
    assert.match(String(error), 'metadata.managedFields must be nil')
  })
}

function withStatus(manifest: Manifest, status: unknown): Manifest {
  return status === undefined ? manifest : { ...manifest, status }
}

/** The second and the third time nothing is written, though there may be something to send. */
async function unchangedFromClient(context: Context, target: Target, manifest: Manifest) {
  const first = await applyFromClient(context, target, manifest)
  assert.is(await applyFromClient(context, target, manifest), first)
  assert.is(await applyFromClient(context, target, manifest), first)
}

/** The text of what an apply leaves that a client makes by itself, in a second of its own. */
async function applyFromClient(context: Context, target: Target, manifest: Manifest) {
  context.now += 5000
  const before = await context.registry.get(target, {})
  const given = withOwnText(manifest as unknown as JsonObject)
  const strategic = !target.kind.customResource
  const merge = strategic ? target.kind.merge : undefined
  const patch = threeWayPatch(JSON.parse(text(before)), given, merge)
  if (Object.keys(patch).length === 0) return text(before)
  const options = { ...quiet, manager: 'kubectl-client-side-apply' }
  const type = strategic ? 'strategic' : 'merge'
  return text((await context.registry.patch(target, type, body(patch), options)).item)
}

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

/** A manifest as tools export it, here with the time of another cluster. */
function exportedFrom(item: Item): Manifest {
  const { metadata, ...rest } = JSON.parse(text(item))
  const { resourceVersion, uid, managedFields, ...kept } = metadata
  return { ...rest, metadata: { ...kept, creationTimestamp: '2020-01-01T00:00:00Z' } }
}

function text({ bytes }: Item): string {
  return Buffer.from(bytes).toString()
}
