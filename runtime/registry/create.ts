import { StatusError } from '../kernel/status.ts'
import { othersTurn } from '../kernel/turns.ts'
import { admitting, settling } from './admit.ts'
import type { Context } from './context.ts'
import { type Draft, decodeBody, inNamespace } from './decode.ts'
import { alreadyExists, fromStore, generatedNameTaken, isStoreError } from './errors.ts'
import { storeFitting } from './fitting.ts'
import { itemOf, itemOfObject } from './item.ts'
import { keyOf } from './keys.ts'
import { prepareCreate } from './prepare.ts'
import type { Body, Target, WriteOptions, Written } from './registry.ts'

/** Stores a new object, under its own name or a generated one. */
export async function create(
  context: Context,
  target: Target,
  body: Body,
  options: WriteOptions,
): Promise<Written> {
  const draft = decodeBody(target, body, options.fieldValidation)
  if (draft.object.metadata.resourceVersion) {
    throw new StatusError('', 'resourceVersion should not be set on objects to be created')
  }
  return insert(context, target, draft, options)
}

/** Makes a decoded object a new one and stores it. */
export async function insert(
  context: Context,
  target: Target,
  decoded: Draft,
  options: WriteOptions,
): Promise<Written> {
  if (decoded.large) await othersTurn()
  const placed = { ...decoded, object: inNamespace(target, decoded.object) }
  const { name: given, ...rest } = target
  const named = placed.object.metadata.name ?? given
  const place = { ...rest, ...(named && { name: named }) }
  const way = admitting(context, place, 'CREATE', options)
  return settling(way?.case, async () => {
    const draft = await prepareCreate(context, target, placed, options.manager, way)
    const warnings = [...draft.warnings, ...(way?.case.warnings ?? [])]
    const generated = !decoded.object.metadata.name
    return store(context, target, { ...draft, warnings }, placed, options.dryRun, generated)
  })
}

async function store(
  context: Context,
  target: Target,
  { object, warnings }: Draft,
  placed: Draft,
  dryRun: boolean,
  generated: boolean,
): Promise<Written> {
  const name = object.metadata.name ?? ''
  const key = keyOf(target, name)
  if (dryRun) {
    if ((await context.store.get(key)) !== undefined)
      throw await taken(context, target, name, generated)
    return { item: itemOfObject(object), created: true, warnings }
  }
  try {
    const entry = await storeFitting(object, placed, (value) => context.store.create(key, value))
    context.claims?.landed(object)
    return { item: itemOf(entry), created: true, warnings }
  } catch (error) {
    if (isStoreError(error, 'AlreadyExists')) throw await taken(context, target, name, generated)
    throw fromStore(error)
  }
}

async function taken(
  { store }: Context,
  target: Target,
  name: string,
  generated: boolean,
): Promise<StatusError> {
  if (generated) return generatedNameTaken(target.kind, name)
  const holder = await store.get(keyOf(target, name))
  const terminating = holder && itemOf(holder).object().metadata.deletionTimestamp !== undefined
  return alreadyExists(target.kind, name, terminating === true)
}
