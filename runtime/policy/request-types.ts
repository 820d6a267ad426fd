/** The CEL types of an admission request and of its namespace (supplement Y-09). */
import {
  boolType,
  type DeclaredType,
  dynType,
  intType,
  listType,
  mapType,
  objectType,
  stringType,
  timestampType,
} from './declared-types.ts'

/** The types of the variables `request` and `namespaceObject`. */
export interface RequestTypes {
  readonly request: DeclaredType
  readonly namespace: DeclaredType
}

/** The request types of a platform: their names begin with its brand. */
export function requestTypes(brand: string): RequestTypes {
  return { request: requestType(brand), namespace: namespaceType(brand) }
}

function requestType(brand: string): DeclaredType {
  const kind = objectType(`${brand}.GroupVersionKind`, {
    group: stringType,
    version: stringType,
    kind: stringType,
  })
  const resource = objectType(`${brand}.GroupVersionResource`, {
    group: stringType,
    version: stringType,
    resource: stringType,
  })
  return objectType(`${brand}.AdmissionRequest`, {
    kind,
    resource,
    subResource: stringType,
    requestKind: kind,
    requestResource: resource,
    requestSubResource: stringType,
    name: stringType,
    namespace: stringType,
    operation: stringType,
    userInfo: userInfoType(brand),
    dryRun: boolType,
    options: dynType,
  })
}

function namespaceType(brand: string): DeclaredType {
  const metadata = objectType(`${brand}.NamespaceMetadata`, {
    name: stringType,
    generateName: stringType,
    namespace: stringType,
    labels: mapType(stringType),
    annotations: mapType(stringType),
    uid: stringType,
    creationTimestamp: timestampType,
    deletionGracePeriodSeconds: intType,
    deletionTimestamp: timestampType,
    generation: intType,
    resourceVersion: stringType,
    finalizers: listType(stringType),
  })
  const condition = objectType(`${brand}.NamespaceCondition`, {
    status: stringType,
    type: stringType,
    lastTransitionTime: timestampType,
    message: stringType,
    reason: stringType,
  })
  const spec = objectType(`${brand}.NamespaceSpec`, { finalizers: listType(stringType) })
  const status = objectType(`${brand}.NamespaceStatus`, {
    conditions: listType(condition),
    phase: stringType,
  })
  return objectType(`${brand}.Namespace`, { metadata, spec, status })
}

function userInfoType(brand: string): DeclaredType {
  return objectType(`${brand}.UserInfo`, {
    username: stringType,
    uid: stringType,
    groups: listType(stringType),
    extra: mapType(listType(stringType)),
  })
}
