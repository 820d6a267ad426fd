import type { Draft } from '../strategy/decode.ts'
import { kindStrategy } from '../strategy/kind-strategy.ts'
import { newMetadata } from '../strategy/system-metadata.ts'
import { allocate } from './allocate.ts'
import { trackNewFields } from './managed-fields.ts'
import { mutateNew } from './mutate.ts'
import { type ObjectWrite, runSteps, type WriteRequest, type WriteStep } from './object-write.ts'
import { authorizeCreation, permitNew } from './permit.ts'
import { refuseTooManyErrors } from './refuse-too-many-errors.ts'
import { withoutStatusOnCreate } from './status-on-create.ts'
import { validateObject } from './validate.ts'
import { runValidatingPlugins } from './validating-plugins.ts'

/**
 * Makes a decoded object a new one, as it is to be stored.
 *
 * @throws StatusError Invalid with every field error, or as admission refuses.
 */
export async function prepareCreate(request: WriteRequest, draft: Draft): Promise<ObjectWrite> {
  const { context, target } = request
  const strategy = await kindStrategy(context, target)
  const metadata = newMetadata(context, target.kind, draft.object.metadata)
  const { name } = metadata
  const object = { ...draft.object, metadata }
  const { fieldErrors, warnings } = draft
  const state = { name, requested: object, object, fieldErrors, warnings }
  const write: ObjectWrite = { ...request, strategy, draft, ...state }
  return runSteps(withoutStatusOnCreate(write), steps)
}

/** Defaults that follow from other fields; what the schema states as a default, the reader has set. */
const setDefaults: WriteStep<ObjectWrite> = (write) => {
  const requested = write.strategy.defaults(write.object)
  return { ...write, requested, object: requested }
}

/** What the system owns of a new object, such as an initial status. */
const shapeNew: WriteStep<ObjectWrite> = (write) => {
  return { ...write, object: write.strategy.prepareCreate(write.object, write.options.user) }
}

/** The steps of a creation, in order. */
const steps: readonly WriteStep<ObjectWrite>[] = [
  refuseTooManyErrors,
  setDefaults,
  mutateNew,
  permitNew,
  shapeNew,
  validateObject,
  allocate,
  trackNewFields,
  authorizeCreation,
  runValidatingPlugins,
]
