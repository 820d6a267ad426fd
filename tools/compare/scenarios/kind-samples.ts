import type { Api, KindFacts } from '../../../codegen/schema/ir.ts'
import type { JsonObject } from '../../../runtime/kernel/values/json.ts'
import { samplesOf as basics } from '../samples/basics.ts'
import { samplesOf as policies } from '../samples/policies.ts'
import { samplesOf as workloads } from '../samples/workloads.ts'

/** A kind that is served unasked, with objects of it that are valid. */
export interface KindSample {
  readonly kind: KindFacts
  readonly samples: readonly JsonObject[]
}

/** Made once for each scheme: every scenario picks from them. */
const known = new WeakMap<Api, readonly KindSample[]>()

/** Every kind that can be created and that a server serves by default, with its samples. */
export function kindSamples(api: Api): readonly KindSample[] {
  const made = known.get(api) ?? samplesByKind(api)
  known.set(api, made)
  return made
}

/** The kinds of a scheme that there are samples of. */
function samplesByKind(api: Api): readonly KindSample[] {
  const suffix = api.platform.api
  const all = [
    ...workloads(suffix),
    ...policies(suffix),
    ...basics(suffix),
  ] as readonly JsonObject[]
  return servedKinds(api).flatMap((kind) => {
    const apiVersion = apiVersionOf(kind)
    const samples = all.filter(
      (sample) => sample.apiVersion === apiVersion && sample.kind === kind.kind,
    )
    return kind.verbs.includes('create') && samples.length > 0 ? [{ kind, samples }] : []
  })
}

/** Every kind that a server serves by default. */
export function servedKinds(api: Api): readonly KindFacts[] {
  const off = new Set(
    api.groups.flatMap(({ group, off }) => off.map((version) => `${group}/${version}`)),
  )
  return api.kinds.filter((kind) => !off.has(apiVersionOf(kind)))
}

/** `v1` or `apps/v1`. */
export function apiVersionOf({ group, version }: KindFacts): string {
  return group === '' ? version : `${group}/${version}`
}

/** The path of a kind's objects in a namespace, or of all if the kind knows none. */
export function collectionPath(kind: KindFacts, namespace: string): string {
  const root = kind.group === '' ? `/api/${kind.version}` : `/apis/${kind.group}/${kind.version}`
  return kind.scope === 'Namespaced'
    ? `${root}/namespaces/${namespace}/${kind.plural}`
    : `${root}/${kind.plural}`
}
