import type { ApiObject, Stored } from '../../kernel/meta/object.ts'
import type { Draft } from '../strategy/decode.ts'
import { kindStrategy } from '../strategy/kind-strategy.ts'
import { withoutVersion } from '../strategy/resource-versions.ts'
import { withSystemMetadata } from '../strategy/system-metadata.ts'
import { allocate } from './allocate.ts'
import { bumpGeneration } from './generation.ts'
import { trackChangedFields } from './managed-fields.ts'
import { mutateUpdate } from './mutate.ts'
import { type ObjectUpdate, runSteps, type UpdateRequest, type WriteStep } from './object-write.ts'
import { permitUpdate } from './permit.ts'
import { keepUnwritable } from './shape-update.ts'
import { validateObject } from './validate.ts'
import { runValidatingPlugins } from './validating-plugins.ts'

/**
 * Makes a decoded object the successor of the stored one, as the main path or a subresource allows.
 *
 * @throws StatusError Invalid with every field error, or as admission refuses.
 */
export async function prepareUpdate(
  request: UpdateRequest,
  draft: Draft,
  stored: Stored<ApiObject>,
): Promise<ObjectUpdate> {
  const strategy = await kindStrategy(request.context, request.target)
  const old = withoutVersion(stored)
  const requested = withSystemMetadata(strategy.defaults(draft.object), old)
  const { fieldErrors, warnings } = draft
  const { name } = request.target
  const state = { name, requested, object: requested, stored, old, fieldErrors, warnings }
  return runSteps<ObjectUpdate>({ ...request, strategy, draft, ...state }, steps)
}

/** The steps of an update, in order. Each is a function of its own file. */
const steps: readonly WriteStep<ObjectUpdate>[] = [
  mutateUpdate,
  permitUpdate,
  keepUnwritable,
  validateObject,
  allocate,
  bumpGeneration,
  trackChangedFields,
  runValidatingPlugins,
]
