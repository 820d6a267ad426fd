/** What expressions may read of a request and of the namespace that it is about (supplement Y-09). */
import { anything, flag, listOf, mapOf, objectOf, type Place, text, time, whole } from './fields.ts'

/** The types of the two, named after the platform. */
export interface RequestTypes {
  readonly request: Place
  readonly namespace: Place
}

/** The types for a platform of that brand. */
export function requestTypes(brand: string): RequestTypes {
  return { request: requestType(brand), namespace: namespaceType(brand) }
}

function requestType(brand: string): Place {
  const kind = objectOf(`${brand}.GroupVersionKind`, { group: text, version: text, kind: text })
  const resource = objectOf(`${brand}.GroupVersionResource`, {
    group: text,
    version: text,
    resource: text,
  })
  const userInfo = objectOf(`${brand}.UserInfo`, {
    username: text,
    uid: text,
    groups: listOf(text),
    extra: mapOf(listOf(text)),
  })
  return objectOf(`${brand}.AdmissionRequest`, {
    kind,
    resource,
    subResource: text,
    requestKind: kind,
    requestResource: resource,
    requestSubResource: text,
    name: text,
    namespace: text,
    operation: text,
    userInfo,
    dryRun: flag,
    options: anything,
  })
}

function namespaceType(brand: string): Place {
  const metadata = objectOf(`${brand}.NamespaceMetadata`, {
    name: text,
    generateName: text,
    namespace: text,
    labels: mapOf(text),
    annotations: mapOf(text),
    uid: text,
    creationTimestamp: time,
    deletionGracePeriodSeconds: whole,
    deletionTimestamp: time,
    generation: whole,
    resourceVersion: text,
    finalizers: listOf(text),
  })
  const condition = objectOf(`${brand}.NamespaceCondition`, {
    status: text,
    type: text,
    lastTransitionTime: time,
    message: text,
    reason: text,
  })
  const spec = objectOf(`${brand}.NamespaceSpec`, { finalizers: listOf(text) })
  const status = objectOf(`${brand}.NamespaceStatus`, {
    conditions: listOf(condition),
    phase: text,
  })
  return objectOf(`${brand}.Namespace`, { metadata, spec, status })
}
