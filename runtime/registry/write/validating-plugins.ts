import { withWarnings } from '../strategy/admission.ts'
import { withVersionOf } from '../strategy/resource-versions.ts'
import type { ObjectUpdate, ObjectWrite } from './object-write.ts'

/** Shows validating plugins the object as it is to be stored; a refusal comes with the warnings so far. @throws StatusError as the first plugin that refuses. */
export async function runValidatingPlugins<W extends ObjectWrite>(write: W): Promise<W> {
  const { stored } = write as Partial<ObjectUpdate>
  const shown = stored === undefined ? write.object : withVersionOf(stored, write.object)
  const { admission, warnings } = write
  if (admission !== undefined) await withWarnings(warnings, () => admission.validate(shown, stored))
  return write
}
