/** Names of resources that limits and quotas can be about. */
import { qualifiedNameProblems } from '../../kernel/meta/names.ts'

const computed = ['cpu', 'memory', 'ephemeral-storage', 'storage']
const counted = (
  'pods services replicationcontrollers resourcequotas secrets configmaps persistentvolumeclaims ' +
  'services.nodeports services.loadbalancers'
).split(' ')
const standard = new Set([...computed, ...counted, ...both('requests'), ...both('limits')])

function both(prefix: string): readonly string[] {
  return computed.map((name) => `${prefix}.${name}`)
}

/** What is wrong with the name of a resource in a limit: a short name is one of those that the platform knows. */
export function limitNameProblems(name: string): readonly string[] {
  return nameProblems(name, unqualified)
}

/** What is wrong with the name of a resource in a quota. */
export function quotaNameProblems(name: string): readonly string[] {
  return nameProblems(name, 'must be a standard resource for quota')
}

function nameProblems(name: string, unknown: string): readonly string[] {
  const malformed = qualifiedNameProblems(name)
  return malformed.length > 0 || name.includes('/') || isStandard(name) ? malformed : [unknown]
}

const unqualified = 'must be a standard resource type or fully qualified'

/** What is wrong with the name of a resource that a container asks for. */
export function containerNameProblems(name: string): readonly string[] {
  const malformed = qualifiedNameProblems(name)
  if (malformed.length > 0) return malformed
  if (!name.includes('/')) {
    if (containerResources.has(name) || isHugePage(name)) return []
    const strange = isStandard(name) ? [] : [unqualified]
    return [...strange, 'must be a standard resource for containers']
  }
  const taken = name.startsWith('requests.')
  return taken ? ["doesn't follow extended resource name standard"] : []
}

const containerResources = new Set(['cpu', 'memory', 'ephemeral-storage'])

/** True for memory in pages of one size. */
export function isHugePage(name: string): boolean {
  return name.startsWith('hugepages-')
}

/** True for resources of which containers may be promised more than there is. */
export function isOvercommitted(name: string): boolean {
  return isNative(name) && !isHugePage(name)
}

/** True for resources that come in whole numbers: devices and other things that drivers offer. */
export function isWhole(name: string): boolean {
  return !isNative(name)
}

/** True for the platform's own resources, which alone do without a domain. */
function isNative(name: string): boolean {
  return !name.includes('/')
}

/** True for resources that are numbers of objects. */
export function isCounted(name: string): boolean {
  return counted.includes(name) || name.startsWith('count/')
}

function isStandard(name: string): boolean {
  return standard.has(name) || /^(requests\.)?hugepages-/.test(name)
}
