import { yieldToEventLoop } from '../../kernel/async/slices.ts'
import { StatusError } from '../../kernel/errors/status-error.ts'
import type { RegistryContext } from '../contract/context.ts'
import type { Body, Target, WriteOptions, WriteResult } from '../contract/contract.ts'
import {
  alreadyExists,
  fromStoreError,
  generatedNameTaken,
  isStoreError,
} from '../contract/errors.ts'
import { itemOf, itemOfObject } from '../storage/item.ts'
import { objectKey } from '../storage/keys.ts'
import { beginAdmission, settleAdmission } from '../strategy/admission.ts'
import { type Draft, decodeBody, withRequestNamespace } from '../strategy/decode.ts'
import { dropManagedFieldsIfTooLarge } from '../strategy/drop-managed-fields-if-too-large.ts'
import { prepareCreate } from '../strategy/prepare.ts'

/** Stores a new object, under its own name or a generated one. */
export async function create(
  context: RegistryContext,
  target: Target,
  body: Body,
  options: WriteOptions,
): Promise<WriteResult> {
  const draft = decodeBody(target, body, options.fieldValidation)
  if (draft.object.metadata.resourceVersion) {
    throw new StatusError('', 'resourceVersion should not be set on objects to be created')
  }
  return insertNew(context, target, draft, options)
}

/** Makes a decoded object a new one and stores it. */
export async function insertNew(
  context: RegistryContext,
  target: Target,
  decoded: Draft,
  options: WriteOptions,
): Promise<WriteResult> {
  if (decoded.large) await yieldToEventLoop()
  const placed = { ...decoded, object: withRequestNamespace(target, decoded.object) }
  const { name: given, ...rest } = target
  const named = placed.object.metadata.name ?? given
  const place = { ...rest, ...(named && { name: named }) }
  const way = beginAdmission(context, place, 'CREATE', options)
  return settleAdmission(way?.case, async () => {
    const draft = await prepareCreate(context, target, placed, options.manager, way)
    const warnings = [...draft.warnings, ...(way?.case.warnings ?? [])]
    const generated = !decoded.object.metadata.name
    return storeNew(context, target, { ...draft, warnings }, placed, options.dryRun, generated)
  })
}

async function storeNew(
  context: RegistryContext,
  target: Target,
  { object, warnings }: Draft,
  placed: Draft,
  dryRun: boolean,
  generated: boolean,
): Promise<WriteResult> {
  const name = object.metadata.name ?? ''
  const key = objectKey(target, name)
  if (dryRun) {
    if ((await context.store.get(key)) !== undefined)
      throw await nameTaken(context, target, name, generated)
    return { item: itemOfObject(object), created: true, warnings }
  }
  try {
    const entry = await dropManagedFieldsIfTooLarge(object, placed, (value) =>
      context.store.create(key, value),
    )
    context.allocations?.commit(object)
    return { item: itemOf(entry), created: true, warnings }
  } catch (error) {
    if (isStoreError(error, 'AlreadyExists'))
      throw await nameTaken(context, target, name, generated)
    throw fromStoreError(error)
  }
}

async function nameTaken(
  { store }: RegistryContext,
  target: Target,
  name: string,
  generated: boolean,
): Promise<StatusError> {
  if (generated) return generatedNameTaken(target.kind, name)
  const holder = await store.get(objectKey(target, name))
  const terminating = holder && itemOf(holder).object().metadata.deletionTimestamp !== undefined
  return alreadyExists(target.kind, name, terminating === true)
}
