/** Whether a webhook is to be asked about a request, and in which version (supplement Q-07). */
import type { RuleWithOperations } from '../../../generated/apis/admissionregistration/v1/webhook.ts'
import { type AnyKind, storedKind } from '../../kernel/kind.ts'
import { matchesLabels } from '../../kernel/labels.ts'
import type { Metadata } from '../../kernel/object.ts'
import type { Tree } from '../../kernel/tree.ts'
import type { Place, Subject } from '../attempt.ts'
import { notFound } from '../refusal.ts'
import { resourceAt, type World } from '../world.ts'
import type { Hook } from './hook.ts'

/** What is never sent to webhooks: they could not be repaired through a webhook that refuses everything. */
const exempt = [
  'mutatingwebhookconfigurations',
  'validatingwebhookconfigurations',
  'validatingadmissionpolicies',
  'validatingadmissionpolicybindings',
]

/** True for the objects that no webhook is asked about. */
export function isExempt({ resource }: Place, { platform }: Tree): boolean {
  return (
    resource.group === `admissionregistration.${platform.api}` && exempt.includes(resource.plural)
  )
}

/** The version in which a webhook is asked about a request; undefined if it is not asked. */
export async function versionFor(
  world: World,
  hook: Hook,
  subject: Subject,
): Promise<AnyKind | undefined> {
  const version = versionByRules(world.tree, hook, subject)
  if (version === undefined || !matchesObject(hook, subject)) return undefined
  return (await matchesNamespace(world, hook, subject)) ? version : undefined
}

function versionByRules(tree: Tree, hook: Hook, subject: Subject): AnyKind | undefined {
  const { resource } = subject
  if (hook.rules.some((rule) => matchesRule(rule, subject, resource))) return resource
  if (!hook.equivalent) return undefined
  const others = versionsOf(tree, resource).filter((one) => one !== resource)
  for (const rule of hook.rules) {
    const found = others.find((other) => matchesRule(rule, subject, other))
    if (found !== undefined) return found
  }
  return undefined
}

const versions = new WeakMap<Tree, ReadonlyMap<AnyKind, readonly AnyKind[]>>()

/** All served versions of a resource, those of other groups that show the same objects included. */
export function versionsOf(tree: Tree, kind: AnyKind): readonly AnyKind[] {
  let known = versions.get(tree)
  if (known === undefined) {
    const found = new Map<AnyKind, AnyKind[]>()
    for (const one of Object.values(tree.routes)) {
      const key = storedKind(one)
      found.set(key, [...(found.get(key) ?? []), one])
    }
    known = found
    versions.set(tree, known)
  }
  return known.get(storedKind(kind)) ?? []
}

/** True if a rule names the operation and the resource, taken as one of its versions. */
export function matchesRule(rule: RuleWithOperations, subject: Subject, kind: AnyKind): boolean {
  return (
    isListed(rule.operations, subject.operation) &&
    isListed(rule.apiGroups, kind.group) &&
    isListed(rule.apiVersions, kind.version) &&
    (rule.resources ?? []).some((one) => matchesResource(one, kind.plural, subject.subresource)) &&
    matchesScope(rule, kind)
  )
}

function isListed(list: readonly string[] | undefined, value: string): boolean {
  return (list ?? []).some((one) => one === '*' || one === value)
}

function matchesResource(pattern: string, plural: string, subresource = ''): boolean {
  const [resource = '', sub = ''] = pattern.split('/', 2)
  return (resource === '*' || resource === plural) && (sub === '*' || sub === subresource)
}

/** A namespace is no object in a namespace. */
function matchesScope({ scope = '*' }: RuleWithOperations, kind: AnyKind): boolean {
  return scope === '*' || scope === kind.scope
}

/** True if the labels of the object match, before or after the change. */
export function matchesObject(
  { objects }: Pick<Hook, 'objects'>,
  { object, old }: Subject,
): boolean {
  if (objects.length === 0) return true
  return [object, old].some(
    (one) => one !== undefined && matchesLabels(objects, one.metadata.labels),
  )
}

/** True if the labels of the namespace match; what is in no namespace always does. */
export async function matchesNamespace(
  world: World,
  { namespaces }: Pick<Hook, 'namespaces'>,
  subject: Subject,
): Promise<boolean> {
  if (namespaces.length === 0) return true
  const { resource, namespace = '', object, operation } = subject
  const own = resource.group === '' && resource.plural === 'namespaces'
  if (!own && resource.scope === 'Cluster') return true
  if (own && object !== undefined && (operation === 'CREATE' || operation === 'UPDATE')) {
    return matchesLabels(namespaces, object.metadata.labels)
  }
  return matchesLabels(namespaces, await labelsOfNamespace(world, namespace))
}

/** Fails if the namespace is not there; none where namespaces are not served. */
async function labelsOfNamespace(world: World, name: string): Promise<Metadata['labels']> {
  const kind = resourceAt(world, 'api/v1/namespaces')
  if (kind === undefined) return undefined
  const found = await world.lister.find(kind, name)
  if (found === undefined) throw notFound(kind, name)
  return found.object().metadata.labels
}
