import type { ApiObject, Stored } from '../kernel/meta/object.ts'
import { createContext, type RunEnvironment } from './context.ts'
import type { Controller } from './controller.ts'
import { addFinalizer, removeFinalizer } from './finalizers.ts'
import { done, failed, type Outcome } from './outcome.ts'

/** One run of a controller over one object. Whatever is thrown on the way is a failed run. */
export async function reconcileOnce<T extends ApiObject>(
  controller: Controller<T>,
  object: Stored<T>,
  surroundings: RunEnvironment,
): Promise<Outcome> {
  try {
    const leaving = object.metadata.deletionTimestamp !== undefined
    return leaving
      ? await cleanUp(controller, object, surroundings)
      : await reconcile(controller, object, surroundings)
  } catch (error) {
    return failed(error)
  }
}

/** The finalizer is on the object before the first run that might leave something behind. */
async function reconcile<T extends ApiObject>(
  controller: Controller<T>,
  object: Stored<T>,
  surroundings: RunEnvironment,
): Promise<Outcome> {
  const { for: kind, cleanup } = controller
  const kept =
    cleanup === undefined
      ? object
      : await addFinalizer(surroundings.client, kind, object, cleanup.finalizer)
  return controller.reconcile(kept, createContext(kind, kept, surroundings))
}

/** The finalizer goes only after its cleanup said `done`. */
async function cleanUp<T extends ApiObject>(
  { for: kind, cleanup }: Controller<T>,
  object: Stored<T>,
  surroundings: RunEnvironment,
): Promise<Outcome> {
  if (cleanup === undefined || !object.metadata.finalizers?.includes(cleanup.finalizer)) return done
  const outcome = await cleanup.run(object, createContext(kind, object, surroundings))
  if (outcome.is === 'done')
    await removeFinalizer(surroundings.client, kind, object, cleanup.finalizer)
  return outcome
}
