/** Names of resources that limits and quotas can be about. */
import { qualifiedNameProblems } from '../kernel/names.ts'

const computed = ['cpu', 'memory', 'ephemeral-storage', 'storage']
const counted = [
  'pods',
  'services',
  'replicationcontrollers',
  'resourcequotas',
  'secrets',
  'configmaps',
  'persistentvolumeclaims',
  'services.nodeports',
  'services.loadbalancers',
]
const standard = new Set([...computed, ...counted, ...both('requests'), ...both('limits')])

function both(prefix: string): readonly string[] {
  return computed.map((name) => `${prefix}.${name}`)
}

/** What is wrong with the name of a resource in a limit: a short name is one of those that everybody knows. */
export function limitNameProblems(name: string): readonly string[] {
  const malformed = qualifiedNameProblems(name)
  if (malformed.length > 0 || name.includes('/') || isStandard(name)) return malformed
  return ['must be a standard resource type or fully qualified']
}

/** What is wrong with the name of a resource in a quota. */
export function quotaNameProblems(name: string): readonly string[] {
  const malformed = qualifiedNameProblems(name)
  if (malformed.length > 0 || name.includes('/') || isStandard(name)) return malformed
  return ['must be a standard resource for quota']
}

/** True for resources that are numbers of objects. */
export function isCounted(name: string): boolean {
  return counted.includes(name) || name.startsWith('count/')
}

function isStandard(name: string): boolean {
  return standard.has(name) || /^(requests\.)?hugepages-/.test(name)
}
