/** The objects that parameterise a policy. */
import type { ParamKind } from '../../../generated/apis/admissionregistration/v1beta1/policy.ts'
import type { ParamRef } from '../../../generated/apis/admissionregistration/v1beta1/policy-binding.ts'
import { runInSlices, type Steps } from '../../kernel/async/slices.ts'
import type { AnyKind } from '../../kernel/descriptors/kind.ts'
import type { Scheme } from '../../kernel/descriptors/scheme.ts'
import {
  type LabelRequirement,
  labelRequirementsOf,
  matchesLabels,
} from '../../kernel/meta/label-selector.ts'
import { apiVersionOf, type Metadata } from '../../kernel/meta/object.ts'
import type { PluginContext, StoredObject } from '../chain/plugin-context.ts'

/** The policy or its binding is not as it has to be for this request; what follows is for its failure policy to say. */
export class ConfigurationError extends Error {
  override readonly name = 'ConfigurationError'
}

const kinds = new WeakMap<Scheme['routes'], ReadonlyMap<string, AnyKind>>()

/** The kind of parameters, if it is served. */
export function findParamKind(
  { routes }: Scheme,
  { apiVersion = '', kind = '' }: ParamKind,
): AnyKind | undefined {
  const known =
    kinds.get(routes) ??
    new Map(Object.values(routes).map((one) => [`${apiVersionOf(one)} ${one.kind}`, one]))
  kinds.set(routes, known)
  return known.get(`${apiVersion} ${kind}`)
}

/** The parameters that a binding refers to, not yet read; the policy is asked once for each of them. */
export async function resolveParams(
  world: PluginContext,
  kind: AnyKind,
  ref: ParamRef,
  namespace: string | undefined,
): Promise<readonly StoredObject[]> {
  const found = await findParams(world, kind, ref, paramNamespace(kind, ref, namespace))
  if (found.length === 0 && ref.parameterNotFoundAction === 'Deny') {
    const why = 'no params found for policy binding with `Deny` parameterNotFoundAction'
    throw new ConfigurationError(why)
  }
  return found
}

function paramNamespace(
  kind: AnyKind,
  ref: ParamRef,
  namespace: string | undefined,
): string | undefined {
  if (kind.scope === 'Cluster') {
    if (!ref.namespace) return undefined
    const why = 'paramRef.namespace must not be provided for a cluster-scoped `paramKind`'
    throw new ConfigurationError(why)
  }
  const place = ref.namespace || namespace
  if (place) return place
  const why =
    'cannot use namespaced paramRef in policy binding that matches cluster-scoped resources'
  throw new ConfigurationError(why)
}

async function findParams(
  { lister }: PluginContext,
  kind: AnyKind,
  { name, selector = {} }: ParamRef,
  namespace: string | undefined,
): Promise<readonly StoredObject[]> {
  if (name) {
    const found = await lister.find(kind, name, namespace)
    return found === undefined ? [] : [found]
  }
  const labels = labelRequirementsOf(selector) ?? []
  const all = lister.list(kind, namespace)
  return labels.length === 0 ? all : runInSlices(matching(all, labels))
}

type Labels = Metadata['labels']

const known = new WeakMap<StoredObject, { readonly labels: Labels }>()

/** Reading an object; looking at labels that are known. */
const [workOfReading, workOfLooking] = [100, 1]

/** Those whose labels match. Labels are read once for each version of an object. */
function* matching(
  all: readonly StoredObject[],
  requirements: readonly LabelRequirement[],
): Steps<readonly StoredObject[]> {
  const found: StoredObject[] = []
  for (const stored of all) {
    yield known.has(stored) ? workOfLooking : workOfReading
    const { labels } = known.get(stored) ?? { labels: stored.object().metadata.labels }
    known.set(stored, { labels })
    if (matchesLabels(requirements, labels)) found.push(stored)
  }
  return found
}
