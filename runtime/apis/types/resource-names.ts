/** Names of resources that limits and quotas can be about. */
import { qualifiedNameProblems } from '../../kernel/meta/names.ts'
import { Shown } from '../../kernel/validation/go-value.ts'

/**
 * Resources that are amounts. As quota they may also be told apart by `requests.` and `limits.`.
 */
const computed = ['cpu', 'memory', 'ephemeral-storage', 'storage']
/**
 * Resources that are numbers of objects, each under its own short name; `count/` says the same of
 * any kind.
 */
const counted = (
  'pods services replicationcontrollers resourcequotas secrets configmaps persistentvolumeclaims ' +
  'services.nodeports services.loadbalancers'
).split(' ')
const standard = new Set([...computed, ...counted, ...both('requests'), ...both('limits')])

function both(prefix: string): readonly string[] {
  return computed.map((name) => `${prefix}.${name}`)
}

/** The name of a resource as messages show it: without quotes. */
export function shownName(name: string): Shown {
  return new Shown(name)
}

/** What is wrong with the name of a resource in a limit: a short name is one of those that the platform knows. */
export function limitNameProblems(name: string): readonly string[] {
  const malformed = qualifiedNameProblems(name)
  const known = malformed.length > 0 || name.includes('/') || isStandard(name)
  return known ? malformed : [unqualified]
}

/** What is wrong with the name of a resource in a quota; one that is malformed or not known anywhere has two problems. */
export function quotaNameProblems(name: string): readonly string[] {
  const problems = limitNameProblems(name)
  if (name.includes('/') || isStandardQuota(name)) return problems
  return [...problems, 'must be a standard resource for quota']
}

/** True for a resource that a quota knows by its short name; amounts of `storage` are asked for by claims alone. */
export function isStandardQuota(name: string): boolean {
  return name !== 'storage' && isStandard(name)
}

const unqualified = 'must be a standard resource type or fully qualified'

/**
 * What is wrong with the name of a resource that a container asks for.
 * Unlike limits and quotas, a container cannot ask for objects or for `storage`: a short name is
 * cpu, memory, ephemeral-storage or hugepages of some size. A short name that is nowhere known has
 * two problems. A name with a domain is well formed and may not begin with `requests.`, which quotas put in front of
 * such names.
 */
export function containerNameProblems(name: string, domain: string): readonly string[] {
  if (containerResources.has(name) || isHugePage(name)) return qualifiedNameProblems(name)
  const problems = limitNameProblems(name)
  if (!name.includes('/')) return [...problems, 'must be a standard resource for containers']
  if (isNative(name, domain)) return problems
  const strange = problems.length > 0 || name.startsWith('requests.')
  return strange ? [...problems, "doesn't follow extended resource name standard"] : []
}

const containerResources = new Set(['cpu', 'memory', 'ephemeral-storage'])

/**
 * True for memory in pages of one size.
 * `hugepages-2Mi`; the size after the hyphen is not judged here.
 */
export function isHugePage(name: string): boolean {
  return name.startsWith('hugepages-')
}

/** True for resources of which containers may be promised more than there is. */
export function isOvercommitted(name: string, domain: string): boolean {
  return isNative(name, domain) && !isHugePage(name)
}

/** True for resources that come in whole numbers: devices and other things that drivers offer. A name that cannot be is none. */
export function isWhole(name: string, domain: string): boolean {
  if (isNative(name, domain) || name.startsWith('requests.')) return false
  return qualifiedNameProblems(`requests.${name}`).length === 0
}

/** True for the platform's own resources: they do without a domain, or name that of the platform. */
function isNative(name: string, domain: string): boolean {
  return !name.includes('/') || (domain !== '' && name.includes(`${domain}/`))
}

/** True for resources that are numbers of objects. */
export function isCounted(name: string): boolean {
  return counted.includes(name) || name.startsWith('count/')
}

/**
 * Pages of any size are standard, also as `requests.hugepages-`, but not as `limits.hugepages-`.
 */
function isStandard(name: string): boolean {
  return standard.has(name) || /^(requests\.)?hugepages-/.test(name)
}
