/** The objects that parameterise a policy. */
import type { ParamKind } from '../../../generated/apis/admissionregistration/v1beta1/policy.ts'
import type { ParamRef } from '../../../generated/apis/admissionregistration/v1beta1/policy-binding.ts'
import type { AnyKind } from '../../kernel/kind.ts'
import { type LabelRequirement, matchesLabels, requirementsOf } from '../../kernel/labels.ts'
import { apiVersionOf, type Metadata } from '../../kernel/object.ts'
import type { Tree } from '../../kernel/tree.ts'
import { inSlices, type Steps } from '../../kernel/turns.ts'
import type { Stored, World } from '../world.ts'

/** The policy or its binding is not as it has to be for this request; what follows is for its failure policy to say. */
export class ConfigurationError extends Error {
  override readonly name = 'ConfigurationError'
}

const kinds = new WeakMap<Tree['routes'], ReadonlyMap<string, AnyKind>>()

/** The kind of parameters, if it is served. */
export function paramKindOf(
  { routes }: Tree,
  { apiVersion = '', kind = '' }: ParamKind,
): AnyKind | undefined {
  const known =
    kinds.get(routes) ??
    new Map(Object.values(routes).map((one) => [`${apiVersionOf(one)} ${one.kind}`, one]))
  kinds.set(routes, known)
  return known.get(`${apiVersion} ${kind}`)
}

/** The parameters that a binding refers to, not yet read; the policy is asked once for each of them. */
export async function paramsOf(
  world: World,
  kind: AnyKind,
  ref: ParamRef,
  namespace: string | undefined,
): Promise<readonly Stored[]> {
  const found = await findParams(world, kind, ref, placeOf(kind, ref, namespace))
  if (found.length === 0 && ref.parameterNotFoundAction === 'Deny') {
    const why = 'no params found for policy binding with `Deny` parameterNotFoundAction'
    throw new ConfigurationError(why)
  }
  return found
}

function placeOf(kind: AnyKind, ref: ParamRef, namespace: string | undefined): string | undefined {
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
  { lister }: World,
  kind: AnyKind,
  { name, selector = {} }: ParamRef,
  namespace: string | undefined,
): Promise<readonly Stored[]> {
  if (name) {
    const found = await lister.find(kind, name, namespace)
    return found === undefined ? [] : [found]
  }
  const labels = requirementsOf(selector) ?? []
  const all = lister.list(kind, namespace)
  return labels.length === 0 ? all : inSlices(matching(all, labels))
}

type Labels = Metadata['labels']

const known = new WeakMap<Stored, { readonly labels: Labels }>()

/** Reading an object; looking at labels that are known. */
const [workOfReading, workOfLooking] = [100, 1]

/** Those whose labels match. Labels are read once for each version of an object. */
function* matching(
  all: readonly Stored[],
  requirements: readonly LabelRequirement[],
): Steps<readonly Stored[]> {
  const found: Stored[] = []
  for (const stored of all) {
    yield known.has(stored) ? workOfLooking : workOfReading
    const { labels } = known.get(stored) ?? { labels: stored.object().metadata.labels }
    known.set(stored, { labels })
    if (matchesLabels(requirements, labels)) found.push(stored)
  }
  return found
}
