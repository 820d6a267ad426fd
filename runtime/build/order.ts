import type { JsonObject } from '../kernel/values/json.ts'
import { identityOf } from './identity.ts'

/** Kinds that others need, in the order in which they are needed. */
const first = [
  'Namespace',
  'CustomResourceDefinition',
  'ResourceQuota',
  'LimitRange',
  'StorageClass',
  'PriorityClass',
  'ServiceAccount',
  'Role',
  'ClusterRole',
  'RoleBinding',
  'ClusterRoleBinding',
  'ConfigMap',
  'Secret',
  'PersistentVolume',
  'PersistentVolumeClaim',
  'Service',
]

/** Kinds that decide about requests: they come when what they are about is there. */
const last = [
  'MutatingWebhookConfiguration',
  'ValidatingAdmissionPolicy',
  'ValidatingAdmissionPolicyBinding',
  'ValidatingWebhookConfiguration',
]

/** What an object needs comes before it; where nothing is needed the order is that of kind, namespace and name. */
export function compareObjects(a: JsonObject, b: JsonObject): number {
  const [one, other] = [identityOf(a), identityOf(b)]
  return (
    rank(one.kind) - rank(other.kind) ||
    compareText(one.group, other.group) ||
    compareText(one.kind, other.kind) ||
    compareText(one.namespace, other.namespace) ||
    compareText(one.name, other.name)
  )
}

function rank(kind: string): number {
  if (first.includes(kind)) return first.indexOf(kind) - first.length
  return last.includes(kind) ? last.indexOf(kind) + 1 : 0
}

function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}
