/** Whether a webhook is to be asked about a request, and in which version (supplement Q-07). */
import type { RuleWithOperations } from '../../../generated/apis/admissionregistration/v1/webhook.ts'
import { type AnyKind, storedKind } from '../../kernel/descriptors/kind.ts'
import type { Scheme } from '../../kernel/descriptors/scheme.ts'
import { matchesLabels } from '../../kernel/meta/label-selector.ts'
import type { Metadata } from '../../kernel/meta/object.ts'
import type { Attributes, ResourceOperation } from '../chain/attributes.ts'
import { notFound } from '../chain/errors.ts'
import { type PluginContext, servedKind } from '../chain/plugin-context.ts'
import type { Webhook } from './configurations.ts'

/** What is never sent to webhooks: they could not be repaired through a webhook that refuses everything. */
const exemptResources = [
  'mutatingwebhookconfigurations',
  'validatingwebhookconfigurations',
  'validatingadmissionpolicies',
  'validatingadmissionpolicybindings',
]

/** True for the objects that no webhook is asked about. */
export function isExemptFromWebhooks(
  { resource }: ResourceOperation,
  { platform }: Scheme,
): boolean {
  return (
    resource.group === `admissionregistration.${platform.api}` &&
    exemptResources.includes(resource.plural)
  )
}

/** The version in which a webhook is asked about a request; undefined if it is not asked. */
export async function matchingVersion(
  world: PluginContext,
  hook: Webhook,
  subject: Attributes,
): Promise<AnyKind | undefined> {
  const version = versionByRules(world.scheme, hook, subject)
  if (version === undefined || !matchesObject(hook, subject)) return undefined
  return (await matchesNamespace(world, hook, subject)) ? version : undefined
}

function versionByRules(scheme: Scheme, hook: Webhook, subject: Attributes): AnyKind | undefined {
  const { resource } = subject
  if (hook.rules.some((rule) => matchesRule(rule, subject, resource))) return resource
  if (!hook.equivalent) return undefined
  const others = equivalentVersions(scheme, resource).filter((one) => one !== resource)
  for (const rule of hook.rules) {
    const found = others.find((other) => matchesRule(rule, subject, other))
    if (found !== undefined) return found
  }
  return undefined
}

const versions = new WeakMap<Scheme, ReadonlyMap<AnyKind, readonly AnyKind[]>>()

/** All served versions of a resource, those of other groups that show the same objects included. */
export function equivalentVersions(scheme: Scheme, kind: AnyKind): readonly AnyKind[] {
  let known = versions.get(scheme)
  if (known === undefined) {
    const found = new Map<AnyKind, AnyKind[]>()
    for (const one of Object.values(scheme.routes)) {
      const key = storedKind(one)
      found.set(key, [...(found.get(key) ?? []), one])
    }
    known = found
    versions.set(scheme, known)
  }
  return known.get(storedKind(kind)) ?? []
}

/** True if a rule names the operation and the resource, taken as one of its versions. */
export function matchesRule(rule: RuleWithOperations, subject: Attributes, kind: AnyKind): boolean {
  return (
    listMatches(rule.operations, subject.operation) &&
    listMatches(rule.apiGroups, kind.group) &&
    listMatches(rule.apiVersions, kind.version) &&
    (rule.resources ?? []).some((one) => matchesResource(one, kind.plural, subject.subresource)) &&
    matchesScope(rule, kind)
  )
}

function listMatches(list: readonly string[] | undefined, value: string): boolean {
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
  { objects }: Pick<Webhook, 'objects'>,
  { object, old }: Attributes,
): boolean {
  if (objects.length === 0) return true
  return [object, old].some(
    (one) => one !== undefined && matchesLabels(objects, one.metadata.labels),
  )
}

/** True if the labels of the namespace match; what is in no namespace always does. */
export async function matchesNamespace(
  world: PluginContext,
  { namespaces }: Pick<Webhook, 'namespaces'>,
  subject: Attributes,
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
async function labelsOfNamespace(world: PluginContext, name: string): Promise<Metadata['labels']> {
  const kind = servedKind(world, 'api/v1/namespaces')
  if (kind === undefined) return undefined
  const found = await world.lister.find(kind, name)
  if (found === undefined) throw notFound(kind, name)
  return found.object().metadata.labels
}
