/** The registry: what each verb does with objects, apart from HTTP. */

export type { UserInfo } from '../auth/auth.ts'
export { bootstrap } from './bootstrap.ts'
export { namespaceKind } from './contract/context.ts'
export type {
  ActionResult,
  Body,
  DeleteCollectionResult,
  DeleteOptions,
  DeleteResult,
  FieldValidation,
  Item,
  ListOptions,
  ListResult,
  ObjectTarget,
  PatchType,
  ReadOptions,
  Registry,
  Target,
  WatchEvent,
  WatchOptions,
  WithAuditAnnotations,
  WriteOptions,
  WriteResult,
} from './contract/contract.ts'
export { fromStoreError } from './contract/errors.ts'
export { dryRunErrors, unsupportedValue } from './contract/option-errors.ts'
export { createRegistry } from './create-registry.ts'
export type { RegistryOptions } from './registry-options.ts'
export {
  type AllocationTable,
  createAllocationTable,
  type StoredAllocation,
} from './storage/allocation-table.ts'
export { followObjects, type ObjectFollower } from './storage/follow-objects.ts'
export { collectionPrefix, requestNamespace } from './storage/keys.ts'
export {
  createNameTable,
  type GroupNames,
  type HeldNames,
  type NameTable,
} from './storage/name-table.ts'
export { resourceOfKey } from './storage/resource-of-key.ts'
export {
  createServerTable,
  type ServerEndpoint,
  type ServerEntry,
  type ServerTable,
} from './storage/server-table.ts'
export { withoutConversion } from './storage/without-conversion.ts'
export { type AdmissionNotes, admissionNotesOf } from './strategy/admission.ts'
export { objectOfBody } from './subresources/body-object.ts'
export { bodyKindOf, isServed } from './subresources/lookup.ts'
export type { ListComputed } from './verbs/computed.ts'
export { readDeleteOptions } from './verbs/delete-options.ts'
